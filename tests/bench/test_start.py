import pytest

from tools.bench import start
from tools.bench.service.checkouts import here
from tools.bench.start import Starts, measured, text_of


def test_the_ratios_are_those_of_the_medians():
    starts = Starts([0.5, 9.0, 0.5], [1.0, 1.0, 9.0], local=[0.6, 0.1, 0.9], resets=[0.01, 0.09])

    assert starts.ratio == pytest.approx(0.4)
    assert starts.ratio_to_pserve == pytest.approx(0.6)
    text = text_of(starts)
    assert "0.40 of migrate and pserve together; the limit is 0.5" in text
    assert "50.0 ms for a reset, 90.0 at most; the median's limit is 0.05 s" in text


@pytest.mark.parametrize(
    ("local", "reset", "status"), [(0.75, 0.05, 0), (0.76, 0.05, 1), (0.75, 0.06, 1)]
)
def test_more_than_half_of_what_two_commands_took_fails_and_a_slow_reset(
    monkeypatch, capsys, local, reset, status
):
    monkeypatch.setattr(start, "check_out", lambda *_: here())
    monkeypatch.setattr(start, "measured", lambda *_: Starts([0.5], [1.0], [local], [reset]))

    assert start.main([]) == status
    assert "authservice local" in capsys.readouterr().out


def test_it_measures_commands_until_they_answer():
    starts = measured(here(), 1)

    for seconds in (*starts.migrate, *starts.pserve, *starts.local):
        assert seconds > 0.01
    assert all(0 < seconds < 20 for seconds in starts.resets)
