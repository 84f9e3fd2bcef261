"""The timetable's tools: what they read, write and reply."""
