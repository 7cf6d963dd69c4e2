"""Our role as authorization server and OpenID provider; the only package that knows oauthlib.

Nothing here knows Pyramid: requests come in as parameters and header values, answers go out as
values that the web layer writes.
"""
