"""A woken turn thinks again and speaks or stays silent; what it did is on record, and nothing of it happens twice."""

import asyncio
from datetime import timedelta

import pytest
from sqlalchemy import text

from session.ground import DESK, ME, call, calls, said
from steadyhand.core import owners
from steadyhand.core.clock import to_text
from steadyhand.core.errors import StoreUnavailable
from steadyhand.core.owners import Claim
from steadyhand.llm.provider import ProviderError
from steadyhand.store.database.engine import Duplicate
from steadyhand.store.later import wakeups
from steadyhand.store.sessions import inbox, outbox
from steadyhand.wakeups import telling
from steadyhand.wakeups.booking import LISTED
from steadyhand.wakeups.judging import Quiet, Rules
from steadyhand.wakeups.waking import Waking

run = asyncio.run
NIGHT = Rules(Quiet(23 * 60, 7 * 60))


def speak(text="How did it go?"):
    return call("send_private_message", message_text=text)


def due(bed, **more):
    made = bed.follow_up(**more)
    bed.pass_time(minutes=2)
    return made


# --- the woken turn ----------------------------------------------------------------------------------------------------


def test_a_woken_turn_speaks_by_the_tool_and_is_completed(bed_for):
    bed = bed_for(speak(), said("done"))
    made = due(bed)
    assert bed.wake() == ["How did it go?"]
    row = bed.row(made)
    assert (row.status, row.completion_action, row.last_error) == ("completed", "sent_private_message", "")
    assert row.actions == [{"tool": "send_private_message", "code": "ok"}]
    assert row.sent_message_id == f"shown-{bed.room.channel.rows[-1].id}"
    assert row.turn_id == bed.room.turn().id
    assert row.started_at is not None
    assert [run.outcome for run in bed.runs(made)] == ["completed"]


def test_the_reminder_stands_at_the_tail_and_is_never_stored(bed_for):
    bed = bed_for(speak(), said(""))
    due(bed)
    bed.wake()
    request = bed.room.provider.requests[0]
    tail = request.messages[-1]
    assert tail.role == "user"
    assert tail.content.startswith("<system-reminder>")
    assert "the secret reason" in tail.content
    assert "I will ask how it went" in tail.content
    assert "system-reminder" not in str(bed.room.entries())
    assert [entry.source for entry in bed.room.history()].count("proactive_send") == 1
    assert not [entry for entry in bed.room.history() if entry.role == "user"]


def test_what_is_sent_unasked_says_what_woke_it(bed_for):
    bed = bed_for(speak(), said(""))
    due(bed)
    bed.wake()
    [entry] = [entry for entry in bed.room.history() if entry.source == "proactive_send"]
    assert entry.data == {"trigger_source": "scheduled_followup", "wakeup": 1}
    assert bed.room.channel.rows[-1].data == entry.data
    assert bed.room.channel.rows[-1].reply_to is None


def test_saying_nothing_is_a_valid_outcome(bed_for):
    bed = bed_for(call("finish", reason="they told me already"))
    made = due(bed)
    assert bed.wake() == []
    assert (bed.row(made).status, bed.row(made).completion_action) == ("completed", "skipped")
    assert bed.room.provider.left == 0


def test_a_plain_text_is_corrected_once_and_then_spoken(bed_for):
    bed = bed_for(said("How did it go?"), speak(), said(""))
    made = due(bed)
    assert bed.wake() == ["How did it go?"]
    assert "cannot see this text" in bed.room.provider.requests[1].messages[-1].content
    assert bed.row(made).completion_action == "sent_private_message"
    assert "cannot see" not in str(bed.room.entries())


def test_a_plain_text_that_stays_one_reaches_nobody_and_is_on_record(bed_for):
    bed = bed_for(said("How did it go?"), said("How did it go then?"))
    made = due(bed)
    assert bed.wake() == []
    assert (bed.row(made).status, bed.row(made).completion_action) == ("completed", "unknown")
    assert bed.runs(made)[0].note == "How did it go then?"
    assert bed.room.entries() == []


def test_words_behind_a_message_that_was_sent_are_no_second_message(bed_for):
    bed = bed_for(speak(), said("I have sent it."))
    due(bed)
    assert bed.wake() == ["How did it go?"]
    assert bed.room.provider.left == 0


def test_it_may_be_put_off_once(bed_for):
    later = {"send_at": "2026-09-07T12:00", "followup_reason": "again", "assistant_commitment_text": "later"}
    bed = bed_for(
        calls(("schedule_private_followup", later), ("schedule_private_followup", {**later, "followup_reason": "more"})), said("")
    )
    made = due(bed)
    assert bed.wake() == []
    assert bed.row(made).completion_action == "rescheduled"
    assert [entry["code"] for entry in bed.row(made).actions] == ["ok", "one_followup_a_turn"]
    [new] = run(bed.book.booked(ME, DESK, "followup"))
    assert (new.chain, new.exact) == (1, False)


def test_speaking_counts_for_more_than_putting_off(bed_for):
    later = {"send_at": "2026-09-07T12:00", "followup_reason": "again", "assistant_commitment_text": "later"}
    bed = bed_for(calls(("schedule_private_followup", later), ("send_private_message", {"message_text": "hi"})), said(""))
    made = due(bed)
    assert bed.wake() == ["hi"]
    assert bed.row(made).completion_action == "sent_private_message"
    assert len(bed.row(made).actions) == 2


def test_a_reply_quotes_the_message_that_it_answers(bed_for):
    bed = bed_for(said("noted"))
    run(bed.room.hear("my thesis is due", message_id="m-1"))
    [spoken] = [entry for entry in bed.room.history() if entry.source == "person"]
    bed = bed.again(call("reply", msg_id=spoken.id, message_text="about that"), said(""))
    made = due(bed)
    assert bed.wake() == ["about that"]
    assert spoken.id in bed.room.provider.requests[0].messages[-1].content
    assert bed.room.channel.rows[-1].reply_to == spoken.id
    assert bed.row(made).completion_action == "sent_private_message"


def test_a_reply_to_nothing_is_an_error(bed_for):
    bed = bed_for(call("reply", msg_id="nothing", message_text="x"), call("finish", reason="no"))
    made = due(bed)
    assert bed.wake() == []
    assert bed.row(made).actions == [{"tool": "reply", "code": "not_found"}, {"tool": "finish", "code": "finished"}]


def test_other_tools_results_do_not_reach_the_person(bed_for):
    bed = bed_for(call("jot", text="a"), call("finish", reason="quiet"))
    due(bed)
    assert bed.wake() == []


def test_a_message_that_arrives_meanwhile_is_seen_and_answered_by_its_own_turn(bed_for):
    bed = bed_for(said("glad to hear"), call("finish", reason="they came by themselves"))
    made = due(bed)
    bed.tick()
    run(bed.room.say("it went well"))
    assert bed.run() == ["glad to hear"]
    assert "it went well" in [message.content for message in bed.room.provider.requests[1].messages]
    assert bed.row(made).completion_action == "skipped"
    assert [entry for entry in bed.room.entries() if entry[0] == "user"] == [("user", "it went well")]


def test_a_turn_that_fails_is_failed_and_the_promise_is_kept_in_the_catalogues_words(bed_for):
    bed = bed_for(ProviderError("unreachable", "no line"))
    made = due(bed)
    shown = bed.wake()
    assert shown == ["I said that I would come back to you: I will ask how it went"]
    assert bed.row(made).status == "failed"
    assert bed.row(made).last_error
    assert bed.runs(made)[0].outcome == "failed"


def test_the_provider_is_not_asked_twice_for_one_occurrence(bed_for):
    bed = bed_for(call("finish", reason=""))
    due(bed)
    bed.wake()
    for _ in range(3):
        assert bed.wake() == []
    assert len(bed.room.provider.requests) == 1


# --- without a model ------------------------------------------------------------------------------------------------------


def test_without_a_model_the_promise_is_said_and_never_the_reason(bed_for):
    bed = bed_for(thinks=False)
    made = due(bed)
    assert bed.wake() == ["I said that I would come back to you: I will ask how it went"]
    assert (bed.row(made).status, bed.row(made).completion_action) == ("completed", "sent_private_message")
    assert "secret" not in str(bed.room.entries())


def test_an_exact_text_is_said_word_for_word_and_asks_no_model(bed_for):
    bed = bed_for()
    row = bed.timed("every", "1h", "drink water", kind="text")
    bed.pass_time(hours=1)
    assert bed.wake() == ["drink water"]
    bed.pass_time(hours=1)
    assert bed.wake() == ["drink water"]
    assert bed.room.provider.requests == []
    assert [one.outcome for one in bed.runs(row)] == ["completed"] * 2


def test_what_was_cancelled_is_not_said(bed_for):
    bed = bed_for(thinks=False)
    made = due(bed)
    run(bed.book.cancel(bed.by(), made.row.number))
    assert bed.wake() == []
    assert bed.row(made).status == "cancelled"


def test_what_is_cancelled_after_it_was_taken_up_is_not_said_either(bed_for):
    bed = bed_for(thinks=False)
    made = due(bed)
    bed.tick()
    run(bed.book.cancel(bed.by(), made.row.number))
    assert bed.run() == []
    assert bed.row(made).status == "cancelled"


def test_what_the_person_says_just_then_comes_first(bed_for):
    bed = bed_for(said("all right"), thinks=False)
    made = due(bed)
    bed.tick()
    run(bed.room.say("never mind"))
    assert bed.run() == ["all right", "I said that I would come back to you: I will ask how it went"]
    assert bed.row(made).status == "completed"


# --- rules --------------------------------------------------------------------------------------------------------------------


def test_in_quiet_hours_it_waits_and_is_not_late_by_that(bed_for):
    bed = bed_for(thinks=False, rules=NIGHT)
    made = bed.follow_up(minutes=60 * 23)
    bed.pass_time(hours=23)
    assert bed.wake() == []
    assert bed.row(made).due_at == to_text(bed.clock.now() + timedelta(hours=7))
    bed.pass_time(hours=7)
    assert len(bed.wake()) == 1


def test_an_exact_time_is_kept_in_quiet_hours(bed_for):
    bed = bed_for(thinks=False, rules=NIGHT)
    bed.follow_up(minutes=60 * 23, by=bed.by(said="wake me at 0:00"))
    bed.pass_time(hours=23)
    assert len(bed.wake()) == 1


def test_two_that_are_due_at_once_lie_apart(bed_for):
    bed = bed_for(thinks=False)
    bed.follow_up(commitment="one")
    bed.follow_up(commitment="two")
    bed.pass_time(minutes=2)
    assert len(bed.wake()) == 1
    bed.pass_time(minutes=4)
    assert bed.wake() == []
    bed.pass_time(minutes=1)
    assert len(bed.wake()) == 1


def test_beyond_the_most_of_a_day_it_is_skipped_and_that_is_said_once(bed_for):
    bed = bed_for(thinks=False, rules=Rules(most_per_day=2))
    made = []
    for number in range(4):
        made.append(bed.follow_up(commitment=f"promise {number}"))
        bed.pass_time(minutes=6)
        bed.wake()
    texts = bed.room.channel.texts
    assert len(texts) == 3
    assert "which is the most" in texts[2]
    assert [bed.row(one).completion_action for one in made] == ["sent_private_message"] * 2 + ["skipped"] * 2
    assert bed.row(made[3]).last_error == "cap"


def test_what_is_too_late_is_skipped_and_that_is_said(bed_for):
    bed = bed_for(thinks=False)
    made = bed.follow_up()
    bed.pass_time(hours=13)
    [told] = bed.wake()
    assert "Reminder 1" in told
    assert "too late" in told
    assert "I will ask how it went" in told
    assert "secret" not in told
    assert (bed.row(made).status, bed.row(made).completion_action, bed.row(made).last_error) == ("completed", "skipped", "late")


def test_less_late_it_runs(bed_for):
    bed = bed_for(thinks=False)
    bed.follow_up()
    bed.pass_time(hours=11)
    assert len(bed.wake()) == 1


def test_that_something_was_skipped_is_not_said_at_night(bed_for):
    bed = bed_for(thinks=False, rules=NIGHT)
    bed.follow_up(minutes=60 * 8)
    bed.pass_time(hours=23)
    assert bed.wake() == []
    bed.pass_time(hours=7)
    assert len(bed.run()) == 1


# --- by the clock -----------------------------------------------------------------------------------------------------------------


def test_what_comes_by_the_clock_says_its_result(bed_for):
    bed = bed_for(call("peek", text="mail"), said("three letters"))
    row = bed.timed("every", "2h", "look for mail")
    bed.pass_time(hours=2)
    assert bed.wake() == ["three letters"]
    assert "look for mail" in bed.room.provider.requests[0].messages[-1].content
    after = bed.row(row)
    assert (after.status, after.completion_action) == ("pending", "sent_private_message")
    assert after.meant_at == to_text(bed.clock.now() + timedelta(hours=2))
    assert not [entry for entry in bed.room.history() if entry.role == "user"]


def test_a_result_is_not_said_when_a_tool_has_spoken_already(bed_for):
    bed = bed_for(call("message", text="three letters"), said("I have sent the report."))
    bed.timed("every", "2h")
    bed.pass_time(hours=2)
    assert bed.wake() == ["three letters"]


def test_a_silent_one_says_nothing(bed_for):
    bed = bed_for(call("jot", text="x"), said("three letters"))
    bed.timed("every", "2h", delivery="none")
    bed.pass_time(hours=2)
    assert bed.wake() == []
    assert bed.room.effects() == ["jot x"]


def test_a_failed_one_is_on_record_as_failed_and_comes_again(bed_for):
    bed = bed_for(ProviderError("unreachable", "no line"), said("better"))
    row = bed.timed("every", "2h")
    bed.pass_time(hours=2)
    bed.wake()
    assert bed.runs(row)[0].outcome == "failed"
    assert bed.row(row).status == "pending"
    bed.pass_time(hours=2)
    assert bed.wake() == ["better"]
    assert [one.outcome for one in bed.runs(row)] == ["failed", "completed"]


def test_it_does_not_drift_by_how_late_it_ran(bed_for):
    bed = bed_for(thinks=False)
    row = bed.timed("every", "1h", kind="text")
    start = bed.clock.now()
    for late in (1, 7, 30):
        bed.clock.at = bed.meant(row) + timedelta(minutes=late)
        bed.wake()
    assert [one.meant_at for one in bed.runs(row)] == [to_text(start + timedelta(hours=hour)) for hour in (1, 2, 3)]


def test_after_two_days_asleep_the_latest_missed_one_runs_once(bed_for):
    bed = bed_for(thinks=False)
    row = bed.timed("cron", "0 9 * * *", kind="text", zone="Asia/Shanghai")
    bed.pass_time(days=3, hours=2)
    assert len(bed.wake()) == 1
    assert bed.wake() == []
    assert [one.outcome for one in bed.runs(row)] == ["skipped", "completed"]
    assert "missed until" in bed.runs(row)[0].note
    assert bed.meant(row) > bed.clock.now()


def test_one_that_is_to_be_skipped_when_missed_says_so(bed_for):
    bed = bed_for(thinks=False)
    row = bed.timed("cron", "0 11 * * *", "eleven o'clock", kind="text", missed="skip")
    bed.pass_time(hours=14)
    [told] = bed.wake()
    assert "skipped" in told
    assert [one.outcome for one in bed.runs(row)] == ["skipped"]
    assert bed.row(row).status == "pending"


@pytest.mark.parametrize(("zone", "expression"), [("Europe/Berlin", "30 2 * * *"), ("America/New_York", "30 1 * * *")])
def test_through_a_year_with_two_changes_and_a_clock_set_back_each_day_comes_once(bed_for, zone, expression):
    bed = bed_for(thinks=False)
    row = bed.timed("cron", expression, "x", kind="text", zone=zone, delivery="none")
    for day in range(220):
        bed.pass_time(hours=24)
        if day == 100:
            bed.pass_time(hours=-30)
        bed.wake()
    found = bed.runs(row)
    assert len({one.meant_at for one in found}) == len(found)
    assert 217 <= len(found) <= 220
    assert {one.outcome for one in found} == {"completed"} or sum(one.outcome == "skipped" for one in found) <= 2


# --- once -----------------------------------------------------------------------------------------------------------------------------


def test_one_thousand_that_are_due_are_taken_up_once_by_three_who_share(bed_for):
    bed = bed_for(thinks=False)

    def work(tx):
        for _ in range(1_000):
            wakeups.insert_wakeup(tx, bed.plain(tx))

    bed.store.write_now(work)
    bed.pass_time(days=1)
    others = [Waking(bed.room.talk, bed.rules) for _ in range(3)]

    async def take():
        counts = [0, 0, 0]

        async def one(place):
            while taken := await others[place].tick(100):
                counts[place] += taken

        await asyncio.gather(*(one(place) for place in range(3)))
        return counts

    assert sum(run(take())) == 1_000
    rows = bed.store.read_now(lambda tx: wakeups.of_user(tx, ME, statuses=("running",), limit=2_000))
    assert [row.attempt for row in rows] == [1] * 1_000
    assert len(bed.store.read_now(lambda tx: inbox.waiting(tx, ME, DESK))) == 1_000


FAILS = {
    True: ["CREATE TRIGGER no_room BEFORE INSERT ON inbox BEGIN SELECT RAISE(ABORT, 'full'); END"],
    False: [
        "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'full' USING ERRCODE = '53100'; END $$",
        "CREATE TRIGGER no_room BEFORE INSERT ON inbox FOR EACH ROW EXECUTE FUNCTION no_room()",
    ],
}
HEALED = {True: "DROP TRIGGER no_room", False: "DROP TRIGGER no_room ON inbox"}


def test_what_cannot_be_handed_over_is_not_taken_up_either(bed_for):
    bed = bed_for(thinks=False)
    made = [due(bed, by=bed.by(exact=True)) for _ in range(2)]
    for statement in FAILS[bed.store.on_sqlite]:
        bed.store.write_now(lambda tx, statement=statement: tx.execute(text(statement)))
    with pytest.raises((StoreUnavailable, Duplicate)):
        bed.tick()
    assert {bed.row(one).status for one in made} == {"pending"}
    bed.store.write_now(lambda tx: tx.execute(text(HEALED[bed.store.on_sqlite])))
    assert len(bed.wake()) == 2
    assert {bed.row(one).status for one in made} == {"completed"}
    assert bed.wake() == []


@pytest.mark.parametrize("lives", [True, False])
def test_what_was_taken_up_and_waits_nowhere_is_handed_over_whoever_took_it(bed_for, lives):
    bed = bed_for(thinks=False)
    made = due(bed)
    claim = Claim(owners.myself(), "a token", to_text(bed.clock.now() + timedelta(days=1))) if lives else bed.gone()
    bed.store.write_now(lambda tx: wakeups.claim_due(tx, claim, 9, [(ME, DESK)]))
    assert bed.row(made).status == "running"
    assert bed.wake() != []
    assert (bed.row(made).status, bed.row(made).attempt) == ("completed", 2)


def test_a_person_is_answered_before_the_reminders_that_came_due_before(bed_for):
    bed = bed_for(said("here I am"), thinks=False)
    for _ in range(20):
        bed.follow_up(by=bed.by(exact=True))
    bed.pass_time(minutes=2)
    assert bed.tick() == 20
    run(bed.room.talk.accept(ME, DESK, "hello", channel="terminal"))
    shown = bed.run()
    assert shown[0] == "here I am"
    assert len(shown) == 21


def test_what_breaks_while_it_is_taken_up_is_told_once_and_comes_no_more(bed_for, monkeypatch):
    bed = bed_for()
    made = due(bed)
    monkeypatch.setattr(telling, "tail_block", lambda *_: 1 / 0)  # a fault of ours, wherever it may be
    shown = bed.wake()
    assert len(shown) == 1
    assert "I will ask how it went" in shown[0]
    assert (bed.row(made).status, bed.row(made).last_error) == ("failed", "wakeup_broke")
    bed.pass_time(minutes=5)
    assert bed.wake() == []


def test_what_is_handed_over_is_not_handed_over_twice(bed_for):
    bed = bed_for(thinks=False)
    due(bed)
    bed.tick()
    bed.pass_time(minutes=5)
    assert bed.again(thinks=False).tick() in (0, 1)
    assert len(bed.run()) == 1
    assert bed.wake() == []


def test_an_acknowledgement_that_comes_late_is_on_record(bed_for):
    bed = bed_for(speak(), said(""))
    made = due(bed)
    bed.room.channel.mood = "mute"
    bed.wake()
    assert bed.row(made).sent_message_id is None
    assert bed.row(made).completion_action == "sent_private_message"
    [owed] = bed.store.read_now(lambda tx: outbox.of_turn(tx, ME, bed.row(made).turn_id))
    assert run(bed.room.parts.outbox.arrived(ME, owed.id, "late-1"))
    assert bed.row(made).sent_message_id == "late-1"


# --- nothing that was timed is lost in silence ---------------------------------------------------------------------------


def test_a_timed_reminder_that_the_model_answers_in_plain_words_is_said_all_the_same(bed_for):
    bed = bed_for(said("Time to stretch!"), said("Stretch now."))
    made = due(bed, by=bed.by(exact=True))
    assert bed.wake() == ["I said that I would come back to you: I will ask how it went"]
    row = bed.row(made)
    assert (row.status, row.completion_action) == ("completed", "sent_private_message")
    assert "Stretch now." in bed.runs(made)[0].note


@pytest.mark.parametrize(
    ("late", "said_as"),
    [({"seconds": 59}, ""), ({"minutes": 3}, "3 minutes"), ({"hours": 11}, "11 hours")],
)
@pytest.mark.parametrize("thinks", [False, True])
def test_whatever_comes_late_says_so_with_the_time_that_was_meant(bed_for, late, said_as, thinks):
    bed = bed_for(*([speak(), said("")] if thinks else []), thinks=thinks)
    made = due(bed, by=bed.by(exact=True))
    at = telling.moment(bed.row(made).meant_at, "UTC", "en")
    bed.pass_time(**late)
    shown = "\n".join(bed.wake())
    assert (f"(This was meant for {at} and comes {said_as} late.)" in shown) == bool(said_as)
    assert ("late" in shown) == bool(said_as)
    assert ("How did it go?" if thinks else "I will ask how it went") in shown


def test_a_timed_task_that_comes_once_is_named_when_it_fails_and_comes_again(bed_for):
    gone = [ProviderError("unreachable", "no line") for _ in range(4)]
    bed = bed_for(*gone)
    made = bed.timed("at", "2026-09-07T01:02", "call mum")
    bed.pass_time(minutes=2)
    waits = (5, 30, 120)
    for minutes in waits:
        (shown,) = bed.wake()
        assert "call mum" in shown
        assert "2026-09-07 01:02" in shown
        assert "comes again at" in shown
        assert bed.row(made).status == "pending"
        bed.pass_time(minutes=minutes)
    shown = bed.wake()[-1]
    assert "call mum" in shown
    assert "does not come again" in shown
    assert bed.row(made).status == "failed"
    listed = run(bed.book.booked(ME, DESK, "cron", LISTED))
    assert [row.number for row in listed] == [made.number]
    run(bed.book.remove(bed.by(), made.number))
    assert run(bed.book.booked(ME, DESK, "cron", LISTED)) == []


def test_a_recurring_task_that_fails_names_itself_and_its_next_moment(bed_for):
    bed = bed_for(ProviderError("unreachable", "no line"))
    bed.timed("cron", "2 1 * * *", "read the news", zone="UTC")
    bed.pass_time(minutes=2)
    (shown,) = bed.wake()
    assert "read the news" in shown
    assert "2026-09-08 01:02" in shown


def test_what_is_told_when_the_night_ends_holds_up_no_answer(bed_for):
    bed = bed_for(said("good night"), thinks=False, rules=NIGHT)
    bed.follow_up(minutes=1)
    bed.pass_time(hours=22.5)  # it is night, and it is too late
    assert bed.wake() == []
    run(bed.room.say("are you there?"))
    assert bed.run() == ["good night"]
    bed.pass_time(hours=8)
    assert "too late" in "\n".join(bed.run())
