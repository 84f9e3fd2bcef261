"""Complaint 18 (AstrBotDevs/AstrBot#6103): the model wrote text, did not call the sending tool, and the user got nothing."""

from session.ground import call, said


def test_the_model_is_told_that_nobody_sees_its_text_and_sends_it(bed_for):
    bed = bed_for(said("Time for your pills"), call("send_private_message", message_text="Time for your pills"), said(""))
    made = bed.follow_up()
    bed.pass_time(minutes=2)
    assert bed.wake() == ["Time for your pills"]
    assert bed.row(made).completion_action == "sent_private_message"


def test_if_it_does_not_that_is_on_record_with_the_text(bed_for):
    bed = bed_for(said("Time for your pills"), said("I told them"))
    made = bed.follow_up()
    bed.pass_time(minutes=2)
    assert bed.wake() == []
    assert bed.row(made).completion_action == "unknown"
    assert bed.runs(made)[0].note == "I told them"
