"""The version of the service, written here and nowhere else."""

__version__ = "1.0.0rc1"
