"""The token endpoint: authorization codes and refresh tokens into tokens, one file for each."""
