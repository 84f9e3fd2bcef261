"""A timetable in memory: what stands where, and what fits."""
