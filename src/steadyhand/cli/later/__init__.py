"""What comes later: jobs, recurring tasks and follow-ups."""
