"""What every request passes before its view: limits, origins, addresses, headers."""
