"""How a page lies in its window."""

# What is hidden from sight, as for screen readers, takes no room.
_BEYOND = """() => {
    const width = document.documentElement.clientWidth;
    return [...document.body.querySelectorAll("*")]
        .filter(each => {
            const box = each.getBoundingClientRect();
            return box.width && (box.right > width + 0.5 || box.left < -0.5);
        })
        .map(each => each.outerHTML.slice(0, 200));
}"""
_SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def fits(tab):
    """Check that nothing lies beyond the edges of the window, so it does not scroll sideways."""
    assert tab.evaluate(_SIDEWAYS) <= 0
    assert tab.evaluate(_BEYOND) == []
