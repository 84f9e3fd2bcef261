"""Decides how what school systems and timetable apps export becomes lessons, by its content alone; it stores nothing."""
