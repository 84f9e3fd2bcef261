"""Complaint 17 (AstrBotDevs/AstrBot#7111): a "go to bed" reminder was repeated eight times."""


def test_a_reminder_comes_once_however_often_is_looked(bed_for):
    bed = bed_for(thinks=False)
    bed.follow_up(commitment="go to bed")
    bed.pass_time(minutes=2)
    shown = []
    for _ in range(8):
        shown += bed.wake()
        bed.pass_time(minutes=10)
    assert len(shown) == 1
