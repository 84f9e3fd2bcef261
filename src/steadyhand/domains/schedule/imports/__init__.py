"""Decides how files become events and tasks of a timetable, with a word on everything that was not taken as it stood; it stores nothing."""
