"""What the identity provider answers to our credentials and our callback address."""
