"""Decides to whom the end of work that goes on by itself may go: the person, the agent that started it, both, or nobody. It must not deliver."""

from typing import Literal, TypeAlias

Delivery: TypeAlias = Literal["user", "parent", "both", "none"]
