"""The timetable: windows, days and slots, courses and tasks. It must not write but through the gate or a draft."""
