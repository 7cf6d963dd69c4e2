"""The service without its web layer: each call is one request with its own transaction."""

import base64
import json
from contextlib import ExitStack, contextmanager
from urllib.parse import parse_qsl, urlencode

from sqlalchemy import delete

from authservice import clock
from authservice.models import metadata as tables
from authservice.oauth import parameters
from authservice.oauth.interaction import Consent, Issue, Visit, next_interaction
from authservice.oauth.parameters import Parameters
from authservice.oauth.server import AuthorizationServer
from authservice.oauth.server_context import ServerContext
from authservice.services import (
    client_administration,
    client_registration,
    consents,
    refresh_tokens,
    sessions,
    users,
)
from authservice.services.client_metadata import ClientMetadata
from authservice.services.users import Profile
from tests.relying_party import challenge_of
from tests.stateful.model import SESSION, SESSION_MAX, SESSION_UPDATE

REDIRECT_URI = "https://app.example.com/callback"
RESOURCE = "https://api.example.com"
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
        profile = Profile(
            provider_id="provider",
            account_id=name,
            name=name,
            email=f"{name}@example.com",
            email_verified=True,
            image=None,
        )
        with self.database.transaction() as connection:
            return users.from_profile(connection, profile)[0]

    def register(self, **choices):
        wanted = {"name": "Client", "redirect_uris": [REDIRECT_URI], "resources": [RESOURCE]}
        registration = ClientMetadata(**wanted, **choices)
        with self.database.transaction() as connection:
            return client_registration.register(connection, registration)

    def administrate(self, action, client_id, *arguments, **choices):
        with self.database.transaction() as connection:
            row = client_administration.find_to_change(connection, client_id)
            return getattr(client_administration, action)(connection, row, *arguments, **choices)

    def sign_in(self, person):
        with self.database.transaction() as connection:
            return sessions.create(connection, person, SESSION)[0]

    def extend_when_due(self, session_id):
        found = sessions.find_by_id(self.database.reader, session_id)
        if found is not None and sessions.is_extension_due(found, SESSION_UPDATE):
            with self.database.transaction() as connection:
                sessions.extend(connection, found, SESSION, SESSION_MAX)

    def end_session(self, session_id):
        with self.database.transaction() as connection:
            sessions.end(connection, [session_id])

    def sign_out_everywhere(self, user_id):
        with self.database.transaction() as connection:
            found = sessions.of_user(connection, user_id)
            sessions.end(connection, [each.id for each in found])
            refresh_tokens.revoke_of_user(connection, user_id)

    def revoke_application(self, client_id, user_id):
        with self.database.transaction() as connection:
            consents.delete(connection, consents.find(connection, client_id, user_id))
            refresh_tokens.revoke_of_user(connection, user_id, client_id)

    def authorize(self, client_id, session_id, scopes, *, for_resource, agreed):
        """Return a code and whether the person was asked; no code where they said no."""
        asked = {
            "response_type": "code",
            "client_id": client_id,
            "redirect_uri": REDIRECT_URI,
            "scope": " ".join(sorted(scopes)),
            "code_challenge": _CHALLENGE,
            "code_challenge_method": "S256",
        }
        if for_resource:
            asked["resource"] = RESOURCE
        sent = Parameters.read(asked.items(), parameters.AUTHORIZE)
        reader = self.database.reader
        with self._server() as (server, open_writer):
            request = server.validate_authorization_request(sent)
            session = sessions.find_by_id(reader, session_id)
            known = consents.find(reader, client_id, session.user.id)
            visit = Visit(clock.now())
            step = next_interaction(request, session, known, visit, local_mode=True)
            was_asked = isinstance(step, Consent)
            if was_asked and agreed:
                granted = request.consent_scopes
                user_id, resources = session.user.id, request.resources
                consents.grant(open_writer(), client_id, user_id, granted, (), resources)
            elif not isinstance(step, Issue):
                return None, was_asked
            answer = server.issue_code(request, session)
            return answer.parameters["code"], was_asked

    def token(self, client_id, secret, **form):
        return self._post("create_token_response", client_id, secret, form)

    def introspect(self, client_id, secret, token):
        return self._post("create_introspection_response", client_id, secret, {"token": token})

    def revoke(self, client_id, secret, token):
        return self._post("create_revocation_response", client_id, secret, {"token": token})

    def userinfo(self, token):
        with self._server() as (server, _):
            answer = server.create_userinfo_response(f"Bearer {token}", ())
        return answer.status, json.loads(answer.body)

    def _post(self, endpoint, client_id, secret, form):
        authorization = None
        if secret is None:
            form = {"client_id": client_id} | form
        else:
            pair = f"{client_id}:{secret}".encode()
            authorization = f"Basic {base64.b64encode(pair).decode()}"
        with self._server() as (server, _):
            answer = getattr(server, endpoint)(authorization, parse_qsl(urlencode(form)))
        return answer.status, json.loads(answer.body or "{}")

    @contextmanager
    def _server(self):
        """Give the server of one request; what it wrote is committed when it answers."""
        opened = []

        def open_writer():
            if not opened:
                opened.append(ending.enter_context(self.database.transaction()))
            return opened[0]

        context = ServerContext(
            self._components.settings,
            self._components.signing_keys,
            self.database.reader,
            open_writer,
            lambda _client_id, **_: None,
        )
        with ExitStack() as ending:
            yield AuthorizationServer(context), open_writer
