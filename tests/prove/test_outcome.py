"""What ``./run prove`` prints, and when it fails."""

from dataclasses import replace

import pytest

from tools.prove import __main__ as command
from tools.prove.outcome import Outcome, table_of
from tools.prove.parts import PARTS


def outcome(*losses):
    return Outcome("kills", [("kills", 1200), ("s at most", 0.5), ("sqlite", "on")], losses)


def test_the_table_says_what_was_tried_and_that_nothing_was_lost():
    assert "1,200 kills, 0.50 s at most, on sqlite; lost: nothing" in table_of([outcome()])


def test_losses_of_one_kind_are_counted():
    table = table_of([outcome("a code was spent twice", "a code was spent twice", "else")])

    assert "lost: 3" in table
    assert "LOST 2 times: a code was spent twice" in table


def test_what_could_not_be_tried_is_said():
    left_out = replace(outcome(), left_out=["full disk: no file system may be mounted here"])

    assert "LEFT OUT: full disk: no file system" in table_of([left_out])


@pytest.mark.parametrize(("losses", "status"), [((), 0), (("something",), 1)])
def test_a_loss_fails_the_command(losses, status, monkeypatch, capsys):
    monkeypatch.setitem(PARTS, "kills", lambda _extent: outcome(*losses))

    assert command.main(["kills"]) == status
    assert "kills: quick setting" in capsys.readouterr().out


def test_a_part_that_breaks_off_is_a_loss_and_the_others_go_on(monkeypatch, capsys):
    def broken(_extent):
        raise OSError("no server")

    monkeypatch.setitem(PARTS, "kills", broken)
    monkeypatch.setitem(PARTS, "wire", lambda _extent: outcome())

    assert command.main(["kills", "wire"]) == 1
    printed = capsys.readouterr().out
    assert "LOST 1 times: it could not go on: OSError: no server" in printed
    assert "wire: quick setting" in printed


@pytest.mark.parametrize("extent", ["brief", "long"])
def test_another_setting_is_asked_for_by_name(extent, monkeypatch):
    extents = []
    monkeypatch.setitem(PARTS, "kills", lambda extent: extents.append(extent) or outcome())

    command.main([f"--{extent}", "kills"])

    assert extents == [extent]


def test_an_unknown_part_is_named(capsys):
    with pytest.raises(SystemExit):
        command.main(["floods"])

    assert "there is no part floods; there are: " in capsys.readouterr().err
