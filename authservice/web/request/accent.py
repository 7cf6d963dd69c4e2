"""The accent colour in the style sheet: one colour of the operator's, readable in each scheme.

Whatever the colour, text in it and text on it keep the contrast that WCAG 2.2 asks for at level
AA (section 1.4.3): it is darkened for light pages and lightened for dark ones as far as needed.
"""

# As in authservice.css: the backgrounds from which the accent has to differ most.
_LIGHT_PAGE = "#f3f5f4"
_DARK_SUNKEN = "#1d2725"
_DARK_SURFACE = "#161e1c"
_WHITE = "#ffffff"
_BLACK = "#000000"
_AA = 4.5
_AAA = 7
_STEPS = 100

_DARK = "(prefers-color-scheme: dark)"
_MORE = "(prefers-contrast: more)"


def style(colour: str) -> str:
    """Return rules for the end of the style sheet that put a colour (#rrggbb) in its place."""
    light, dark = shade(colour, _LIGHT_PAGE, _AA), shade(colour, _DARK_SUNKEN, _AA)
    contrasting = {"accent": shade(colour, _WHITE, _AAA), "accent-hover": _BLACK}
    contrasting_dark = {"accent": shade(colour, _BLACK, _AAA), "accent-hover": _WHITE}
    return "\n".join(
        [
            "",
            _rule(_scheme(light, _WHITE, hover=_BLACK, on=_WHITE)),
            f"@media {_DARK} {{ {_rule(_scheme(dark, _DARK_SURFACE, hover=_WHITE, on=_BLACK))} }}",
            f"@media {_MORE} {{ {_rule(contrasting)} }}",
            f"@media {_MORE} and {_DARK} {{ {_rule(contrasting_dark)} }}",
            "",
        ]
    )


def shade(colour: str, background: str, least: float) -> str:
    """Return the colour, as little changed as a contrast to a background allows."""
    target = _BLACK if _luminance(background) > _luminance("#777777") else _WHITE
    shades = (_mix(colour, target, step / _STEPS) for step in range(_STEPS + 1))
    return next((each for each in shades if contrast(each, background) >= least), target)


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours (WCAG 2.2), from 1 to 21."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _scheme(accent: str, surface: str, *, hover: str, on: str) -> dict[str, str]:
    tint_hover = _mix(surface, accent, 0.24)
    return {
        "accent": accent,
        "accent-hover": _mix(accent, hover, 0.22),
        "on-accent": on,
        "tint": _mix(surface, accent, 0.14),
        "tint-hover": tint_hover,
        "on-tint": shade(accent, tint_hover, _AAA),
    }


def _rule(colours: dict[str, str]) -> str:
    return f":root {{ {' '.join(f'--{name}: {colour};' for name, colour in colours.items())} }}"


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _mix(one: str, other: str, share: float) -> str:
    pairs = zip(_channels(one), _channels(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def _luminance(colour: str) -> float:
    """Return the relative luminance of a colour in sRGB (WCAG 2.2)."""
    red, green, blue = (_linear(channel / 255) for channel in _channels(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4  # noqa: PLR2004
