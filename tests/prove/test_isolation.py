"""The part ``isolation``: some local modes at once, and what it says of such as are not apart."""

from tools.prove import isolation
from tools.prove.isolation import LocalMode


def test_local_modes_at_once_see_nothing_of_each_other():
    outcome = isolation.try_out("brief")

    assert outcome.losses == []
    assert outcome.figures == [("starts", 3), ("at once", 3)]


class Leaking(LocalMode):
    """One that answers like another that has lost its bounds."""

    answers = None

    @property
    def cookies(self):
        return f"cookie-{self.number}"

    def _ask(self, method, path, headers, content=None):
        session = {"user": {"name": "Person 1"}}
        if path == "/api/auth/get-session":
            is_stranger = f"cookie-{self.number}" not in headers["Cookie"]
            return 200, self.answers.get("strangers") if is_stranger else session
        if path == "/api/local/persons":
            own = headers["Authorization"] == f"Bearer token-{self.number}"
            persons = [{"id": each} for each in self.answers.get("persons", self._persons())]
            return (200 if own else self.answers.get("others token", 401)), {"persons": persons}
        if path == "/api/auth/jwks":
            return 200, {"keys": [{"kid": self.answers.get("kid", f"kid-{self.number}")}]}
        return 200, {"now": self.answers.get("now", f"2030-01-0{self.number + 1}T00:00:00.000Z")}

    def _persons(self):
        return ["local-developer", self.person]


def seen(number=1, **answers):
    members = [Leaking(place, f"http://localhost:{place}", f"token-{place}") for place in (1, 2)]
    for each in members:
        object.__setattr__(each, "answers", answers | {"number": number})
    return " ".join(isolation._seen(members))


def test_what_is_seen_of_another_is_a_loss(subtests):
    for answers, loss in (
        ({"strangers": {"user": {}}}, "the session of another counted"),
        ({"persons": ["local-developer", "person-1", "person-2"]}, "has other persons"),
        ({"others token": 200}, "the control token of another was obeyed"),
        ({"kid": "the same"}, "a signing key in common"),
        ({"now": "2030-01-01T00:00:00.000Z"}, "has turned the clock of another"),
        ({}, "was taken for another person"),
    ):
        with subtests.test(answers=answers, loss=loss):
            assert loss in seen(**answers)
