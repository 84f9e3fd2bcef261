"""Decides whether a stranger is told once more how to be known here: once a day each, and only so many. It must keep nothing else of them."""

from datetime import datetime, timedelta

from steadyhand.core.clock import Clock

ONCE_IN = timedelta(days=1)
MOST = 500
"""So many strangers are answered in a day; beyond that nobody new is."""


class Strangers:
    """Who was told, and when; forgotten with the process, or after a day."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._told: dict[tuple[str, str], datetime] = {}

    def to_be_told(self, self_id: str, account: str) -> bool:
        """Tell whether this account is answered now; it counts as told then."""
        now = self._clock.now()
        if self._told.get((self_id, account), now - ONCE_IN) > now - ONCE_IN:
            return False
        if len(self._told) >= MOST:
            self._told = {who: when for who, when in self._told.items() if when > now - ONCE_IN}
        if len(self._told) >= MOST:
            return False
        self._told[self_id, account] = now
        return True
