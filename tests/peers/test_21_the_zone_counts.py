"""Complaint 21 (HKUDS/nanobot#467): the zone of a timed job was stored and ignored."""

from zoneinfo import ZoneInfo

import pytest


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"])
def test_nine_o_clock_is_nine_o_clock_there_all_year(bed_for, zone):
    bed = bed_for(thinks=False)
    row = bed.timed("cron", "0 9 * * *", "x", kind="text", zone=zone, delivery="none")
    for _ in range(60):
        at = bed.meant(row)
        assert at.astimezone(ZoneInfo(zone)).strftime("%H:%M") == "09:00"
        bed.clock.at = at
        bed.wake()
        bed.pass_time(days=5)
    assert len({run.meant_at for run in bed.runs(row)}) >= 60
