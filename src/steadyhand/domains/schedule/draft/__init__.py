"""A draft of the timetable: how it is kept, planned on, shown and offered."""
