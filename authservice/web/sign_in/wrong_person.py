"""The page for a person whom a client is not for, with both ways on: another account, or back."""

from pyramid.response import Response

from authservice import logs
from authservice.oauth.authorize.authorization_request import AuthorizationRequest
from authservice.oauth.authorize.authorization_response import AuthorizationResponse
from authservice.services.people.users import User
from authservice.web.pages.pages import WayBack, page
from authservice.web.request.auth_request import AuthRequest
from authservice.web.sign_in import return_target
from authservice.web.sign_in.return_target import OAuthReturn


def wrong_person_page(
    request: AuthRequest,
    authorization_request: AuthorizationRequest,
    user: User,
    refusal: AuthorizationResponse,
    interaction: str,
) -> Response:
    """Return the page for this user; ``refusal`` is what the client learns if they go back.

    Signed in with another account, they go on with the interaction.
    """
    client = authorization_request.client
    way_back = WayBack(client_name=client.name or client.client_id, answer=refusal)
    values = {
        "client_name": way_back.client_name,
        "user": user,
        "way_back": way_back,
        "switch_account_url": return_target.sign_in_address(
            OAuthReturn(interaction), request.auth_settings.auth_url, choose_account=True
        ),
        "code": refusal.parameters["error"],
        "reference": logs.current_reference(),
    }
    return page(request, "wrong_person", values, status=403, form_leaves=way_back.is_form)
