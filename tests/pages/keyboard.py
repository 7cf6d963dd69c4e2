"""What the Tab key reaches on a page, and whether one sees where one is."""

_CONTROLS = """() => [...document.querySelectorAll("a[href], button, input:not([type=hidden])")]
    .map(each => each.outerHTML)"""
_FOCUSED = """() => {
    const focused = document.activeElement;
    if (focused === document.body) return null;
    const box = focused.getBoundingClientRect(), style = getComputedStyle(focused);
    const middle = document.elementFromPoint(
        box.left + box.width / 2, box.top + box.height / 2);
    return {
        html: focused.outerHTML,
        line: box.bottom + scrollY,
        ring: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth),
        seen: focused.contains(middle),
    };
}"""


def reaches_every_control_in_its_turn(tab):
    """Check that Tab leads down the page from control to control, each seen and with a ring."""
    # The pointer is out of the way, and nothing has been focused by a click.
    tab.evaluate("document.activeElement.blur()")
    # Until then, a button may let the pointer through.
    tab.evaluate("Promise.all(document.getAnimations().map(each => each.finished))")
    stops = _stops(tab)
    assert [stop["html"] for stop in stops] == tab.evaluate(_CONTROLS)
    assert [stop["line"] for stop in stops] == sorted(stop["line"] for stop in stops)
    assert all(stop["ring"] >= 2 for stop in stops)
    assert all(stop["seen"] for stop in stops)


def _stops(tab):
    """Return what the Tab key reaches, from the beginning of the page to its end."""
    stops = []
    while True:
        tab.keyboard.press("Tab")
        stop = tab.evaluate(_FOCUSED)
        if stop is None or len(stops) > 100:
            return stops
        stops.append(stop)
