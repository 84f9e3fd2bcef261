"""Complaint 11 (openclaw/openclaw#143078): it repeated closed topics and posted filler each cycle."""

from session.ground import call


def test_a_turn_with_nothing_to_say_says_nothing_and_is_done(bed_for):
    bed = bed_for(call("finish", reason="the topic is closed"))
    made = bed.follow_up()
    bed.pass_time(minutes=2)
    assert bed.wake() == []
    assert (bed.row(made).status, bed.row(made).completion_action) == ("completed", "skipped")
    assert bed.wake() == []
    assert "finish" in str(bed.room.provider.requests[0].messages[-1].content)
