"""The accent colour: readable in every scheme, whatever the operator's colour is."""

import re
from importlib.resources import files

import pytest

from authservice.web.request import accent
from authservice.web.request.accent import contrast

COLOURS = [
    f"#{red:02x}{green:02x}{blue:02x}"
    for red in range(0, 256, 51)
    for green in range(0, 256, 51)
    for blue in range(0, 256, 51)
]
BACKGROUNDS = {
    "light": ("#f3f5f4", "#ffffff", "#f3f6f5"),
    "dark": ("#0d1312", "#161e1c", "#1d2725"),
    "more": ("#ffffff",),
    "more dark": ("#000000",),
}


def _schemes(colour):
    """Return the colours of each scheme: what a later one leaves out comes from an earlier one."""
    found = [
        dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", line))
        for line in accent.style(colour).split("\n")
        if line
    ]
    light, dark, more, more_dark = found
    return {"light": light, "dark": dark, "more": light | more, "more dark": dark | more_dark}


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [("#000000", "#ffffff", 21), ("#777777", "#ffffff", 4.48), ("#0f6b62", "#ffffff", 6.36)],
)
def test_contrast_is_that_of_the_guidelines(one, other, ratio):
    assert contrast(one, other) == pytest.approx(ratio, abs=0.01)
    assert contrast(other, one) == contrast(one, other)


def test_every_colour_can_be_read_in_every_scheme():
    for colour in COLOURS:
        for name, scheme in _schemes(colour).items():
            least = 7 if "more" in name else 4.5
            for background in BACKGROUNDS[name]:
                assert contrast(scheme["accent"], background) >= least, (colour, name)
            for background in ("accent", "accent-hover"):
                assert contrast(scheme["on-accent"], scheme[background]) >= 4.5, (colour, name)
            for background in ("tint", "tint-hover"):
                assert contrast(scheme["on-tint"], scheme[background]) >= 4.5, (colour, name)


def test_a_colour_that_can_be_read_stays_as_it_is():
    assert _schemes("#0b5fff")["light"]["accent"] == "#0b5fff"
    assert _schemes("#ffd400")["dark"]["accent"] == "#ffd400"


def test_the_backgrounds_are_those_of_the_style_sheet():
    style = files("authservice.web").joinpath("static", "authservice.css").read_text()

    assert "--page: #f3f5f4;" in style
    assert "--surface: #161e1c;" in style
    assert "--sunken: #1d2725;" in style
    for name in _schemes("#000000")["light"]:
        assert f"--{name}: " in style
