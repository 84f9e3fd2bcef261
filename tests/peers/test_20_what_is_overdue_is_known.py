"""Complaint 20 (AstrBotDevs/AstrBot#8284): after some days future tasks stopped, without a line in the log."""

from steadyhand.core.clock import to_text
from steadyhand.store.later import wakeups


def test_what_is_due_and_not_taken_up_is_counted(bed_for):
    bed = bed_for(thinks=False)
    bed.follow_up()
    bed.timed("every", "1h", "x", kind="text")
    bed.pass_time(hours=2)
    now = to_text(bed.clock.now())
    assert bed.store.read_now(lambda tx: wakeups.overdue(tx, now)) == 2
    bed.wake()
    assert bed.store.read_now(lambda tx: wakeups.overdue(tx, now)) == 0


def test_after_months_of_work_the_next_one_still_comes(bed_for):
    bed = bed_for(thinks=False)
    row = bed.timed("cron", "0 9 * * *", "x", kind="text", zone="UTC", delivery="none")
    for _ in range(90):
        bed.clock.at = bed.meant(row)
        bed.wake()
    assert {run.outcome for run in bed.runs(row)} == {"completed"}
    assert len(bed.runs(row)) == 90
