"""The version of the service, written here and nowhere else."""

__version__ = "0.1.0"
