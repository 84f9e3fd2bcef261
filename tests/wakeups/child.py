"""A process of its own that takes up what is due and runs it: ``python -m wakeups.child URL FOLDER STORY``; it may be killed on the way."""

import asyncio
import sys
from pathlib import Path

from session.ground import DESK, ME, call, said
from steadyhand.core import logs
from steadyhand.core.clock import SystemClock
from wakeups.ground import beside

SCRIPTS = {
    "speaking": (call("send_private_message", message_text="How did it go?"), said("")),
    "silent": (call("finish", reason="no need"),),
    "words": (),
}


def main() -> None:
    logs.configure("error")
    url, folder, story = sys.argv[1:4]
    bed = beside(url, Path(folder), SystemClock(), *SCRIPTS[story], thinks=story != "words")

    async def all_of_it() -> None:
        await bed.waking.tick(100)
        await bed.room.talk.run(ME, DESK, "en")

    asyncio.run(all_of_it())


if __name__ == "__main__":
    main()
