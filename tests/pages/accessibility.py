"""axe-core, of npm, in a tab: what its rules for WCAG 2.2 AA and good practice find there."""

from tests.helpers.node import packages

_AXE = "node_modules/axe-core/axe.min.js"
_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
_ALL = {"type": "tag", "values": _TAGS}
# Those of axe-core's category cat.color that the tags above have.
_OF_COLOURS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
# Of the rules that hold, it is enough to know how many there are.
_RUN = """rules => axe.run({ runOnly: rules, resultTypes: ["violations"] })
    .then(found => ({ passes: found.passes.length, violations: found.violations }))"""


def has_no_barrier(tab, keep_picture, name):
    """Check a page in both colour schemes, and leave a picture of it in each if wanted."""
    assert barriers(tab) == []
    for scheme in colour_schemes(tab):
        keep_picture(tab, f"{name}-{scheme}")
        assert barriers_of_colours(tab) == [], scheme


def barriers(tab):
    """Return what is wrong with the page, one line for each rule and element."""
    return _broken(tab, _ALL)


def barriers_of_colours(tab):
    """Return what is wrong with the colours of a page that has no barrier in others."""
    return _broken(tab, _OF_COLOURS)


def colour_schemes(tab):
    """Show the page in light colours, then in dark ones, and return the name of each."""
    for scheme in ("light", "dark"):
        # Colours change at once, so that none is measured on its way to another.
        tab.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        yield scheme


def _broken(tab, rules):
    """Return what the rules find.

    The browser's debugger brings the script in, past the content policy, which stays as it is.
    """
    if not tab.evaluate("'axe' in window"):
        tab.evaluate((packages() / _AXE).read_text(encoding="utf-8"))
    found = tab.evaluate(_RUN, rules)
    assert found["passes"]
    return [
        f"{rule['id']} ({rule['impact']}): {node['target']} {node['failureSummary']}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]
