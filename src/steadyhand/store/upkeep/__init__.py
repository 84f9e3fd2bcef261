"""What looks after the database as a whole: its shape, its health, copies of it."""
