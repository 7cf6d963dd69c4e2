"""Table oauth_former_refresh_token: the family of each refresh token that does not name it.

Tokens that were issued before a family had one row are found by their digest, which is the id
here. The last of them expires 90 days after the migration.
"""

from sqlalchemy import Column, ForeignKey, Table, Text

from authservice.models.base import metadata

oauth_former_refresh_token = Table(
    "oauth_former_refresh_token",
    metadata,
    Column("id", Text, primary_key=True),
    Column(
        "refresh_id",
        Text,
        ForeignKey("oauth_refresh_token.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
)
