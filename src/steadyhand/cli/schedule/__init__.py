"""The timetable at the command line."""
