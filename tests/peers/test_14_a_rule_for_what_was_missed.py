"""Complaint 14 (openclaw/openclaw#73644): catching up fired eleven-o'clock jobs at night; a rule per job was wanted."""

import pytest


@pytest.mark.parametrize(
    ("missed", "said"), [("run", True), ("skip", False), ({"within": 3600}, False), ({"within": 86_000}, True)]
)
def test_each_job_has_its_own_rule_and_what_is_skipped_is_said(bed_for, missed, said):
    bed = bed_for(thinks=False)
    row = bed.timed("cron", "0 11 * * *", "eleven o'clock", kind="text", zone="UTC", missed=missed)
    bed.pass_time(hours=22)
    [shown] = bed.wake()
    late = "(This was meant for Monday 2026-09-07 11:00 and comes 12 hours late.)\neleven o'clock"
    assert (shown == late) is said
    assert said or "skipped" in shown
    assert [run.outcome for run in bed.runs(row)] == ["completed" if said else "skipped"]
