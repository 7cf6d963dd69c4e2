"""Pages on which people sign in: the sign-in page, and the start page of who is not signed in."""

from pyramid.response import Response

from authservice.web.gates import provenance
from authservice.web.pages.pages import page
from authservice.web.request.auth_request import AuthRequest
from authservice.web.sign_in import return_target, sign_in_attempt
from authservice.web.sign_in.sign_in_prompt import SignInPrompt


def shown(request: AuthRequest, prompt: SignInPrompt, *, template: str = "sign_in") -> Response:
    """Return a page whose form leads to the identity provider, and from there to the target."""
    session = request.confirmed_session
    attempt = sign_in_attempt.new(
        prompt.target,
        session.user.id if session else None,
        choose_account=return_target.chooses_account(request.GET),
    )
    values = {
        "client_name": prompt.client_name,
        "client_host": prompt.client_host,
        "provider_name": request.identity_provider.name,
        "attempt": sign_in_attempt.seal(attempt, request.components.secret, request.browser),
        "csrf_token": provenance.form_token(request, signs_in=True),
        "reason": prompt.reason,
        "current_user": session.user if session else None,
        "sign_in_choices": "authservice.web:templates/sign_in_choices.jinja2",
        "may_continue": prompt.reason in {None, "select_account"},
    }
    return page(request, template, values, form_leaves=True)
