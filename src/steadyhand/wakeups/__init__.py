"""Wake-ups: follow-ups, timed tasks and heartbeats, which come when they were meant to. It must not speak past a session."""
