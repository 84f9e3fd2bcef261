"""Complaint 7 (sipeed/picoclaw#2687): each timed report came with a second "already sent" report."""

from session.ground import call, said


def test_words_behind_a_report_that_was_sent_are_not_a_second_report(bed_for):
    bed = bed_for(call("send_private_message", message_text="three letters"), said("The report has been sent."))
    bed.timed("every", "2h", "report on the mail")
    bed.pass_time(hours=2)
    assert bed.wake() == ["three letters"]
    assert bed.wake() == []


def test_a_report_that_no_tool_has_sent_is_the_final_text_once(bed_for):
    bed = bed_for(said("three letters"))
    bed.timed("every", "2h", "report on the mail")
    bed.pass_time(hours=2)
    assert bed.wake() == ["three letters"]
