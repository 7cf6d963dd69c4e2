"""Waiting for the identity provider: who has a place, who is next, and who is sent away."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from authservice.web.request.sign_in_places import SignInPlaces, TooManySignInsError

FOREVER = 60.0


class Room:
    """Places, and people who keep theirs until they are told to leave."""

    def __init__(self, number, *, threads=None, patience=FOREVER):
        self.places = SignInPlaces(number, patience=patience)
        if threads is not None:
            self.places.fit(threads)
        self.order = []
        self._pool = ThreadPoolExecutor(16)

    def hold(self, *senders):
        """Take a place and return what leaves it."""
        held = ExitStack()
        held.enter_context(self.places.place(*senders))
        return held

    def stand_in_line(self, address, *site):
        """Let a sign-in wait for a place in a thread of their own; return what comes of it."""
        before = self.line().count(address)
        waiting = self._pool.submit(self._wait, address, *site)
        while self.line().count(address) == before and not waiting.done():
            pass
        return waiting

    def line(self):
        return [each.senders[0] for each in tuple(self.places._line)]

    def _wait(self, address, *site):
        with self.places.place(address, *site):
            self.order.append(address)

    def close(self):
        self._pool.shutdown()


@pytest.fixture
def make_room():
    made = []

    def make(number, **options):
        made.append(Room(number, **options))
        return made[-1]

    yield make
    for room in made:
        room.close()


def test_one_address_may_have_all_places_while_nobody_else_is_there(make_room):
    room = make_room(4)

    held = [room.hold("a") for _ in range(4)]

    for each in held:
        each.close()


@pytest.mark.attack("BROWSER-places")
def test_who_was_served_last_stands_behind_who_was_not(make_room):
    room = make_room(4)
    held = [room.hold("a") for _ in range(4)]
    greedy = room.stand_in_line("a")
    newcomer = room.stand_in_line("b")

    held.pop().close()
    newcomer.result()
    greedy.result()

    assert room.order == ["b", "a"]
    for each in held:
        each.close()


@pytest.mark.attack("BROWSER-places")
@pytest.mark.parametrize(
    "greedy",
    [
        [(f"address {number}",) for number in range(8)],
        [(f"network {number}", "site") for number in range(8)],
        [(f"network {number}", f"site {number % 2}") for number in range(8)],
    ],
    ids=["addresses", "networks of a site", "networks of two sites"],
)
def test_eight_that_ask_all_the_time_keep_nobody_else_out(make_room, greedy):
    room = make_room(4)
    for each in greedy:
        room.hold(*each).close()
    turns = itertools.cycle(greedy)
    held = [room.hold(*next(turns)) for _ in range(4)]
    for number in range(20):
        # They stand in line before the newcomer, as long as it lets them.
        waiting = [room.stand_in_line(*next(turns)) for _ in range(3)]
        newcomer = room.stand_in_line(f"newcomer {number}")
        for each in held:
            each.close()
        newcomer.result()
        for each in waiting:
            each.exception()
        held = [room.hold(*next(turns)) for _ in range(4)]

    for each in held:
        each.close()


@pytest.mark.attack("BROWSER-places")
def test_who_comes_from_ever_new_networks_of_a_site_keeps_nobody_else_out(make_room):
    room = make_room(4)
    held = [room.hold(f"network {number}", "site") for number in range(4)]
    greedy = [room.stand_in_line(f"another {number}", "site") for number in range(3)]

    newcomer = room.stand_in_line("b")
    held.pop().close()
    newcomer.result()
    for each in greedy:
        each.exception()

    assert room.order[0] == "b"
    for each in held:
        each.close()


def test_within_a_site_the_networks_take_turns(make_room):
    room = make_room(4)
    held = [room.hold("a", "site") for _ in range(4)]
    greedy = room.stand_in_line("a", "site")
    neighbour = room.stand_in_line("b", "site")

    held.pop().close()
    neighbour.result()
    greedy.result()

    assert room.order == ["b", "a"]
    for each in held:
        each.close()


def test_the_last_of_whom_the_next_places_go_round_to_leaves_a_line_that_is_too_long(make_room):
    room = make_room(4)
    held = [room.hold("a") for _ in range(4)]
    first, second = room.stand_in_line("b"), room.stand_in_line("b")

    newcomer = room.stand_in_line("c")

    with pytest.raises(TooManySignInsError):
        second.result()
    with pytest.raises(TooManySignInsError):
        room.stand_in_line("a").result()
    assert not first.done()
    assert not newcomer.done()
    for each in held:
        each.close()
    assert newcomer.result() is first.result() is None


def test_what_is_known_of_who_was_served_stays_small(make_room):
    room = make_room(1)

    for number in range(2000):
        room.hold(f"address {number}").close()

    assert len(room.places._served) == 1000


def test_who_has_waited_long_enough_is_sent_away_and_the_place_is_not_lost(make_room):
    room = make_room(1, patience=0.0)
    held = room.hold("a")

    with pytest.raises(TooManySignInsError):
        room.hold("b")

    assert room.line() == []
    held.close()
    room.hold("b").close()


def test_a_place_is_given_back_when_the_provider_fails(make_room):
    room = make_room(1, patience=0.0)

    with pytest.raises(ValueError, match="failed"), room.places.place("a"):
        raise ValueError("failed")

    room.hold("b").close()


@pytest.mark.attack("BROWSER-flood")
def test_a_quarter_of_the_threads_waits_and_another_is_left(subtests, make_room):
    for threads, wanted, places, line in (
        (8, 4, 4, 2),
        (8, 8, 4, 2),
        (8, 2, 2, 2),
        (16, 4, 4, 4),
        (16, 256, 8, 4),
        (5, 4, 3, 1),
        (4, 4, 2, 1),
        (3, 4, 2, 0),
        (2, 4, 1, 0),
        (1, 4, 1, 0),
    ):
        with subtests.test(threads=threads, wanted=wanted, places=places, line=line):
            room = make_room(wanted, threads=threads)
            held = [room.hold(f"held {number}") for number in range(places)]
            waiting = [room.stand_in_line(f"waiting {number}") for number in range(line)]

            refused = room.stand_in_line("one more")

            with pytest.raises(TooManySignInsError):
                refused.result()
            assert len(room.line()) == line
            assert threads == 1 or len(held) + len(waiting) < threads
            for each in held:
                each.close()
            assert [each.result() for each in waiting] == [None] * line


def test_the_log_says_that_there_are_fewer_places_than_the_setting_wants(make_room, caplog):
    make_room(4, threads=8)
    assert caplog.messages == []

    make_room(12, threads=8)

    assert caplog.messages == [
        "provider.concurrent_sign_ins is 12, but a server with threads = 8 leaves 4"
    ]
