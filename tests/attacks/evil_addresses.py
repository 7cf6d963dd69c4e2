"""Addresses that an attacker would have a person sent to, in the disguises that have worked."""

HOST = "evil.example"


def disguised(trusted):
    """Return addresses elsewhere that look like a trusted one to a careless reader."""
    scheme, _, rest = trusted.partition("://")
    host, _, path = rest.partition("/")
    return [
        f"https://{HOST}/",
        f"//{HOST}/",
        f"///{HOST}/",
        f"/\\{HOST}/",
        f"\\\\{HOST}/",
        f"/\t/{HOST}/",
        f"/%2f%2f{HOST}/",
        f"/%5c{HOST}/",
        f"https:{HOST}/",
        f"https:/{HOST}/",
        f"https:///{HOST}/",
        f"https:\\\\{HOST}/",
        f"{scheme}://{host}@{HOST}/{path}",
        f"{scheme}://{host}%40{HOST}/{path}",
        f"{scheme}://{host}:80@{HOST}/{path}",
        f"{scheme}://{HOST}#{host}/{path}",
        f"{scheme}://{HOST}\\@{host}/{path}",
        f"{scheme}://{HOST}%23@{host}/{path}",
        f"{scheme}://{HOST}?{host}/{path}",
        f"{scheme}://{host}.{HOST}/{path}",
        f"{scheme}://{HOST}/{path}",
        f"{scheme}://{HOST}%00.{host}/{path}",
        f"{scheme}://{HOST}%0d%0aLocation:.{host}/",
        f"{scheme}://{HOST}\r\nLocation: https://{HOST}/.{host}/",
        f"{scheme}://{HOST}\u3002{host}/",
        f"{scheme}://{host}\uff0e{HOST}/",
        f" https://{HOST}/",
        f"\x00https://{HOST}/",
        f"hTTps://{HOST}/",
        f"javascript:alert(1)//{host}/{path}",
        f"JaVaScRiPt:alert(1)//{host}/{path}",
        "java\nscript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:msgbox(1)",
        "file:///etc/passwd",
        f"blob:https://{HOST}/x",
        f"ftp://{HOST}/",
        f"view-source:https://{HOST}/",
    ]
