"""The database itself: how it is opened, written and locked, and what all tables share."""
