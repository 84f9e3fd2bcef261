"""What is booked is booked whole or not at all; what a woken turn may book is bounded."""

import asyncio
from datetime import datetime, timedelta

import pytest

from session.ground import DESK, ME
from steadyhand.core.clock import to_text
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import SessionId
from steadyhand.session.administration import Administration
from steadyhand.session.lane import Lanes
from steadyhand.store.later import wakeups
from steadyhand.store.people import people
from steadyhand.store.sessions import conversations
from steadyhand.store.sessions.conversations import Said
from steadyhand.wakeups.booking import LONGEST_CHAIN, MOST_PENDING
from steadyhand.wakeups.times import Rhythm, in_zone

run = asyncio.run


def refused(work) -> str:
    with pytest.raises(ToolRefusal) as error:
        work()
    return error.value.code


def booked(bed, *statuses):
    return [row.number for row in run(bed.book.booked(ME, DESK, "followup", statuses or ("pending",)))]


def test_a_follow_up_waits_for_its_moment_with_a_number_that_people_say(bed):
    first, second = bed.follow_up(), bed.follow_up(5)
    assert (first.row.number, second.row.number) == (1, 2)
    assert bed.row(first).status == "pending"
    assert bed.row(first).meant_at == to_text(bed.clock.now() + timedelta(minutes=2))
    assert booked(bed) == [1, 2]


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"reason": "  "}, "reason_empty"),
        ({"commitment": "\n"}, "commitment_empty"),
        ({"minutes": -1}, "bad_time"),
    ],
)
def test_what_cannot_be_booked_is_refused_and_cancels_nothing(bed, more, code):
    bed.follow_up()
    assert refused(lambda: bed.follow_up(replace_existing=True, **more)) == code
    assert booked(bed) == [1]


def test_replacing_cancels_the_sessions_pending_follow_ups_and_nothing_else(bed):
    kept = bed.timed("cron", "0 9 * * *")
    text = bed.timed("at", to_text(bed.clock.now() + timedelta(hours=1)).replace(".000000", ""), kind="text", family="followup")
    elsewhere = bed.by(session=SessionId("elsewhere"))
    bed.store.write_now(lambda tx: people.ensure_session(tx, ME, SessionId("elsewhere"), "terminal"))
    other = bed.follow_up(by=elsewhere)
    first, second = bed.follow_up(), bed.follow_up(3)
    new = bed.follow_up(9, replace_existing=True)
    assert [row.number for row in new.cancelled] == [first.row.number, second.row.number]
    assert bed.row(first).status == "cancelled"
    assert bed.row(first).cancelled_by_tool_call_id == "call"
    assert [bed.row(row).status for row in (kept, text, other, new)] == ["pending"] * 4


def test_only_in_private_is_anything_booked(bed):
    assert refused(lambda: bed.follow_up(by=bed.by(session=SessionId("nowhere")))) == "not_private"
    assert refused(lambda: bed.follow_up(by=bed.by(origin="subagent"))) == "not_private"


def test_one_is_changed_and_cancelled_by_its_number(bed):
    bed.follow_up()
    at = to_text(bed.clock.now() + timedelta(hours=3)).replace(".000000", "")
    changed = run(bed.book.change(bed.by(), 1, send_at=at, reason=None, commitment="later then"))
    assert changed.row.meant_at == to_text(bed.clock.now() + timedelta(hours=3))
    assert (changed.row.assistant_commitment_text, changed.row.followup_reason) == ("later then", "the secret reason")
    assert [row.number for row in run(bed.book.cancel(bed.by(), 1))] == [1]
    assert refused(lambda: run(bed.book.cancel(bed.by(), 1))) == "wakeup_not_pending"
    assert refused(lambda: run(bed.book.change(bed.by(), 1, send_at=None, reason="x", commitment=None))) == "wakeup_not_pending"


def test_without_a_number_the_only_one_is_meant_and_never_one_of_several(bed):
    assert refused(lambda: run(bed.book.cancel(bed.by(), None))) == "nothing_booked"
    bed.follow_up()
    assert len(run(bed.book.cancel(bed.by(), None))) == 1
    bed.follow_up(), bed.follow_up()
    assert refused(lambda: run(bed.book.cancel(bed.by(), None))) == "which_wakeup"
    assert len(run(bed.book.cancel(bed.by(), None, every=True))) == 2


def test_each_session_sees_its_own_alone(bed):
    bed.follow_up()
    bed.timed("every", "2h")
    other = bed.by(session=SessionId("elsewhere"))
    assert refused(lambda: run(bed.book.cancel(other, 1))) == "wakeup_unknown"
    assert refused(lambda: run(bed.book.enable(other, 2, enabled=False))) == "wakeup_unknown"
    assert refused(lambda: run(bed.book.runs(other, 2))) == "wakeup_unknown"
    assert run(bed.book.booked(ME, other.session, "cron")) == []


def test_a_woken_turn_books_no_rhythm(bed):
    for origin in ("wake", "cron", "heartbeat", "job"):
        by = bed.by(origin=origin)
        assert refused(lambda by=by: run(bed.book.timed(by, bed.wanted("every", "2h")))) == "only_by_person"


def test_a_chain_of_follow_ups_ends_unless_the_person_speaks(bed):
    woken = bed.by(origin="wake")
    chain = []
    for _ in range(LONGEST_CHAIN):
        bed.pass_time(minutes=1)
        chain.append(bed.follow_up(by=woken).row.chain)
    assert chain == [1, 2, 3, 4, 5]
    assert refused(lambda: bed.follow_up(by=woken)) == "chain_ended"
    bed.pass_time(minutes=1)
    words = [Said("m", "user", "go on", "person", "t")]
    bed.store.write_now(lambda tx: conversations.add(tx, ME, DESK, words))
    bed.pass_time(minutes=1)
    assert bed.follow_up(by=woken).row.chain == 1


def test_a_chain_that_ended_cancels_nothing(bed):
    woken = bed.by(origin="heartbeat")
    for _ in range(LONGEST_CHAIN):
        bed.pass_time(minutes=1)
        bed.follow_up(by=woken)
    assert refused(lambda: bed.follow_up(by=woken, replace_existing=True)) == "chain_ended"
    assert len(booked(bed)) == LONGEST_CHAIN


def test_only_so_many_wait(bed):
    for _ in range(MOST_PENDING):
        bed.store.write_now(lambda tx: wakeups.insert_wakeup(tx, bed.plain(tx)))
    assert refused(bed.follow_up) == "too_many_wakeups"
    assert bed.follow_up(replace_existing=True).row.status == "pending"


NAMED = [
    ("remind me at 8:30", "2026-09-08T08:30", True),
    ("in two hours ask me whether it ran", "2026-09-07T11:00", True),
    ("提醒我明天早上8点交作业", "2026-09-08T08:00", True),
    ("提醒我明天早上8点交作业", "2026-09-09T08:00", False),
    ("两小时后问问我跑完了没", "2026-09-07T11:00", True),
    ("tomorrow I have the exam; call me at 7:30", "2026-09-08T07:30", True),
    ("call me at 11pm, I slept 5 hours", "2026-09-07T23:00", True),
    ("半夜两点要吃药，记得叫我", "2026-09-08T02:00", True),
    ("I slept 5 hours, keep an eye on me", "2026-09-08T02:00", False),
    ("我睡了三个小时，帮我盯着", "2026-09-08T03:00", False),
    ("my flight costs at 9 euros more, look after it", "2026-09-08T02:00", False),
    ("I have a class at 3pm, check on me later", "2026-09-07T16:00", False),
    ("ask me later", "2026-09-08T09:00", False),
    ("过几天再问问我", "2026-09-10T09:00", False),
    ("remind me tomorrow", "2026-09-08T09:00", False),
]
RHYTHMS = [
    ("每周五下午三点问我论文进度", Rhythm("cron", "Asia/Shanghai", expression="0 15 * * 5"), "2026-09-11T15:00", True),
    ("remind me every day at 8am to run", Rhythm("cron", "Asia/Shanghai", expression="0 8 * * *"), "2026-09-08T08:00", True),
    ("每两小时提醒我喝水", Rhythm("every", "Asia/Shanghai", 7_200), "2026-09-07T11:00", True),
    ("I sleep 8 hours every day", Rhythm("cron", "Asia/Shanghai", expression="0 2 * * *"), "2026-09-08T02:00", False),
    ("I drink every 2 hours", Rhythm("every", "Asia/Shanghai", 3_600), "2026-09-07T10:00", False),
]


@pytest.mark.parametrize(("said", "rhythm", "at", "named"), [*((said, None, at, named) for said, at, named in NAMED), *RHYTHMS])
def test_a_time_is_the_persons_where_their_sentence_names_this_very_time(bed, said, rhythm, at, named):
    moment = in_zone(datetime.fromisoformat(at), "Asia/Shanghai")
    assert bed.by(said=said).timed(moment, rhythm, bed.clock.now()) is named
    assert not bed.by(said=said, origin="wake").timed(moment, rhythm, bed.clock.now())


def test_a_rhythm_rests_and_goes_on_with_its_next_occurrence(bed):
    row = bed.timed("every", "2h")
    run(bed.book.enable(bed.by(), row.number, enabled=False))
    bed.pass_time(hours=7)
    assert bed.tick() == 0
    again = run(bed.book.enable(bed.by(), row.number, enabled=True))
    assert again.meant_at == to_text(bed.clock.now() + timedelta(hours=1))


def test_a_session_that_is_deleted_takes_its_wake_ups_with_it(bed):
    first, rhythm = bed.follow_up(), bed.timed("every", "2h")
    parts = bed.room.parts
    about = Administration(parts.store, parts.controller, Lanes(parts.store, 30.0))
    listed = run(about.deletion(ME, DESK))
    assert [row.number for row in listed.wakeups] == [1, 2]
    run(about.delete(bed.decider(), DESK))
    assert [bed.row(one).status for one in (first, rhythm)] == ["cancelled", "cancelled"]
    bed.pass_time(days=1)
    assert bed.tick() == 0


def test_a_follow_up_keeps_what_was_said_to_whom(bed):
    made = bed.follow_up(replace_existing=True)
    row = bed.row(made)
    assert (row.session_id, row.created_by_tool_call_id, row.replace_existing) == (DESK, "call", True)
    assert (row.family, row.kind, row.rhythm, row.exact) == ("followup", "wake", None, False)
