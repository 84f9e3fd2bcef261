"""Runs a turn many times in one event loop and prints CPU and wall time per turn as one line of JSON."""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable

WARM = 20


def measure(turn: Callable[[int], Awaitable[None]], count: int) -> None:
    """Print the seconds of CPU and of wall time that one turn took, after some that do not count."""

    async def run() -> None:
        for number in range(WARM):
            await turn(number)
        cpu, wall = time.process_time(), time.perf_counter()
        for number in range(WARM, WARM + count):
            await turn(number)
        spent = {"cpu": (time.process_time() - cpu) / count, "wall": (time.perf_counter() - wall) / count}
        print(json.dumps(spent), file=sys.stdout, flush=True)

    asyncio.run(run())
