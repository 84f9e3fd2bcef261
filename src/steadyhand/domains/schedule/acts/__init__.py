"""A person's own acts on courses, tasks and days."""
