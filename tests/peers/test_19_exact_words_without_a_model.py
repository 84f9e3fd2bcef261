"""Complaint 19 (AstrBotDevs/AstrBot#5112): exact delivery without a model was wanted beside the kind that wakes one."""


def test_an_exact_text_comes_word_for_word_without_a_model(bed_for):
    bed = bed_for()
    bed.timed("at", "2026-09-07T01:30Z", "  Room 4, 1:30 -- *sharp*", kind="text")
    bed.pass_time(minutes=30)
    assert bed.wake() == ["Room 4, 1:30 -- *sharp*"]
    assert bed.room.provider.requests == []
