"""A process of its own that changes a part at the gate: ``python -m trial_parts.child URL FOLDER``; it may be killed on the way."""

import sys
from pathlib import Path

from steadyhand.core.clock import SystemClock
from trial_domains.stand import me, run
from trial_parts.gate import change, over
from trial_parts.stand import AUDIT, COPY


async def story(stand):
    row = await change(stand, COPY, AUDIT)
    return (await stand.controller.approve(me(), row.number, row.seal_digest)).state


if __name__ == "__main__":
    stand = over(sys.argv[1], Path(sys.argv[2]), SystemClock())
    sys.stdout.write(run(story(stand)))
