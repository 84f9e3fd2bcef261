"""Complaint 12 (openclaw/openclaw#42640): jobs ran twice after a restart."""


def test_a_restart_between_any_two_steps_runs_nothing_twice(bed_for):
    bed = bed_for(thinks=False)
    row = bed.timed("every", "1h", "drink", kind="text")
    for _ in range(3):
        bed.pass_time(hours=1)
        bed.tick()
        bed = bed.again(thinks=False)
        bed.tick()
        assert bed.run() == ["drink"]
        bed = bed.again(thinks=False)
        assert bed.wake() == []
    assert [run.outcome for run in bed.runs(row)] == ["completed"] * 3
