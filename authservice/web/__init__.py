"""Everything that knows Pyramid: routes, views, pages, cookies and the gates before them."""
