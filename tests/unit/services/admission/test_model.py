"""What the code decides is what the model decides, for random rules and people."""

import random

from authservice.services.admission import decision_by_settings, pins
from authservice.services.admission.decision import Decision, Person, Pin, Why, decide
from authservice.services.people.memberships import Group, Memberships
from tests.unit.services.admission.model import Model
from tests.unit.services.admission.people import admitting, parsed

RULE_SETS = 10_000
STORED_RULE_SETS = 60
PEOPLE = 6

# Few names and few numbers, so that people often share them, and names that are nearly the same.
_NUMBERS = [str(number) for number in range(1, 8)]
_LOGINS = ["ada", "Ada", "ADA", "bob", "ada-l", "a_b", "\u212aelvin", "kelvin", None]
_ORGANIZATIONS = ["acme", "Acme", "acme-labs", "beta"]
_TEAMS = ["acme/platform", "Acme/Platform", "acme/infra", "beta/platform"]
_DOMAINS = [
    "example.com",
    "Example.COM",
    "sub.example.com",
    "example.org",
    "b\u00fccher.example",
    "xn--bcher-kva.example",
    "ex\u0430mple.com",
]
_ENTRIES = [
    *(f"org:{name}" for name in ("acme", "acme-labs", "beta")),
    *(f"team:{name}" for name in ("acme/platform", "acme/infra", "beta/platform")),
    *(f"user:{name}" for name in ("ada", "bob", "ada-l", "a_b", "kelvin")),
    *(f"id:{number}" for number in _NUMBERS[:4]),
    *(f"domain:{name}" for name in ("example.com", "example.org", "xn--bcher-kva.example")),
]
_KEYS = {
    "org": "ADMISSION_ORGANIZATIONS",
    "team": "ADMISSION_ORGANIZATIONS",
    "user": "ADMISSION_USERS",
    "id": "ADMISSION_USERS",
    "domain": "ADMISSION_EMAIL_DOMAINS",
}


def random_person(chance):
    def groups(names):
        chosen = chance.sample(names, chance.randint(0, 2))
        by_name = {name.lower(): (name, chance.choice(_NUMBERS)) for name in chosen}
        return list(by_name.values())

    local = chance.choice(["ada", '"a@evil.example"'])
    email = chance.choice([None, f"{local}@{chance.choice(_DOMAINS)}"])
    return {
        "number": chance.choice(_NUMBERS),
        "login": chance.choice(_LOGINS),
        "email": email,
        "org": groups(_ORGANIZATIONS),
        "team": groups(_TEAMS),
        "known": chance.random() < 0.9,
    }


def as_code_has_it(person):
    memberships = Memberships(
        *(tuple(Group(*each) for each in person[kind]) for kind in ("org", "team"))
    )
    shown = memberships if person["known"] else None
    return Person(person["number"], person["login"], person["email"], shown)


def as_model_has_it(person):
    return person if person["known"] else person | {"org": [], "team": []}


def rule_sets(number, seed):
    chance = random.Random(seed)
    for _ in range(number):
        entries = chance.sample(_ENTRIES, chance.randint(1, 7))
        named = [entry for entry in entries if entry.startswith(("org:", "team:", "user:"))]
        numbers = {entry: chance.choice(_NUMBERS) for entry in named if chance.random() < 0.8}
        people = [random_person(chance) for _ in range(PEOPLE)]
        yield entries, numbers, chance.random() < 0.8, people


def test_no_decision_differs_from_the_model():
    admitted = refused = reassigned = unresolved = 0
    for entries, numbers, trust_emails, people in rule_sets(RULE_SETS, 22):
        model, rules = Model(entries, numbers, trust_emails=trust_emails), parsed(*entries)
        pinned = {entry: Pin(number) for entry, number in numbers.items()}
        for who in people:
            person = as_code_has_it(who)
            pinned = pins.marked(pinned, person)
            decided = decide(rules, pinned, person, trust_emails=trust_emails)
            fitting = model.fitting(as_model_has_it(who))
            told = entries, numbers, trust_emails, people, who
            if fitting:
                assert decided.admitted_by in model.preferred(fitting), told
                admitted += 1
            else:
                assert decided.admitted_by is None, told
                refused += 1
            reasons = {str(each.rule): each.why for each in decided.reasons}
            assert reasons.keys() == {*entries} - fitting, told
            spoiled = {rule for rule, why in reasons.items() if why is Why.NAME_REASSIGNED}
            assert spoiled == model.reassigned(), told
            reassigned += bool(spoiled)
            waiting = {rule for rule, why in reasons.items() if why is Why.NAME_UNRESOLVED}
            assert waiting == model.unresolved(), told
            unresolved += bool(waiting)
    # Both happen often, and so do names that changed hands.
    assert min(admitted, refused, reassigned, unresolved) > RULE_SETS


def test_nor_does_any_that_goes_by_what_is_stored(connection):
    for entries, numbers, trust_emails, people in rule_sets(STORED_RULE_SETS, 23):
        connection.execute(pins.pinned_name.delete())
        pins.learn(connection, dict(zip(parsed(*numbers), numbers.values(), strict=True)))
        settings = _settings(entries, trust_emails=trust_emails)
        model = Model(entries, numbers, trust_emails=trust_emails)
        for who in people:
            decided = decision_by_settings.decide(connection, settings, as_code_has_it(who))
            fitting = model.fitting(as_model_has_it(who))
            assert (decided.admitted_by in model.preferred(fitting)) is bool(fitting)
            assert (decided.admitted_by is None) is (not fitting)


def test_everyone_is_let_in_where_everyone_is(subtests, connection):
    everyone = admitting(ADMISSION_EVERYONE="true")

    for number in _NUMBERS:
        with subtests.test(number=number):
            assert decision_by_settings.decide(connection, everyone, Person(number)) == Decision(
                "everyone"
            )


def _settings(entries, *, trust_emails):
    variables = {}
    for entry in entries:
        key = _KEYS[entry.partition(":")[0]]
        variables[key] = f"{variables.get(key, '')} {entry}"
    trusted = "true" if trust_emails else "false"
    return admitting({"provider.trust_emails": trusted}, **variables)
