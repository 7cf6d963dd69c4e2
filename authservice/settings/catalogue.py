"""Every setting: its names, its meaning, what its text may be, and its default."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from authservice.settings import (
    admission,
    branding,
    github_app,
    outgoing,
    parsing,
)
from authservice.settings.auth_settings import LONGEST_SIGNED_TOKEN

# Of github.com: the default, and where the addresses that it verified count.
GITHUB_API = "https://api.github.com"
# Browsers cut a cookie's life at 400 days.
_LONGEST = 400 * 24 * 3600
_LONGEST_TOKEN = int(LONGEST_SIGNED_TOKEN.total_seconds())
# Long enough for a key's successor to be published before it takes over.
_SHORTEST_KEY = 24 * 3600
# A rule must not admit longer than this without a question, nor through an outage.
_LONGEST_ADMISSION = 30 * 24 * 3600
# As many as a server may have threads.
_MOST_SIGN_INS = 256
# Beyond that a limit limits nothing.
_MOST_REQUESTS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting. Without an ini key it is a secret, which only the environment may hold."""

    ini_key: str = ""
    variable: str = ""
    misplaced_key: str = ""
    """Where a secret might be put in an ini file, which is refused."""
    meaning: str
    parse: Callable[[str], Any] = str
    """From its text, or from an entry of its list, to its value; raises RefusedError."""
    entries: Callable[[str], list[str]] | None = None
    """The entries of its text, if it is a list."""
    required: bool = False
    """Whether a blank text is parsed too, and so refused."""
    default: str = ""
    """The text that is used if it is not set."""
    otherwise: str = ""
    """What happens when it is not given, where no value could say it."""

    @property
    def secret(self) -> bool:
        """Tell whether it must not be in an ini file."""
        return not self.ini_key


_requests = parsing.whole_number(at_most=_MOST_REQUESTS)
_life = parsing.seconds(at_most=_LONGEST)

SETTINGS = (
    Setting(
        variable="AUTH_SECRET",
        misplaced_key="auth.secret",
        meaning="base64 of at least 32 random bytes",
        parse=parsing.server_secret,
        otherwise="local mode makes its own",
    ),
    Setting(
        variable="AUTH_SECRET_PREVIOUS",
        misplaced_key="auth.secret_previous",
        meaning="the `AUTH_SECRET` before",
        parse=parsing.server_secret,
    ),
    Setting(
        variable="AUTH_LOCAL_CONTROL_TOKEN",
        misplaced_key="local.control_token",
        meaning="local mode alone: the Bearer token of its control API",
        # What a Bearer token may consist of (RFC 6750, section 2.1).
        parse=parsing.matching(r"[A-Za-z0-9._~+/-]+=*"),
        otherwise="the first start makes one and keeps it in `control-token` beside the database",
    ),
    Setting(
        variable="PROVIDER_CLIENT_SECRET",
        misplaced_key="provider.client_secret",
        meaning="from the identity provider",
    ),
    Setting(
        variable="PROVIDER_APP_PRIVATE_KEY",
        misplaced_key="provider.app_private_key",
        meaning="the private key of the GitHub App in `provider.app_id`: RSA, in PEM",
        parse=github_app.private_key,
    ),
    Setting(
        variable="PROVIDER_WEBHOOK_SECRET",
        misplaced_key="provider.webhook_secret",
        meaning="the secret that is set for the webhook of the GitHub App",
        parse=github_app.webhook_secret,
        otherwise="no event of the provider is taken",
    ),
    Setting(
        ini_key="auth.mode",
        meaning="`local` or `production`",
        parse=parsing.choice("local", "production"),
        required=True,
    ),
    Setting(
        ini_key="auth.url",
        variable="AUTH_URL",
        meaning="public address, without a path",
        parse=parsing.origin,
        required=True,
    ),
    Setting(
        ini_key="auth.cookie_domain",
        variable="AUTH_COOKIE_DOMAIN",
        meaning=(
            "parent domain of the applications that share the session, such as `.example.com`"
        ),
        otherwise="this host only",
    ),
    Setting(
        ini_key="auth.database_url",
        variable="AUTH_DATABASE_URL",
        meaning="`sqlite:///FILE` or `postgresql+psycopg://USER@HOST/DATABASE`",
        parse=parsing.database_url,
        default="sqlite:///authservice.sqlite",
    ),
    Setting(
        ini_key="auth.sqlite_synchronous",
        variable="AUTH_SQLITE_SYNCHRONOUS",
        meaning="`FULL` survives a power cut; `NORMAL` is faster and may lose the last moments",
        parse=parsing.choice("FULL", "NORMAL"),
        default="FULL",
    ),
    Setting(
        ini_key="auth.trusted_origins",
        meaning="further origins of your own, on the same site",
        parse=parsing.trusted_origin,
        entries=parsing.words,
    ),
    Setting(
        ini_key="auth.trusted_proxies",
        meaning="networks of proxies that are believed in `X-Forwarded-For`, and in what they ask"
        " of forward authentication; the scheme is that of `auth.url`",
        parse=parsing.network,
        entries=parsing.words,
    ),
    Setting(
        ini_key="auth.service_name",
        meaning="the name on pages and in the health answer",
        default="authservice",
    ),
    Setting(
        ini_key="branding.logo",
        variable="BRANDING_LOGO",
        meaning=(
            "file with the logo on pages: PNG, JPEG, WebP or SVG, at most 16 KiB, shown in a"
            " square of 32 pixels"
        ),
        parse=branding.logo,
        otherwise="our own",
    ),
    Setting(
        ini_key="branding.accent_colour",
        variable="BRANDING_ACCENT_COLOUR",
        meaning=(
            "colour of links and buttons as `#rrggbb`; darkened or lightened where it could not"
            " be read"
        ),
        parse=branding.colour,
        otherwise="our own",
    ),
    Setting(
        ini_key="branding.privacy_url",
        variable="BRANDING_PRIVACY_URL",
        meaning=(
            "https address of the privacy policy, linked on every page and named in the metadata"
            " (`op_policy_uri`)"
        ),
        parse=branding.link,
    ),
    Setting(
        ini_key="branding.imprint_url",
        variable="BRANDING_IMPRINT_URL",
        meaning=(
            "https address of the imprint or the terms of use, linked on every page and named in"
            " the metadata (`op_tos_uri`)"
        ),
        parse=branding.link,
    ),
    Setting(
        ini_key="branding.help_url",
        variable="BRANDING_HELP_URL",
        meaning="https address of help for people, linked on every page",
        parse=branding.link,
    ),
    Setting(
        ini_key="auth.cookie_prefix",
        meaning=(
            "how cookie names begin; change it where two services share a domain. In local mode on"
            " another port than 37960 the default ends in the port: `authservice-8000`, since a"
            " browser sends the cookies of localhost to every port"
        ),
        parse=parsing.matching(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"),
        default="authservice",
    ),
    Setting(
        ini_key="auth.backchannel_networks",
        meaning=(
            "networks that logout tokens may be sent to, and keys of clients fetched from, such as"
            " `10.0.0.0/8`; local mode reaches loopback only"
        ),
        parse=parsing.network,
        entries=parsing.words,
        otherwise="public addresses",
    ),
    Setting(
        ini_key="auth.resources",
        meaning=(
            "a TOML file of the APIs that clients get tokens for (RFC 8707), such as"
            " `%(here)s/resources.toml`: [APIs](apis.md#describe-the-api)"
        ),
    ),
    Setting(
        ini_key="provider.id",
        meaning="last part of the callback address; the first start pins it",
        parse=parsing.matching(r"[a-z0-9][a-z0-9_-]{0,63}"),
        default="github",
    ),
    Setting(
        ini_key="provider.client_id",
        variable="PROVIDER_CLIENT_ID",
        meaning="from the identity provider",
    ),
    Setting(
        ini_key="provider.app_id",
        variable="PROVIDER_APP_ID",
        meaning=(
            "App ID or client id of a GitHub App, which asks for the members of organizations;"
            " `provider.client_id` is then the client id of the App"
        ),
        parse=github_app.app_id,
        otherwise="the person who signs in is asked, by the OAuth scope `read:org`",
    ),
    Setting(
        ini_key="provider.authorize_url",
        meaning="where people sign in",
        parse=parsing.web_address,
        default="https://github.com/login/oauth/authorize",
    ),
    Setting(
        ini_key="provider.token_url",
        meaning="where codes are exchanged",
        parse=parsing.web_address,
        default="https://github.com/login/oauth/access_token",
    ),
    Setting(
        ini_key="provider.api_url",
        meaning="where profiles are read; the first start pins its origin",
        parse=parsing.web_address,
        default=GITHUB_API,
    ),
    Setting(
        ini_key="provider.concurrent_sign_ins",
        meaning=(
            "how many sign-ins of a process may call the provider at a time; at most half of"
            " the `threads` of its server, of which another quarter may wait in a queue"
        ),
        parse=parsing.whole_number(at_most=_MOST_SIGN_INS),
        default="4",
    ),
    Setting(
        ini_key="provider.trust_emails",
        meaning=(
            "`true` if an address that the provider calls verified is one; only then are"
            " applications told so, and only then does `admission.email_domains` let anyone in"
        ),
        parse=parsing.yes_or_no,
        otherwise="`true` for github.com, `false` for every other server",
    ),
    Setting(
        ini_key="admission.organizations",
        variable="ADMISSION_ORGANIZATIONS",
        meaning=(
            "whose members may sign in, an organization or a team a line: `acme`,"
            " `acme/platform`; also written `org:acme`, `team:acme/platform`"
        ),
        parse=admission.membership,
        entries=parsing.words,
    ),
    Setting(
        ini_key="admission.users",
        variable="ADMISSION_USERS",
        meaning="who may sign in, an account a line: `user:octocat`, `id:583231`",
        parse=admission.account,
        entries=parsing.words,
    ),
    Setting(
        ini_key="admission.email_domains",
        variable="ADMISSION_EMAIL_DOMAINS",
        meaning=(
            "who may sign in by the domain of the primary verified address, exactly, a domain a"
            " line: `example.com`"
        ),
        parse=admission.email_domain,
        entries=parsing.words,
    ),
    Setting(
        ini_key="admission.everyone",
        variable="ADMISSION_EVERYONE",
        meaning="`true` lets everyone in who has an account at the provider; no other rule then",
        parse=parsing.yes_or_no,
        default="false",
        otherwise="local mode without rules lets everyone in",
    ),
    Setting(
        ini_key="admission.recheck",
        meaning=(
            "seconds until the provider is asked once more about a person whom an organization or"
            " a team admits"
        ),
        parse=parsing.seconds(at_least=60, at_most=_LONGEST_ADMISSION),
        default="86400",
    ),
    Setting(
        ini_key="admission.outage_grace",
        meaning="seconds by which that is put off at most while the provider does not answer",
        parse=parsing.seconds(at_least=0, at_most=_LONGEST_ADMISSION),
        default="86400",
    ),
    Setting(
        ini_key="claims.groups_from",
        variable="CLAIMS_GROUPS_FROM",
        meaning=(
            "organizations, one a line, whose groups first-party applications learn of; other"
            " clients learn of them and of those in `admission.organizations` by `--groups`"
        ),
        parse=admission.organization,
        entries=parsing.words,
    ),
    Setting(
        ini_key="outgoing.ca_bundle",
        meaning=(
            "PEM file of certificate authorities to trust in addition to those of this machine, in"
            " all calls to the identity provider and to clients"
        ),
        parse=outgoing.ca_bundle,
    ),
    Setting(
        ini_key="outgoing.proxy",
        variable="OUTGOING_PROXY",
        meaning=(
            "proxy for all of these calls, such as `http://proxy.example.com:3128`; set one"
            " with a password in the environment only. Calls to `auth.backchannel_networks` go"
            " directly"
        ),
        parse=outgoing.proxy,
        otherwise="every call is direct",
    ),
    Setting(
        ini_key="ratelimit.storage",
        meaning=(
            "`memory://` counts in each process, `redis://HOST:PORT/DATABASE` across processes"
        ),
        parse=parsing.counts_storage,
        default="memory://",
    ),
    Setting(
        ini_key="ratelimit.begun_sign_ins",
        meaning="how many sign-ins may begin at an address in ten seconds",
        parse=_requests,
        default="30",
    ),
    Setting(
        ini_key="ratelimit.authorization_requests",
        meaning="how many authorization requests may come from an address in a minute",
        parse=_requests,
        default="300",
    ),
    Setting(
        ini_key="ratelimit.client_requests",
        meaning=(
            "how many requests of a client may succeed in a minute, for each endpoint of clients;"
            " `--requests-per-minute` gives one client another limit"
        ),
        parse=_requests,
        default="600",
    ),
    Setting(
        ini_key="ratelimit.client_failures",
        meaning="how many requests to the endpoints of clients may fail in a minute",
        parse=_requests,
        default="20",
    ),
    Setting(
        ini_key="ratelimit.unknown_tokens",
        meaning=(
            "how many session cookies, access tokens or refresh tokens that are unknown an address"
            " may present in a minute, for each endpoint"
        ),
        parse=_requests,
        default="600",
    ),
    Setting(
        ini_key="ratelimit.session_requests",
        meaning=(
            "how many requests of a session may sign or write something in a minute, for each"
            " endpoint"
        ),
        parse=_requests,
        default="300",
    ),
    Setting(
        ini_key="ratelimit.other_requests",
        meaning=(
            "how many requests to any other path may come from an address in ten seconds; at least"
            " three times `ratelimit.begun_sign_ins`, since a sign-in opens the page, may open it"
            " again, and sends its form"
        ),
        parse=_requests,
        default="100",
    ),
    Setting(
        ini_key="local.persons",
        variable="AUTH_LOCAL_PERSONS",
        meaning="local mode alone: TOML file of further persons who can sign in",
        otherwise="the local developer alone",
    ),
    Setting(
        ini_key="local.sign_in",
        meaning=(
            "local mode alone: `page` asks who signs in, `automatic` signs in the person of"
            " `login_hint`, else the first"
        ),
        parse=parsing.choice("page", "automatic"),
        default="page",
    ),
    Setting(
        ini_key="metrics.listen",
        meaning="IP address and port on which Prometheus reads, such as `127.0.0.1:9464`",
        parse=parsing.listen_address,
        otherwise="nothing is measured",
    ),
    Setting(
        ini_key="lifetimes.session",
        meaning="a session, from its last extension",
        parse=_life,
        default="604800",
    ),
    Setting(
        ini_key="lifetimes.session_update",
        meaning="how old an extension is before the next",
        parse=_life,
        default="86400",
    ),
    Setting(
        ini_key="lifetimes.session_max",
        meaning="a session from the sign-in on, however often it is extended",
        parse=_life,
        default="7776000",
    ),
    Setting(
        ini_key="lifetimes.code",
        meaning="an authorization code",
        parse=parsing.seconds(at_most=600),
        default="60",
    ),
    Setting(
        ini_key="lifetimes.access_token",
        meaning="an access token",
        parse=parsing.seconds(at_most=_LONGEST_TOKEN),
        default="3600",
    ),
    Setting(
        ini_key="lifetimes.id_token",
        meaning="an ID token",
        parse=parsing.seconds(at_most=_LONGEST_TOKEN),
        default="3600",
    ),
    Setting(
        ini_key="lifetimes.refresh_token",
        meaning="a refresh token, from each use",
        parse=_life,
        default="2592000",
    ),
    Setting(
        ini_key="lifetimes.refresh_family",
        meaning="all refresh tokens of one sign-in together",
        parse=_life,
        default="7776000",
    ),
    Setting(
        ini_key="lifetimes.refresh_grace",
        meaning="how long a used refresh token still gets the same answer",
        parse=parsing.seconds(at_most=300),
        default="10",
    ),
    Setting(
        ini_key="lifetimes.signing_key",
        meaning="how long a signing key is used before the next takes over; at least a day",
        parse=parsing.seconds(at_least=_SHORTEST_KEY, at_most=_LONGEST),
        default="7776000",
    ),
)
