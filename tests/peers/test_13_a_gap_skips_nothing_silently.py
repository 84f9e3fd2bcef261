"""Complaint 13 (openclaw/openclaw#33092): a restart of 13 seconds silently skipped a daily job."""

from datetime import timedelta


def test_what_came_due_while_nobody_was_there_runs_when_somebody_is(bed_for):
    bed = bed_for(thinks=False)
    row = bed.timed("cron", "0 9 * * *", "the daily one", kind="text", zone="UTC")
    bed.clock.at = bed.meant(row) + timedelta(seconds=13)
    bed = bed.again(thinks=False)
    assert bed.wake() == ["the daily one"]
    assert [run.outcome for run in bed.runs(row)] == ["completed"]
