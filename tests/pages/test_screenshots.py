"""``./run screenshots`` once, for one page: it walks there and leaves its pictures."""

from importlib import import_module

from tests.helpers.parts import library


def test_the_pictures_of_a_page_are_taken(launch_chromium, tmp_path):
    image = library("PIL.Image", "browser")
    pictures = import_module("tests.pages.__main__")

    pictures.take(launch_chromium, [("account", "-phone")], tmp_path)

    names = ["account-phone-dark.png", "account-phone.png"]
    assert sorted(file.name for file in tmp_path.iterdir()) == names
    light, dark = (image.open(tmp_path / name).convert("L").resize((1, 1)) for name in names[::-1])
    assert light.getpixel((0, 0)) > 128 > dark.getpixel((0, 0))
