"""The reference's path of a follow-up in seven steps: booked, answered, woken, thought about again, spoken, sent, and part of the conversation."""

import asyncio

from session.ground import DESK, ME, call, last, said
from steadyhand.store.sessions import outbox
from wakeups.conftest import bed_for, folder, quiet_log

__all__ = ["bed_for", "folder", "quiet_log"]
run = asyncio.run


def test_a_follow_up_is_booked_answered_woken_weighed_spoken_sent_and_remembered(bed_for):
    given = {
        "send_at": "2026-09-07T01:05:00Z",
        "followup_reason": "the run should be through by then",
        "assistant_commitment_text": "I will ask in five minutes whether it is through",
    }
    bed = bed_for(
        call("schedule_private_followup", **given),
        said("I will come back to it."),
        call("send_private_message", message_text="Is the run through?"),
        said(""),
        said("Good."),
    )
    # 1 and 2: it is booked, and the same turn answers as usual; number and time come from code
    assert run(bed.room.hear("in five minutes ask me whether the run is through")) == [
        "Reminder 1: Monday 2026-09-07 01:05.",
        "I will come back to it.",
    ]
    [booked] = run(bed.book.booked(ME, DESK, "followup"))
    # 3: nothing before its moment, the planner at its moment
    bed.pass_time(minutes=4)
    assert bed.tick() == 0
    bed.pass_time(minutes=1)
    assert bed.tick() == 1
    # 4, 5 and 6: the reminder is read, the tool speaks, the channel takes it
    assert bed.run() == ["Is the run through?"]
    asked = bed.room.provider.requests[2]
    assert given["followup_reason"] in last(asked, "user").content
    assert "in five minutes ask me whether the run is through" in str(asked.messages[:-1])
    assert asked.messages[0].role == "system"
    row = bed.row(booked)
    [owed] = bed.store.read_now(lambda tx: outbox.of_turn(tx, ME, row.turn_id))
    assert (owed.state, owed.source, owed.reply_to) == ("sent", "proactive_send", None)
    assert (row.status, row.completion_action, row.sent_message_id) == ("completed", "sent_private_message", owed.sent_message_id)
    # 7: it is stored, and the next turn reads it; the reminder is not
    assert run(bed.room.hear("yes")) == ["Good."]
    history = str(bed.room.provider.requests[-1].messages)
    assert "Is the run through?" in history
    assert "system-reminder" not in history
    assert "system-reminder" not in str(bed.room.entries())
