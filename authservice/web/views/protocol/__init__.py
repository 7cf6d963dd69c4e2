"""The endpoints of OAuth and OpenID Connect."""
