"""What a timetable tool answers: checks of what was asked, and the words that replies share."""
