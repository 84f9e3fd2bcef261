"""Decides how a timetable is written for other programs; it must not choose what is in it."""
