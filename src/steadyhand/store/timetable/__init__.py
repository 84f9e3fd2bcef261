"""What is stored of the timetable."""
