"""A process of its own whose agent reads the end of a job: ``python -m agent.finishing_child URL FOLDER``."""

import asyncio
import sys
from pathlib import Path

from agent.workshop import Two, Workshop
from session.ground import DESK, ME, call, said
from steadyhand.core import logs
from steadyhand.store import Store


def main() -> None:
    logs.configure("error")
    url, folder = sys.argv[1:3]
    room = Workshop(Store(url), Path(folder), Two((call("jot", text="read it"), said("I have read it."))))
    room.channel.mood = "down"
    asyncio.run(room.talk.run(ME, DESK, "en"))


if __name__ == "__main__":
    main()
