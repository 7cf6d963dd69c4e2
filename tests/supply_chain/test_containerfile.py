"""What the Containerfile names is there: that the images can be built, ``./run image`` shows."""

import configparser
import json
import re
import shlex
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from tests.image.store import LOCAL, PRODUCTION

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "Containerfile").read_text("utf-8").replace("\\\n", " ")
# Each stage, by its name, with its instructions.
STAGES = {
    found["name"]: found["text"]
    for found in re.finditer(
        r"^FROM \S+ AS (?P<name>\S+)\n(?P<text>.*?)(?=^FROM |\Z)", TEXT, re.MULTILINE | re.DOTALL
    )
}
COMMANDS = {script.name for script in entry_points(group="console_scripts")}
SERVED = {"local": "local.ini", "production": "production.ini"}


def instructions(name, stage=TEXT):
    return re.findall(rf"^{name} +(.+)$", stage, re.MULTILINE)


def command(stage):
    """Return the words of a stage's command, those of a shell's too."""
    (text,) = instructions("CMD", STAGES[stage])
    return shlex.split(" ".join(json.loads(text)))


def test_everything_that_is_copied_from_the_checkout_is_there():
    copied = [text.split()[:-1] for text in instructions("COPY") if "--from=" not in text]
    sources = [source for each in copied for source in each]

    assert sources
    assert [source for source in sources if not (ROOT / source).exists()] == []


def test_everything_that_is_taken_out_is_there_before():
    taken = [name for names in re.findall(r"\brm -r ([^&]+)", TEXT) for name in names.split()]

    assert taken
    assert [name for name in taken if not (ROOT / name).exists()] == []


def test_every_lock_that_is_installed_was_copied_before():
    for stage in STAGES.values():
        for lock in re.findall(r"--requirement (\S+)", stage):
            assert f"COPY {lock} " in stage


def test_what_comes_from_a_stage_comes_from_one_that_there_is():
    named = set(re.findall(r"(?:^FROM |--from=)([\w-]+) ", TEXT, re.MULTILINE))

    assert named
    assert named <= set(STAGES)


def test_the_images_that_are_tried_and_published_are_stages_and_local_mode_is_the_last():
    tried = {image.rpartition(":")[2] for image in (LOCAL, PRODUCTION)}
    published = re.search(r"target: \[(.+)\]", (ROOT / ".github/workflows/release.yml").read_text())

    assert tried == set(published[1].split(", ")) == set(SERVED) <= set(STAGES)
    assert list(STAGES)[-1] == "local"


@pytest.mark.parametrize("stage", SERVED)
def test_the_command_is_ours_and_serves_its_ini_file(stage):
    words = command(stage)

    assert "pserve" in COMMANDS & set(words)
    assert set(words) & {"authservice"} <= COMMANDS
    assert SERVED[stage] in words


@pytest.mark.parametrize("stage", SERVED)
def test_the_port_that_is_exposed_is_the_one_that_is_served_and_examined(stage):
    (exposed,) = instructions("EXPOSE", STAGES[stage])
    ini = configparser.ConfigParser(defaults={"here": "/"}, interpolation=None)
    ini.read(ROOT / SERVED[stage])
    given = dict(word.split("=") for word in command(stage) if "=" in word)

    assert given.get("listen_port", ini["DEFAULT"].get("listen_port")) == exposed
    assert f"C('127.0.0.1', {exposed}," in STAGES[stage]
    assert "'/api/health'" in STAGES[stage]
