"""What one request costs at most, whatever a header, cookie, parameter or field of it holds."""
