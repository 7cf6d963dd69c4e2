"""How a page lies in its window, and whether a finger hits what is on it."""

PHONE = {
    "viewport": {"width": 360, "height": 740},
    "device_scale_factor": 2,
    "has_touch": True,
    "is_mobile": True,
}
DESKTOP = {"width": 1280, "height": 800}
# A desktop's at 400 per cent (WCAG 2.2, 1.4.10).
NARROW = {"width": 320, "height": 256}

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
_FINGER = 24  # in CSS pixels
_SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def fits(tab):
    """Check that nothing lies beyond the edges of the window, so it does not scroll sideways."""
    assert tab.evaluate(_SIDEWAYS) <= 0
    assert tab.evaluate(_BEYOND) == []


def fits_fingers(tab):
    """Check that no control is too small (WCAG 2.2, 2.5.8)."""
    for control in tab.locator("button, a.button, input[type=checkbox]").all():
        box = control.bounding_box()
        assert min(box["width"], box["height"]) >= _FINGER
