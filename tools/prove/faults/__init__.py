"""The service starved: of disk, time, descriptors, attention."""
