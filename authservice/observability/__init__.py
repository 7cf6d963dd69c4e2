"""What an operator watches besides the log: metrics and traces, each only where it is wanted."""
