"""What is measured: the service of this checkout or of another commit, deployed and started."""
