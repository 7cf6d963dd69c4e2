"""The service without its web layer: each call is one request with its own transaction."""

import base64
import json
from contextlib import ExitStack, contextmanager
from urllib.parse import parse_qsl, urlencode

from sqlalchemy import delete

from authservice import clock
from authservice.models import metadata as tables
from authservice.oauth.authorize.interaction import Consent, Issue, Visit, next_interaction
from authservice.oauth.oauth_request import (
    AUTHORIZATION,
    INTROSPECTION,
    REVOCATION,
    TOKEN,
    USERINFO,
    OAuthRequest,
)
from authservice.oauth.server import server
from authservice.services.clients import client_administration, client_registration
from authservice.services.clients.client_metadata import ClientMetadata
from authservice.services.people import consents, users
from authservice.services.sessions import sessions
from authservice.services.tokens import refresh_tokens
from tests.helpers.profiles import profile
from tests.helpers.relying_party import challenge_of
from tests.helpers.server_context import server_context
from tests.stateful.model import SESSION, SESSION_MAX, SESSION_UPDATE

REDIRECT_URI = "https://app.example.com/callback"
RESOURCE = "https://api.example.com"
JOBS = "https://jobs.example.com"
RESOURCES = (
    RESOURCE,
    f'["{JOBS}"]\ntoken = "opaque"\nscopes = {{ "jobs:read" = "Read", "jobs:run" = "Run" }}',
)
VERIFIER = "v" * 43
_CHALLENGE = challenge_of(VERIFIER)
_KEPT = {"jwks", "alembic_version"}


class Service:
    """The authorization server and the services on one database."""

    def __init__(self, components):
        self._components = components
        self.database = components.database

    def clear(self):
        """Forget everything but the signing keys."""
        with self.database.transaction() as connection:
            for table in reversed(tables.sorted_tables):
                if table.name not in _KEPT:
                    connection.execute(delete(table))

    def person(self, name):
        theirs = profile(name, name, provider_id="provider", email=f"{name}@example.com")
        with self.database.transaction() as connection:
            return users.from_profile(connection, theirs)[0]

    def register(self, **choices):
        wanted = {"name": "Client", "redirect_uris": [REDIRECT_URI], "resources": [RESOURCE]}
        registration = ClientMetadata(**(wanted | choices))
        with self.database.begin() as transaction:
            return client_registration.register(transaction, registration)

    def administrate(self, action, client_id, *arguments, **choices):
        with self.database.begin() as transaction:
            row = client_administration.find_to_change(transaction.connection, client_id)
            return getattr(client_administration, action)(transaction, row, *arguments, **choices)

    def sign_in(self, person):
        with self.database.transaction() as connection:
            return sessions.create(connection, person, SESSION)[0]

    def extend_when_due(self, session_id):
        found = sessions.find_by_id(self.database.reader, session_id)
        if found is not None and sessions.is_extension_due(found, SESSION_UPDATE):
            with self.database.transaction() as connection:
                sessions.extend(connection, found, SESSION, SESSION_MAX)

    def end_session(self, session_id):
        with self.database.begin() as transaction:
            sessions.end(transaction, [session_id])

    def sign_out_everywhere(self, user_id):
        with self.database.begin() as transaction:
            found = sessions.of_user(transaction.connection, user_id)
            sessions.end(transaction, [each.id for each in found])
            refresh_tokens.revoke_of_user(transaction.connection, user_id)

    def revoke_application(self, client_id, user_id):
        with self.database.transaction() as connection:
            consents.delete(connection, consents.find(connection, client_id, user_id))
            refresh_tokens.revoke_of_user(connection, user_id, client_id)

    def authorize(self, client_id, session_id, scopes, *, for_resource, agreed):
        """Return a code and whether the person was prompted; no code where they said no."""
        parameters = {
            "response_type": "code",
            "client_id": client_id,
            "redirect_uri": REDIRECT_URI,
            "scope": " ".join(sorted(scopes)),
            "code_challenge": _CHALLENGE,
            "code_challenge_method": "S256",
        }
        if for_resource:
            parameters["resource"] = RESOURCE
        reader = self.database.reader
        with self._server_context() as context:
            sent = OAuthRequest.read(AUTHORIZATION, context, None, parameters.items())
            request = server.validate_authorization_request(sent)
            session = sessions.find_by_id(reader, session_id)
            known = consents.find(reader, client_id, session.user.id)
            visit = Visit(clock.now())
            step = next_interaction(
                request, session, known, visit, is_for_user=True, local_mode=True
            )
            saw_consent_page = isinstance(step, Consent)
            if saw_consent_page and agreed:
                granted = request.consent_scopes
                user_id, resources = session.user.id, request.resources
                consents.grant(context.transaction(), client_id, user_id, granted, (), resources)
            elif not isinstance(step, Issue):
                return None, saw_consent_page
            answer = server.create_authorization_response(sent, request, session)
            return answer.parameters["code"], saw_consent_page

    def token(self, client_id, secret, **form):
        return self._post(TOKEN, server.create_token_response, client_id, secret, form)

    def introspect(self, client_id, secret, token):
        answer = server.create_introspect_response
        return self._post(INTROSPECTION, answer, client_id, secret, {"token": token})

    def revoke(self, client_id, secret, token):
        answer = server.create_revocation_response
        return self._post(REVOCATION, answer, client_id, secret, {"token": token})

    def userinfo(self, token):
        with self._server_context() as context:
            request = OAuthRequest.read(USERINFO, context, f"Bearer {token}", ())
            answer = server.create_userinfo_response(request)
        return answer.status, json.loads(answer.body)

    def _post(self, endpoint, create_response, client_id, secret, form):
        authorization = None
        if secret is None:
            form = {"client_id": client_id} | form
        else:
            pair = f"{client_id}:{secret}".encode()
            authorization = f"Basic {base64.b64encode(pair).decode()}"
        with self._server_context() as context:
            sent = parse_qsl(urlencode(form))
            answer = create_response(OAuthRequest.read(endpoint, context, authorization, sent))
        return answer.status, json.loads(answer.body or "{}")

    @contextmanager
    def _server_context(self):
        """Give what one request works with; what it wrote is committed when it is answered."""
        opened = []

        def transaction():
            if not opened:
                opened.append(ending.enter_context(self.database.begin()))
            return opened[0]

        with ExitStack() as ending:
            yield server_context(self._components, self.database, transaction)
