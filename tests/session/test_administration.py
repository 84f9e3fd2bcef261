"""A person finds, names and deletes their sessions; a name that fits several is no choice; deleting withdraws first and spares the record."""

import asyncio
from datetime import timedelta

import pytest

from steadyhand.core import owners
from steadyhand.core.clock import to_text
from steadyhand.core.errors import DecisionRefused, ToolRefusal
from steadyhand.core.explain import explain
from steadyhand.core.ids import SessionId
from steadyhand.core.language import LANGUAGES
from steadyhand.core.owners import Claim
from steadyhand.memory.preferences import Preferences
from steadyhand.memory.tiers import Tiers
from steadyhand.memory.working import Working
from steadyhand.session.administration import Administration, pick
from steadyhand.session.lane import Lanes
from steadyhand.store.people import people
from steadyhand.store.sessions import conversations, inbox, outbox, turns
from steadyhand.store.sessions.conversations import Said
from trial_domains.stand import DESK, ME, OTHER, me, note

ROOF, SHED = SessionId("roof"), SessionId("shed")


@pytest.fixture
def sessions(stand):
    return Administration(stand.store, stand.controller, Lanes(stand.store, 30.0))


def use(stand, session=DESK, user=ME, *texts, name=""):
    def work(tx):
        people.ensure_session(tx, user, session, "terminal")
        conversations.add(tx, user, session, [Said(f"{user} {session} {text}", "user", text, "person") for text in texts])
        if name:
            conversations.change_session(tx, user, session, name=name)

    stand.store.write_now(work)
    stand.clock.advance(timedelta(minutes=1))


def listed(sessions, user=ME):
    return [row.id for row in asyncio.run(sessions.list(user))]


def meant(sessions, wanted, user=ME):
    return asyncio.run(sessions.resume(user, wanted)).id


def refused(work, code):
    with pytest.raises((ToolRefusal, DecisionRefused)) as caught:
        asyncio.run(work)
    assert caught.value.code == code
    assert [explain(caught.value, language).code for language in LANGUAGES] == [code, code]
    return caught.value


# --- finding ----------------------------------------------------------------------------------------------------------


def test_a_session_is_meant_by_id_name_or_number_of_the_list(stand, sessions):
    use(stand, DESK, ME, "a", name="期末 复习")
    use(stand, ROOF, ME, "b", name="Trip")
    assert listed(sessions) == [ROOF, DESK]
    assert [meant(sessions, wanted) for wanted in ("desk", "期末  复习", " trip ", "1", "2")] == [DESK, DESK, ROOF, ROOF, DESK]


def test_an_id_comes_before_a_name_and_a_name_before_a_number(stand, sessions):
    use(stand, SessionId("1"), ME, "a")
    use(stand, DESK, ME, "b", name="2")
    use(stand, ROOF, ME, "c", name="desk")
    assert listed(sessions) == [ROOF, DESK, "1"]
    assert [meant(sessions, wanted) for wanted in ("1", "2", "desk", "3")] == ["1", DESK, DESK, "1"]


def test_a_name_that_several_have_is_refused_and_they_are_named(stand, sessions):
    for session in (DESK, ROOF):
        use(stand, session, ME, "a", name="Trip")
    error = refused(sessions.resume(ME, "trip"), "session_ambiguous")
    assert error.params == {"name": "Trip", "count": 2, "ids": "roof, desk"}


@pytest.mark.parametrize("wanted", ["", "0", "2", "-1", "²", "nowhere", "DESK ", "1.0", "9" * 30])
def test_what_means_no_session_is_refused(stand, sessions, wanted):
    use(stand, DESK, ME, "a")
    refused(sessions.resume(ME, wanted), "session_not_found")


def test_an_empty_name_is_no_name():
    with pytest.raises(ToolRefusal, match="session_not_found"):
        pick([], "")


def test_another_persons_sessions_are_neither_listed_nor_meant(stand, sessions):
    use(stand, ROOF, OTHER, "a", name="Trip")
    use(stand, DESK, ME, "b")
    assert listed(sessions) == [DESK]
    for wanted in ("roof", "Trip", "2"):
        refused(sessions.resume(ME, wanted), "session_not_found")


# --- naming -----------------------------------------------------------------------------------------------------------


def test_a_session_is_named_on_one_line(stand, sessions):
    use(stand, DESK, ME, "a")
    use(stand, DESK, OTHER, "a")
    row = asyncio.run(sessions.rename(ME, "desk", "  期末\n 复习 "))
    assert (row.id, row.name) == (DESK, "期末 复习")
    assert [row.name for row in asyncio.run(sessions.list(OTHER))] == [""]


@pytest.mark.parametrize("name", ["", " \n", "x" * 61, "a\x1b[2J", "a\u202eb"])
def test_a_name_that_cannot_be_used_leaves_the_old_one(stand, sessions, name):
    use(stand, DESK, ME, "a", name="old")
    refused(sessions.rename(ME, "desk", name), "session_name_unusable")
    assert asyncio.run(sessions.resume(ME, "desk")).name == "old"


# --- deleting ---------------------------------------------------------------------------------------------------------


def furnish(stand):
    """A session with history, something waiting, something owed, something held; a sealed, a verified and a denied change."""
    done = asyncio.run(stand.approve(asyncio.run(stand.open(note("monday"), domain="notebook"))))
    denied = asyncio.run(stand.sealed("roofing"))
    asyncio.run(stand.controller.deny(me(), denied.number))
    sealed = asyncio.run(stand.sealed())
    use(stand, DESK, ME, "a", "b", "c")
    use(stand, DESK, OTHER, "theirs")

    def work(tx):
        inbox.accept(tx, ME, DESK, "person", {"text": "x"})
        outbox.owe(tx, ME, DESK, "t", "x", source="reply")

    stand.store.write_now(work)
    asyncio.run(Working(stand.store, Tiers()).hold(ME, DESK, "list", 1))
    asyncio.run(Preferences(stand.store).prefer(ME, "evenings", "free"))
    return done, denied, sealed


def test_what_a_deletion_would_take_is_told_and_nothing_is_changed(stand, sessions):
    _, _, sealed = furnish(stand)
    about = asyncio.run(sessions.deletion(ME, "1"))
    assert (about.row.id, about.row.said, about.waits, about.owed, about.kept) == (DESK, 3, 1, 1, 3)
    assert [row.number for row in about.withdrawn] == [sealed.number]
    assert stand.row(sealed.number).state == "sealed"
    assert asyncio.run(sessions.deletion(ME, "1")) == about


def test_a_deleted_session_is_gone_its_open_change_is_withdrawn_and_the_records_stay(stand, sessions):
    done, denied, sealed = furnish(stand)
    about = asyncio.run(sessions.delete(me(words="delete desk"), DESK))
    assert about.row.said == 3
    assert listed(sessions) == []
    states = [stand.row(row.number).state for row in (done, denied, sealed)]
    assert states == ["verified", "rejected", "withdrawn"]
    assert all(stand.chain_holds(row.number) for row in (done, denied, sealed))
    (decision,) = stand.decisions(sealed.number)
    assert (decision.kind, decision.words) == ("withdraw", "delete desk")
    assert stand.store.read_now(lambda tx: turns.lane(tx, ME, DESK)) is None
    assert asyncio.run(Preferences(stand.store).all(ME)) == {"evenings": "free"}


def test_deleting_touches_nothing_of_another_persons_session_of_the_same_name(stand, sessions):
    furnish(stand)
    theirs = asyncio.run(stand.sealed(user=OTHER))
    asyncio.run(sessions.delete(me(), DESK))
    assert [(row.id, row.said) for row in asyncio.run(sessions.list(OTHER))] == [(DESK, 1)]
    assert stand.row(theirs.number, OTHER).state == "sealed"


def test_changes_of_another_session_are_not_withdrawn(stand, sessions):
    use(stand, DESK, ME, "a")
    elsewhere = asyncio.run(stand.sealed(session=ROOF))
    asyncio.run(sessions.delete(me(), DESK))
    assert stand.row(elsewhere.number).state == "sealed"


@pytest.mark.parametrize("state", ["approved", "submitting", "executed", "unknown"])
def test_what_is_on_its_way_is_never_broken_off(stand, sessions, state):
    use(stand, DESK, ME, "a")
    row = asyncio.run(stand.sealed())
    stand.set(row.number, state=state, approved_at=row.updated_at, **stand.controller.ledger.ownership())
    asyncio.run(sessions.delete(me(), DESK))
    expected = "withdrawn" if state == "approved" else state
    assert stand.row(row.number).state == expected


def test_a_change_that_nobody_answered_in_time_has_expired_and_is_not_withdrawn(stand, sessions):
    use(stand, DESK, ME, "a")
    row = asyncio.run(stand.sealed())
    stand.clock.advance(timedelta(hours=72))
    assert asyncio.run(sessions.delete(me(), DESK)).withdrawn == []
    assert (stand.row(row.number).state, listed(sessions)) == ("expired", [])


def test_while_a_turn_runs_nothing_is_deleted(stand, sessions):
    _, _, sealed = furnish(stand)

    async def scene():
        async with Lanes(stand.store, 30.0).hold(ME, DESK) as held:
            assert held is not None
            with pytest.raises(DecisionRefused, match="session_busy") as caught:
                await sessions.delete(me(), DESK)
        return caught.value

    error = asyncio.run(scene())
    assert [explain(error, language).code for language in LANGUAGES] == ["session_busy"] * 2
    assert (listed(sessions), stand.row(sealed.number).state) == ([DESK], "sealed")
    asyncio.run(sessions.delete(me(), DESK))
    assert listed(sessions) == []


def test_the_lane_of_a_process_that_is_gone_stands_in_nobodys_way(stand, sessions):
    use(stand, DESK, ME, "a")
    gone = Claim({**owners.myself(), "started": 1}, "gone", to_text(stand.clock.now() + timedelta(hours=1)))
    stand.store.write_now(lambda tx: turns.take_lane(tx, ME, DESK, gone, None))
    asyncio.run(sessions.delete(me(), DESK))
    assert listed(sessions) == []


def test_a_session_that_is_not_there_is_not_deleted(stand, sessions):
    use(stand, ROOF, OTHER, "a")
    for session in (DESK, ROOF):
        refused(sessions.delete(me(), session), "session_not_found")
    assert listed(sessions, OTHER) == [ROOF]
