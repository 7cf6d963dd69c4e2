"""Bodies of events as the provider sends them: Hubot leaves Acme, or its team Platform."""

HUBOT = {"login": "hubot", "id": 480938, "type": "User"}
_OWNER = {"login": "octocat", "id": 583231, "type": "User"}
_COMMON = {
    "organization": {"login": "Acme", "id": 7, "node_id": "MDEyOk9yZ2FuaXphdGlvbjc="},
    "sender": _OWNER,
    "installation": {"id": 70, "node_id": "MDIzOkluc3RhbGxhdGlvbjcw"},
}
_TEAM = {"id": 71, "slug": "platform", "name": "Platform", "privacy": "closed"}


def organization(action, person=None):
    content = {"action": action, **_COMMON}
    if action.startswith("member_"):
        content["membership"] = {"state": "active", "role": "member", "user": person or HUBOT}
    return content


def membership(action, person=None, *, team=71, parent=None):
    changed = _TEAM | {"id": team, "parent": parent}
    return {
        "action": action,
        "scope": "team",
        "member": person or HUBOT,
        "team": changed,
        **_COMMON,
    }


def team(action):
    return {"action": action, "team": _TEAM, **_COMMON}


def org_block(action, person=None):
    return {"action": action, "blocked_user": person or HUBOT, **_COMMON}


def revoked(person=None):
    return {"action": "revoked", "sender": person or HUBOT}


def installation(action):
    installed = {"id": 70, "account": _COMMON["organization"]}
    return {"action": action, "installation": installed, "sender": _OWNER}
