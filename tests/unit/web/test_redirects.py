"""Redirects, as clients compare them and caches see them."""

from authservice.web.answers import see_other

ADDRESS = "https://app.example.com/cb?x=%2F&y=a+b"


def test_it_is_a_get_of_the_address_as_it_is_and_nothing_that_a_cache_keeps():
    response = see_other(ADDRESS)

    assert response.status_int == 303
    assert response.headers["Location"] == ADDRESS
    assert response.headers["Cache-Control"] == "no-store"
    assert "Content-Type" not in response.headers
