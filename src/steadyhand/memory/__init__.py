"""Memory: what a turn reads of what was said before, what a session holds for a while, what a person prefers, how long all is kept."""
