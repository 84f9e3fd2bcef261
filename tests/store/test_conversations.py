"""What was said in a session is kept in order; sessions are listed, renamed and deleted, each person's own alone."""

from dataclasses import replace
from datetime import timedelta

import pytest

from steadyhand.core.errors import DecisionRefused
from steadyhand.core.ids import ChangeId, SessionId
from steadyhand.store.changes import changes
from steadyhand.store.changes.changes import Display
from steadyhand.store.people import people
from steadyhand.store.people.tables import sessions
from steadyhand.store.sessions import conversations, inbox, outbox, remembered, turns
from steadyhand.store.sessions.conversations import Said
from store.ground import DESK, ME, OTHER, a_turn, change_row, claim
from store.racing import race

ROOF = SessionId("roof")


@pytest.fixture
def desk(store):
    for user in (ME, OTHER):
        store.write_now(lambda tx, user=user: people.ensure_session(tx, user, DESK, "cli"))
    return store


def add(store, *entries, user=ME, session=DESK):
    store.write_now(lambda tx: conversations.add(tx, user, session, entries))


def said(entry, **more):
    return Said(entry, "user", entry, "person", **more)


def history(store, user=ME, session=DESK, **more):
    return store.read_now(lambda tx: conversations.history(tx, user, session, **more))


def ids(entries):
    return [entry.id for entry in entries]


def listed(store, user=ME):
    return store.read_now(lambda tx: conversations.sessions_of(tx, user))


# --- the history ------------------------------------------------------------------------------------------------------


def test_an_entry_is_read_as_it_was_said_with_its_place_and_moment(desk, clock):
    entry = Said(
        "a", "assistant", "看一下", "call", "t", [{"id": "c", "name": "look", "arguments": "{}"}], None, {"reasoning": "r"}, "m1"
    )
    result = Said("b", "tool", "没有", "result", "t", [], "c", {"rows": [1, None]})
    add(desk, entry, result)
    now = desk.read_now(lambda tx: tx.now())
    assert history(desk) == [replace(entry, seq=1, at=now), replace(result, seq=2, at=now)]


def test_entries_stand_in_the_order_in_which_they_were_added_whatever_their_moments(desk, clock):
    add(desk, said("a"), said("b"))
    clock.advance(timedelta(hours=-1))
    add(desk, said("c"))
    add(desk)
    assert ids(history(desk)) == ["a", "b", "c"]
    assert ids(history(desk, limit=2)) == ["b", "c"]
    assert ids(history(desk, limit=0)) == []


def test_nothing_from_before_a_moment_is_read_when_it_is_named(desk, clock):
    add(desk, said("a"))
    clock.advance(timedelta(hours=1))
    now = desk.read_now(lambda tx: tx.now())
    add(desk, said("b"), said("c", at="2026-01-01T00:00:00.000000Z"))
    assert ids(history(desk, since=now)) == ["b"]


def test_nothing_is_said_in_a_session_that_is_not_there(store):
    with pytest.raises(DecisionRefused, match="session_unknown"):
        add(store, said("a"))
    assert history(store) == []


def test_inbound_said_and_owed_share_one_order(desk):
    def work(tx):
        first, _ = inbox.accept(tx, ME, DESK, "person", "x")
        conversations.add(tx, ME, DESK, [said("a"), said("b")])
        owed = outbox.owe(tx, ME, DESK, "t", "x", source="reply")
        return [first.seq, *(entry.seq for entry in conversations.history(tx, ME, DESK)), owed.seq]

    assert desk.write_now(work) == [1, 2, 3, 4]


def test_an_entry_is_found_by_what_the_channel_calls_it(desk):
    add(desk, said("a"), said("b", channel_message_id="77"))
    desk.write_now(lambda tx: conversations.name_on_channel(tx, ME, "a", "76"))

    def found(name, user=ME):
        entry = desk.read_now(lambda tx: conversations.by_channel_id(tx, user, DESK, name))
        return None if entry is None else entry.id

    assert [found("76"), found("77"), found("78"), found("76", OTHER)] == ["a", "b", None, None]


def test_an_entry_is_found_by_its_own_id_in_its_own_session_alone(desk):
    add(desk, said("a"))

    def found(user=ME, session=DESK, entry="a"):
        return desk.read_now(lambda tx: conversations.find(tx, user, session, entry))

    assert found() == history(desk)[0]
    assert [found(OTHER), found(session=ROOF), found(entry="b")] == [None, None, None]


def test_the_oldest_are_forgotten_first_and_no_more_than_asked(desk, clock):
    add(desk, *(said(name) for name in "abc"))
    add(desk, said("d"), user=OTHER)
    clock.advance(timedelta(seconds=1))
    now = desk.read_now(lambda tx: tx.now())
    add(desk, said("e"))
    assert desk.read_now(lambda tx: conversations.with_history_before(tx, now)) == [(ME, DESK), (OTHER, DESK)]

    def forget():
        return desk.write_now(lambda tx: conversations.forget_before(tx, ME, DESK, now, 2))

    assert forget() == 2
    assert ids(history(desk)) == ["c", "e"]
    assert [forget(), forget()] == [1, 0]
    assert (ids(history(desk)), ids(history(desk, OTHER))) == (["e"], ["d"])
    assert desk.read_now(lambda tx: conversations.with_history_before(tx, now)) == [(OTHER, DESK)]


def test_numbers_go_on_after_everything_was_forgotten(desk):
    add(desk, said("a"))
    desk.write_now(lambda tx: conversations.forget_before(tx, ME, DESK, "9999", 9))
    add(desk, said("b"))
    assert [entry.seq for entry in history(desk)] == [2]


def test_processes_that_speak_at_once_have_each_number_once_and_keep_what_belongs_together(desk, database_url, tmp_path):
    race(database_url, tmp_path / "race", "take_numbers", 25)
    entries = history(desk)
    owed = desk.read_now(lambda tx: outbox.unsent(tx, ME, DESK))
    assert sorted([*(entry.seq for entry in entries), *(row.seq for row in owed)]) == list(range(1, 3 * 3 * 25 + 1))
    for first, second in zip(entries[::2], entries[1::2], strict=True):
        assert (first.id.removesuffix("-0"), first.seq + 1) == (second.id.removesuffix("-1"), second.seq)


# --- sessions ---------------------------------------------------------------------------------------------------------


def test_sessions_are_listed_with_what_was_said_in_them_the_last_used_first(desk, clock):
    desk.write_now(lambda tx: people.ensure_session(tx, ME, ROOF, "onebot"))
    add(desk, said("x"), said("y"), user=OTHER)
    clock.advance(timedelta(hours=1))
    add(desk, said("a"), said("b"), said("c"))
    rows = listed(desk)
    assert [(row.id, row.channel, row.name, row.said) for row in rows] == [(DESK, "cli", "", 3), (ROOF, "onebot", "", 0)]
    assert rows[0].updated_at > rows[0].created_at == rows[1].updated_at
    assert [(row.id, row.said) for row in listed(desk, OTHER)] == [(DESK, 2)]
    clock.advance(timedelta(hours=1))
    add(desk, said("d"), session=ROOF)
    assert [row.id for row in listed(desk)] == [ROOF, DESK]


def test_a_session_of_the_first_version_was_last_used_when_it_was_made(desk, clock):
    clock.advance(timedelta(hours=1))
    desk.write_now(lambda tx: people.ensure_session(tx, ME, ROOF, "cli"))
    desk.write_now(lambda tx: tx.execute(sessions.update().values(updated_at="")))
    assert [(row.id, row.updated_at) for row in listed(desk)] == [(row.id, row.created_at) for row in listed(desk)]
    assert [row.id for row in listed(desk)] == [ROOF, DESK]


def test_one_session_is_found_by_its_person(desk):
    add(desk, said("a"))
    found = desk.read_now(lambda tx: conversations.find_session(tx, ME, DESK))
    assert [found] == listed(desk)
    assert desk.read_now(lambda tx: conversations.find_session(tx, ME, ROOF)) is None
    assert desk.read_now(lambda tx: conversations.find_session(tx, OTHER, DESK)).said == 0


def test_a_session_is_renamed_for_its_person_alone(desk):
    def change(session, **columns):
        return desk.write_now(lambda tx: conversations.change_session(tx, ME, session, **columns))

    assert change(DESK, name="期末复习", address={"chat": 7})
    assert not change(ROOF, name="x")
    assert [(row.name, row.address) for row in listed(desk)] == [("期末复习", {"chat": 7})]
    assert [(row.name, row.address) for row in listed(desk, OTHER)] == [("", None)]


def test_a_deleted_session_takes_its_conversation_with_it_and_leaves_changes_and_other_peoples(desk):
    def furnish(tx, user):
        conversations.add(tx, user, DESK, [replace(said("a"), id=f"said of {user}")])
        inbox.accept(tx, user, DESK, "person", "x")
        turns.insert_turn(tx, a_turn(f"turn of {user}", user))
        turns.take_lane(tx, user, DESK, claim("t"), None)
        outbox.owe(tx, user, DESK, "t", "x", source="reply")
        remembered.put(tx, user, DESK, "key", 1, None)
        remembered.prefer(tx, user, "key", "value")
        changes.insert_change(tx, change_row(user))
        changes.show(tx, user, DESK, Display(ChangeId(f"change_{user}_1"), "seal", "0", 1, "t"))

    def left(tx, user):
        return (
            len(conversations.history(tx, user, DESK)),
            len(inbox.waiting(tx, user, DESK)),
            len(turns.running(tx, user, DESK)),
            turns.lane(tx, user, DESK) is not None,
            len(outbox.unsent(tx, user, DESK)),
            len(remembered.held(tx, user, DESK)),
            changes.shown(tx, user, DESK, ChangeId(f"change_{user}_1")) is not None,
            len(remembered.preferred(tx, user)),
            len(changes.of_user(tx, user)),
        )

    for user in (ME, OTHER):
        desk.write_now(lambda tx, user=user: furnish(tx, user))
    assert desk.write_now(lambda tx: conversations.delete_session(tx, ME, DESK))
    assert not desk.write_now(lambda tx: conversations.delete_session(tx, ME, DESK))
    assert listed(desk) == []
    assert desk.read_now(lambda tx: left(tx, ME)) == (0, 0, 0, False, 0, 0, False, 1, 1)
    assert desk.read_now(lambda tx: left(tx, OTHER)) == (1, 1, 1, True, 1, 1, True, 1, 1)


def test_several_numbers_are_taken_at_once(desk):
    def work(tx):
        return [people.take_seq(tx, ME, DESK, count) for count in (1, 5, 1)] + [people.take_seq(tx, OTHER, DESK)]

    assert desk.write_now(work) == [1, 2, 7, 1]
