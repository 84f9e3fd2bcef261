"""What a session holds goes with its time, what a person prefers stays; writing again replaces, and each sees their own alone."""

from datetime import timedelta

import pytest

from steadyhand.core.clock import to_text
from steadyhand.core.ids import SessionId
from steadyhand.store.sessions import remembered
from store.ground import DESK, ME, OTHER
from store.racing import race


def put(store, key, value, expires_at=None, user=ME, session=DESK):
    store.write_now(lambda tx: remembered.put(tx, user, session, key, value, expires_at))


def held(store, user=ME, session=DESK):
    return dict(store.read_now(lambda tx: remembered.held(tx, user, session)))


def prefer(store, key, value, user=ME):
    store.write_now(lambda tx: remembered.prefer(tx, user, key, value))


def preferred(store, user=ME):
    return dict(store.read_now(lambda tx: remembered.preferred(tx, user)))


@pytest.mark.parametrize("value", [None, False, 0, "词", [1, {"a": None}], {"rows": []}])
def test_any_value_is_held_as_it_is(store, value):
    put(store, "key", value)
    assert held(store) == {"key": value}


def test_putting_again_replaces_value_and_time(store, clock):
    put(store, "key", 1, to_text(clock.now() + timedelta(hours=1)))
    put(store, "key", 2)
    clock.advance(timedelta(hours=2))
    assert held(store) == {"key": 2}
    put(store, "key", 3, to_text(clock.now() + timedelta(hours=1)))
    clock.advance(timedelta(hours=1))
    assert held(store) == {}


def test_what_is_past_its_time_is_not_held_and_is_removed_bit_by_bit(store, clock):
    soon = to_text(clock.now() + timedelta(hours=1))
    for user in (ME, OTHER):
        for key in ("a", "b"):
            put(store, key, key, soon, user)
    put(store, "a", "other session", soon, session=SessionId("roof"))
    put(store, "c", "c")

    def forget(limit):
        return store.write_now(lambda tx: remembered.forget_expired(tx, limit))

    assert forget(9) == 0
    clock.advance(timedelta(hours=1))
    assert (held(store), held(store, OTHER)) == ({"c": "c"}, {})
    assert [forget(3), forget(3), forget(3)] == [3, 2, 0]
    assert held(store) == {"c": "c"}


def test_what_is_dropped_is_dropped_in_that_session_alone(store):
    for user, session in ((ME, DESK), (ME, SessionId("roof")), (OTHER, DESK)):
        put(store, "key", f"{user} {session}", user=user, session=session)
    store.write_now(lambda tx: remembered.drop(tx, ME, DESK, "key"))
    assert (held(store), held(store, ME, SessionId("roof")), held(store, OTHER)) == (
        {},
        {"key": "mine roof"},
        {"key": "theirs desk"},
    )


def test_preferences_are_told_in_the_order_of_their_keys_and_replaced_and_forgotten(store):
    for key in ("b", "a", "词"):
        prefer(store, key, f"first {key}")
    prefer(store, "a", "second a")
    prefer(store, "b", None)
    prefer(store, "never there", None)
    prefer(store, "a", "theirs", OTHER)
    assert list(preferred(store).items()) == [("a", "second a"), ("词", "first 词")]
    assert preferred(store, OTHER) == {"a": "theirs"}


def test_processes_that_write_the_same_keys_are_never_refused(store, database_url, tmp_path):
    race(database_url, tmp_path / "race", "accept_the_same", 20)
    assert len(preferred(store)) == 20
    assert all(len(held(store, session=SessionId(f"desk {number}"))) == 1 for number in range(20))
