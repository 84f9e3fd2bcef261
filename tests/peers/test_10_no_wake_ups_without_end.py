"""Complaint 10 (HKUDS/nanobot#3028): a heartbeat created a timed job for itself and greeted for ever."""

from session.ground import ME, call
from steadyhand.store.later import wakeups
from steadyhand.wakeups.booking import LONGEST_CHAIN


def test_a_woken_turn_cannot_make_a_rhythm(bed_for):
    bed = bed_for(call("cron", action="add", every="1m", text="greet"), call("finish", reason=""))
    bed.follow_up()
    bed.pass_time(minutes=2)
    assert bed.wake() == []
    assert [result.code for _, result in bed.results()] == ["only_by_person", "finished"]


def test_follow_ups_that_make_each_other_end_by_themselves(bed_for):
    """Each woken turn puts it off for a minute; nobody says a word."""
    lines = []
    for minute in range(20):
        again = f"2026-09-07T01:{minute * 2 + 4:02}:00Z"
        given = {"send_at": again, "followup_reason": "greet", "assistant_commitment_text": "hello again"}
        lines += [call("schedule_private_followup", **given), call("finish", reason="later")]
    bed = bed_for(*lines)
    bed.follow_up()
    for _ in range(20):
        bed.pass_time(minutes=2)
        bed.wake()
    rows = bed.store.read_now(lambda tx: wakeups.of_user(tx, ME))
    assert len(rows) == 1 + LONGEST_CHAIN
