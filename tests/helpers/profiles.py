"""What an identity provider says of somebody."""

from authservice.services.people.users import Profile


def profile(account_id="1", name="Ada", **changes):
    """Return the profile of a person with a verified address."""
    usual = {
        "provider_id": "github",
        "email": "ada@example.com",
        "email_verified": True,
        "image": None,
    }
    return Profile(account_id=account_id, name=name, **(usual | changes))
