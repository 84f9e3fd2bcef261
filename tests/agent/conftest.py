"""A gate with trial domains, and a pause that only counts."""

import pytest

from trial_domains.ground import folder, quiet_log, stand

__all__ = ["folder", "quiet_log", "stand"]


class Pauses:
    def __init__(self):
        self.waited = []
        self.meanwhile = None

    async def __call__(self, seconds):
        self.waited.append(seconds)
        if self.meanwhile is not None:
            await self.meanwhile()


@pytest.fixture
def pauses():
    return Pauses()
