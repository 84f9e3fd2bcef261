"""Complaint 15 (openclaw/openclaw#59301): killed in the middle it left no record; a started row before execution was asked for."""

from session.ground import ME, call
from steadyhand.store.later import wakeups


def test_that_it_has_started_is_on_record_before_the_model_is_asked(bed_for):
    seen = []

    def look(request):
        [row] = bed.store.read_now(lambda tx: wakeups.of_user(tx, ME))
        seen.append((row.status, row.started_at is not None, row.turn_id is not None))
        return call("finish", reason="")

    bed = bed_for(look)
    bed.follow_up()
    bed.pass_time(minutes=2)
    bed.wake()
    assert seen == [("running", True, True)]
