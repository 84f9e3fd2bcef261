"""Decides how a check deep inside says that a call cannot be compiled; it must not choose words."""

from steadyhand.gate.contract import Refusal


class Unfit(Exception):
    """Carries a refusal to the door, which adds the operation that it is about."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.code)
        self.refusal = refusal
