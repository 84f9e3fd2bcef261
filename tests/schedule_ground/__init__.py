"""What the tests of the timetable stand on: a gate over a term with two courses and some tasks, of either database."""
