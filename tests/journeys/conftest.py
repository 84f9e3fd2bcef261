"""What journeys start from."""

from command_line.september import september

__all__ = ["september"]
