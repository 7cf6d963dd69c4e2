"""The way of a sign-in through our pages and the identity provider."""
