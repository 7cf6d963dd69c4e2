"""Every setting: its names, its meaning and its default."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting. Without an ini key it is a secret, which only the environment may hold."""

    ini_key: str = ""
    variable: str = ""
    meaning: str
    default: str = ""
    """The text that is used if it is not set."""
    otherwise: str = ""
    """What happens when it is not given, where no value could say it."""

    @property
    def secret(self) -> bool:
        """Tell whether it must not be in an ini file."""
        return not self.ini_key


SETTINGS = (
    Setting(
        variable="AUTH_SECRET",
        meaning="base64 of at least 32 random bytes",
        otherwise="local mode makes its own",
    ),
    Setting(variable="AUTH_SECRET_PREVIOUS", meaning="the `AUTH_SECRET` before"),
    Setting(
        variable="AUTH_LOCAL_CONTROL_TOKEN",
        meaning="local mode alone: the Bearer token of its control API",
        otherwise="the first start makes one and keeps it in `control-token` beside the database",
    ),
    Setting(variable="PROVIDER_CLIENT_SECRET", meaning="from the identity provider"),
    Setting(
        variable="PROVIDER_APP_PRIVATE_KEY",
        meaning="the private key of the GitHub App in `provider.app_id`: RSA, in PEM",
    ),
    Setting(
        variable="PROVIDER_WEBHOOK_SECRET",
        meaning="the secret that is set for the webhook of the GitHub App",
        otherwise="no event of the provider is taken",
    ),
    Setting(ini_key="auth.mode", meaning="`local` or `production`"),
    Setting(ini_key="auth.url", variable="AUTH_URL", meaning="public address, without a path"),
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
        default="sqlite:///authservice.sqlite",
    ),
    Setting(
        ini_key="auth.sqlite_synchronous",
        variable="AUTH_SQLITE_SYNCHRONOUS",
        meaning="`FULL` survives a power cut; `NORMAL` is faster and may lose the last moments",
        default="FULL",
    ),
    Setting(
        ini_key="auth.trusted_origins",
        meaning="further origins of your own, on the same site",
    ),
    Setting(
        ini_key="auth.trusted_proxies",
        meaning="networks whose `X-Forwarded-For` is trusted; the scheme is that of `auth.url`",
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
        otherwise="our own",
    ),
    Setting(
        ini_key="branding.accent_colour",
        variable="BRANDING_ACCENT_COLOUR",
        meaning=(
            "colour of links and buttons as `#rrggbb`; darkened or lightened where it could not"
            " be read"
        ),
        otherwise="our own",
    ),
    Setting(
        ini_key="branding.privacy_url",
        variable="BRANDING_PRIVACY_URL",
        meaning="https address of the privacy policy, linked on every page",
    ),
    Setting(
        ini_key="branding.imprint_url",
        variable="BRANDING_IMPRINT_URL",
        meaning="https address of the imprint, linked on every page",
    ),
    Setting(
        ini_key="branding.help_url",
        variable="BRANDING_HELP_URL",
        meaning="https address of help for people, linked on every page",
    ),
    Setting(
        ini_key="auth.cookie_prefix",
        meaning=(
            "how cookie names begin; change it where two services share a domain. In local mode on"
            " another port than 37960 the default ends in the port: `authservice-8000`, since a"
            " browser sends the cookies of localhost to every port"
        ),
        default="authservice",
    ),
    Setting(
        ini_key="auth.backchannel_networks",
        meaning=(
            "networks that logout tokens may be sent to, such as `10.0.0.0/8`;"
            " local mode sends to loopback only"
        ),
        otherwise="public addresses",
    ),
    Setting(
        ini_key="auth.resources",
        meaning=(
            "one resource (RFC 8707) a line: its URI, its name for people in double quotes, then"
            " the client ids that may introspect its tokens; clients get tokens for it by"
            " `--resource`"
        ),
    ),
    Setting(
        ini_key="provider.id",
        meaning="last part of the callback address; the first start pins it",
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
        otherwise="the person who signs in is asked, by the OAuth scope `read:org`",
    ),
    Setting(
        ini_key="provider.authorize_url",
        meaning="where people sign in",
        default="https://github.com/login/oauth/authorize",
    ),
    Setting(
        ini_key="provider.token_url",
        meaning="where codes are exchanged",
        default="https://github.com/login/oauth/access_token",
    ),
    Setting(
        ini_key="provider.api_url",
        meaning="where profiles are read; the first start pins its origin",
        default="https://api.github.com",
    ),
    Setting(
        ini_key="provider.concurrent_sign_ins",
        meaning=(
            "how many sign-ins of a process may call the provider at a time; at most half of"
            " the `threads` of its server, of which another quarter may wait in a queue"
        ),
        default="4",
    ),
    Setting(
        ini_key="provider.trust_emails",
        meaning=(
            "`true` if an address that the provider calls verified is one; only then does"
            " `admission.email_domains` let anyone in"
        ),
        otherwise="`true` for github.com, `false` for every other server",
    ),
    Setting(
        ini_key="admission.organizations",
        variable="ADMISSION_ORGANIZATIONS",
        meaning=(
            "whose members may sign in, an organization or a team a line: `acme`,"
            " `acme/platform`; also written `org:acme`, `team:acme/platform`"
        ),
    ),
    Setting(
        ini_key="admission.users",
        variable="ADMISSION_USERS",
        meaning="who may sign in, an account a line: `user:octocat`, `id:583231`",
    ),
    Setting(
        ini_key="admission.email_domains",
        variable="ADMISSION_EMAIL_DOMAINS",
        meaning=(
            "who may sign in by the domain of the primary verified address, exactly, a domain a"
            " line: `example.com`"
        ),
    ),
    Setting(
        ini_key="admission.everyone",
        variable="ADMISSION_EVERYONE",
        meaning="`true` lets everyone in who has an account at the provider; no other rule then",
        default="false",
        otherwise="local mode without rules lets everyone in",
    ),
    Setting(
        ini_key="admission.recheck",
        meaning=(
            "seconds until the provider is asked once more about a person whom an organization or"
            " a team admits"
        ),
        default="86400",
    ),
    Setting(
        ini_key="admission.outage_grace",
        meaning="seconds by which that is put off at most while the provider does not answer",
        default="86400",
    ),
    Setting(
        ini_key="claims.groups_from",
        variable="CLAIMS_GROUPS_FROM",
        meaning=(
            "organizations, one a line, whose groups first-party applications learn of; other"
            " clients learn of them and of those in `admission.organizations` by `--groups`"
        ),
    ),
    Setting(
        ini_key="outgoing.ca_bundle",
        meaning=(
            "PEM file of certificate authorities to trust in addition to those of this machine, in"
            " all calls to the identity provider and to clients"
        ),
    ),
    Setting(
        ini_key="outgoing.proxy",
        variable="OUTGOING_PROXY",
        meaning=(
            "proxy for all of these calls, such as `http://proxy.example.com:3128`; set one"
            " with a password in the environment only. Logout tokens to"
            " `auth.backchannel_networks` go directly"
        ),
        otherwise="every call is direct",
    ),
    Setting(
        ini_key="ratelimit.storage",
        meaning=(
            "`memory://` counts in each process, `redis://HOST:PORT/DATABASE` across processes"
        ),
        default="memory://",
    ),
    Setting(
        ini_key="ratelimit.begun_sign_ins",
        meaning="how many sign-ins may begin at an address in ten seconds",
        default="30",
    ),
    Setting(
        ini_key="ratelimit.authorization_requests",
        meaning="how many authorization requests may come from an address in a minute",
        default="300",
    ),
    Setting(
        ini_key="ratelimit.client_requests",
        meaning=(
            "how many requests of a client may succeed in a minute, for each endpoint of clients;"
            " `--requests-per-minute` gives one client another limit"
        ),
        default="600",
    ),
    Setting(
        ini_key="ratelimit.client_failures",
        meaning="how many requests to the endpoints of clients may fail in a minute",
        default="20",
    ),
    Setting(
        ini_key="ratelimit.session_checks",
        meaning=(
            "how often an address may ask `get-session` or `token` without a valid session in ten"
            " seconds"
        ),
        default="100",
    ),
    Setting(
        ini_key="ratelimit.session_requests",
        meaning=(
            "how many requests of a session may sign or write something in a minute, for each"
            " endpoint"
        ),
        default="300",
    ),
    Setting(
        ini_key="ratelimit.other_requests",
        meaning=(
            "how many requests to any other path may come from an address in ten seconds; at least"
            " three times `ratelimit.begun_sign_ins`, since a sign-in opens the page, may open it"
            " again, and sends its form"
        ),
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
        default="page",
    ),
    Setting(
        ini_key="metrics.listen",
        meaning="IP address and port on which Prometheus reads, such as `127.0.0.1:9464`",
        otherwise="nothing is measured",
    ),
    Setting(
        ini_key="lifetimes.session", meaning="a session, from its last extension", default="604800"
    ),
    Setting(
        ini_key="lifetimes.session_update",
        meaning="how old an extension is before the next",
        default="86400",
    ),
    Setting(
        ini_key="lifetimes.session_max",
        meaning="a session from the sign-in on, however often it is extended",
        default="7776000",
    ),
    Setting(ini_key="lifetimes.code", meaning="an authorization code", default="60"),
    Setting(ini_key="lifetimes.access_token", meaning="an access token", default="3600"),
    Setting(ini_key="lifetimes.id_token", meaning="an ID token", default="3600"),
    Setting(
        ini_key="lifetimes.refresh_token",
        meaning="a refresh token, from each use",
        default="2592000",
    ),
    Setting(
        ini_key="lifetimes.refresh_family",
        meaning="all refresh tokens of one sign-in together",
        default="7776000",
    ),
    Setting(
        ini_key="lifetimes.refresh_grace",
        meaning="how long a used refresh token still gets the same answer",
        default="10",
    ),
    Setting(
        ini_key="lifetimes.signing_key",
        meaning="how long a signing key is used before the next takes over; at least a day",
        default="7776000",
    ),
)
