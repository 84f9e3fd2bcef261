"""What comes in is stored once and in order, is taken up by one turn, and is settled with it."""

from datetime import timedelta

import pytest

from steadyhand.core.errors import DecisionRefused
from steadyhand.core.ids import SessionId
from steadyhand.store.people import people
from steadyhand.store.sessions import inbox
from store.ground import DESK, ME, OTHER
from store.racing import race

ROOF = SessionId("roof")


@pytest.fixture
def desk(store):
    def work(tx):
        for user in (ME, OTHER):
            for session in (DESK, ROOF):
                people.ensure_session(tx, user, session, "cli")

    store.write_now(work)
    return store


def accept(store, text, origin=None, user=ME, session=DESK, source="person"):
    return store.write_now(lambda tx: inbox.accept(tx, user, session, source, {"text": text}, origin))


def texts(rows):
    return [row.body["text"] for row in rows]


def waiting(store, source=None, user=ME, session=DESK):
    return store.read_now(lambda tx: inbox.waiting(tx, user, session, source))


def start(store, rows, turn, user=ME):
    store.write_now(lambda tx: inbox.start(tx, user, [row.id for row in rows], turn))


def settle(store, turn, user=ME):
    store.write_now(lambda tx: inbox.settle(tx, user, turn))


def of_turn(store, turn):
    return store.read_now(lambda tx: inbox.of_turn(tx, ME, turn))


def test_what_was_accepted_waits_in_order_as_it_came(desk):
    for text in ("a", "二", "c"):
        accept(desk, text)
    accept(desk, "a timer", source="wake")
    assert texts(waiting(desk)) == ["a", "二", "c", "a timer"]
    assert texts(waiting(desk, "wake")) == ["a timer"]
    assert [row.seq for row in waiting(desk)] == [1, 2, 3, 4]


def test_the_same_origin_is_accepted_once_whatever_became_of_it(desk):
    first, new = accept(desk, "a", "m1")
    assert new
    start(desk, [first], "turn")
    settle(desk, "turn")
    again, new = accept(desk, "a, again", "m1")
    assert (again.id, again.body, again.state, again.turn_id, new) == (first.id, {"text": "a"}, "settled", "turn", False)
    assert accept(desk, "next")[0].seq == 2


def test_an_origin_means_something_in_its_own_session_alone(desk):
    ids = {accept(desk, "a", "m1", user, session)[0].id for user in (ME, OTHER) for session in (DESK, ROOF)}
    assert len(ids) == 4


def test_without_an_origin_nothing_is_the_same(desk):
    assert accept(desk, "a")[1]
    assert accept(desk, "a")[1]
    assert len(waiting(desk)) == 2


def test_nothing_is_accepted_for_a_session_that_is_not_there(store):
    for origin in (None, "m1"):
        with pytest.raises(DecisionRefused, match="session_unknown"):
            accept(store, "a", origin)
    assert waiting(store) == []


def test_what_a_turn_has_taken_up_waits_no_longer_and_is_its_own(desk):
    rows = [accept(desk, text)[0] for text in "abc"]
    start(desk, rows[:2], "turn")
    start(desk, rows, "later")
    assert texts(of_turn(desk, "turn")) == ["a", "b"]
    assert texts(of_turn(desk, "later")) == ["c"]
    assert waiting(desk) == []


def test_only_what_was_started_is_settled(desk):
    rows = [accept(desk, text)[0] for text in "ab"]
    start(desk, rows[:1], "turn")
    settle(desk, "turn")
    assert [row.state for row in of_turn(desk, "turn")] == ["settled"]
    assert texts(waiting(desk)) == ["b"]


def test_a_successor_takes_over_what_was_not_settled(desk):
    rows = [accept(desk, text)[0] for text in "abc"]
    start(desk, rows[:1], "turn")
    settle(desk, "turn")
    start(desk, rows[1:2], "turn")
    desk.write_now(lambda tx: inbox.hand_over(tx, ME, "turn", "next"))
    assert [(texts(of_turn(desk, turn)), turn) for turn in ("turn", "next")] == [(["a"], "turn"), (["b"], "next")]
    settle(desk, "next")
    assert [row.state for row in of_turn(desk, "next")] == ["settled"]


def test_one_is_found_by_its_id_by_its_person(desk):
    row, _ = accept(desk, "a")
    assert desk.read_now(lambda tx: inbox.find(tx, ME, row.id)) == row
    assert desk.read_now(lambda tx: inbox.find(tx, OTHER, row.id)) is None


def test_the_sessions_that_wait_are_told_once_each_the_longest_first(desk, clock):
    def sessions(limit=200):
        return desk.read_now(lambda tx: inbox.sessions_waiting(tx, limit))

    assert sessions() == []
    for number in range(5):  # one busy session hides none of the others
        accept(desk, str(number), session=ROOF)
        clock.advance(timedelta(seconds=1))
    accept(desk, "x", user=OTHER)
    clock.advance(timedelta(seconds=1))
    taken, _ = accept(desk, "y")
    assert sessions() == [(ME, ROOF), (OTHER, DESK), (ME, DESK)]
    assert sessions(2) == [(ME, ROOF), (OTHER, DESK)]
    start(desk, [taken], "turn")
    assert sessions() == [(ME, ROOF), (OTHER, DESK)]


def test_only_what_was_settled_long_ago_is_forgotten_and_no_more_than_asked(desk, clock):
    rows = [accept(desk, text)[0] for text in "abcd"]
    start(desk, rows[:3], "turn")
    settle(desk, "turn")
    clock.advance(timedelta(days=1))
    start(desk, rows[3:], "new")
    settle(desk, "new")
    edge = of_turn(desk, "turn")[0].accepted_at

    def forget(before, limit=9):
        return desk.write_now(lambda tx: inbox.forget_settled(tx, before, limit))

    assert forget(edge) == 0
    clock.advance(timedelta(seconds=-1))
    now = desk.read_now(lambda tx: tx.now())
    assert [forget(now, 2), forget(now, 2), forget(now, 2)] == [2, 1, 0]
    assert texts(of_turn(desk, "new")) == ["d"]


def test_processes_that_accept_the_same_store_it_once_and_none_is_refused(desk, database_url, tmp_path):
    race(database_url, tmp_path / "race", "accept_the_same", 20)
    for number in range(20):
        session = SessionId(f"desk {number}")
        assert len(waiting(desk, session=session)) == 1
