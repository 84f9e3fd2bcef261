"""A process of its own that takes up what waits in a session: ``python -m session.child URL FOLDER STORY [TEXT]``."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from session.ground import DESK, ME, Room, call, calls, over, said
from steadyhand.core import logs
from steadyhand.core.clock import SystemClock
from steadyhand.core.wire import Completion, Request


class Answering:
    """Answers each message with its own words, slowly, and notes when it begins and ends."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "turns.log"

    def _note(self, mark: str, text: str) -> None:
        with self._log.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"mark": mark, "said": text, "pid": os.getpid()}) + "\n")

    async def stream(self, request: Request) -> AsyncIterator[Completion]:
        text = request.messages[-1].content
        self._note("begin", text)
        for _ in range(20):
            await asyncio.sleep(0.001)
        self._note("end", text)
        yield Completion(f"answer to {text}")


async def talk_all(room: Room) -> None:
    """Say four things, each taken up by whoever has the lane; go when nothing waits any more."""
    room = room.again(Answering(room.folder))
    for index in range(4):
        await room.say(f"{os.getpid()} says {index}")
        await room.talk.run(ME, DESK, "en")
    while room.waiting():
        await room.talk.run(ME, DESK, "en")
        await asyncio.sleep(0.005)


async def talk(room: Room) -> None:
    """Take up what waits, with the script that the story's name tells; a fault point may end the process on the way."""
    await room.talk.run(ME, DESK, "en")


SCRIPTS = {
    "plain": (said("the answer"),),
    "elsewhere": (said("the answer"),),
    "calling": (call("jot", text="a"), said("noted")),
    "asking": (call("ask_user", question="which one?", options=["red", "blue"]),),
    "reviewing": (calls(("note", {"text": "monday"})), said("there it is")),
}


def main() -> None:
    logs.configure("error")
    url, folder, story = sys.argv[1:4]
    room = over(url, Path(folder), SystemClock(), *SCRIPTS.get(story, ()))
    room.channel.shows_again = story != "elsewhere"
    asyncio.run(talk_all(room) if story == "talk_all" else talk(room))


if __name__ == "__main__":
    main()
