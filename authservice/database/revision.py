"""The revision of the tables that this version of the service is made for."""

# The newest; a test holds it against alembic/versions.
REVISION = "1003"
