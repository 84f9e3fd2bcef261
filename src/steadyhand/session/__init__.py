"""A person's conversation: what they decided, and when. It must not let a model decide or do a change's work itself."""
