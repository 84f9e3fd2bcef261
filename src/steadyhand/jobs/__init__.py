"""Decides how work is done aside, in a child process with limits; it must not know what the work means."""
