"""The rows of the timetable: what an operation writes, and how it is compiled, passed and presented."""
