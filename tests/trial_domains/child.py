"""A process of its own that tells one story at the gate: ``python -m trial_domains.child URL FOLDER STORY ...``."""

import asyncio
import os
import sys
import time
from pathlib import Path

from steadyhand.core import logs
from steadyhand.core.clock import SystemClock
from steadyhand.core.errors import DecisionRefused
from trial_domains import stand as at
from trial_domains.notebook import add_one


async def panel(stand):
    row = await stand.collecting()
    for index in range(3):
        row = await stand.controller.offer_calls(at.ME, row.number, at.good_calls(start=index, stop=index + 1))
    return (await stand.approve(row)).state


async def notebook(stand):
    row = await stand.open(at.note("monday"), at.note("tuesday"), domain="notebook")
    return (await stand.approve(row)).state


async def mailroom(stand):
    row = await stand.open(*(at.letter(to) for to in "abcde"), domain="mailroom")
    return (await stand.approve(row)).state


async def digest(stand):
    """Prepare a change and approve nothing; say what it compiled to."""
    row = await stand.sealed_from_spec()
    return f"{row.program_digest} {row.spec_digest}"


async def calls(stand):
    row = await stand.open(at.letter("a"), at.phone("b"), at.letter("c"), domain="mailroom")
    return (await stand.approve(row)).state


async def approve(stand, number):
    """Wait for the starting shot, then press approve like everybody else."""
    row = stand.row(int(number))
    _wait_for_the_shot(stand)
    try:
        return (await stand.approve(row)).state
    except DecisionRefused as error:
        return error.code


async def slow_notebook(stand, number):
    """Approve, and stop just before the transaction until somebody says go on."""

    def before_write():
        (stand.folder / "waiting").touch()
        _wait_for(stand.folder / "go")

    stand.notebook.before_write = before_write
    return (await stand.approve(stand.row(int(number)))).state


async def count(stand, times):
    _wait_for_the_shot(stand)
    for _ in range(int(times)):
        await stand.store.write(lambda tx: add_one(tx, "race"))
    return "counted"


def _wait_for_the_shot(stand):
    (stand.folder / f"ready-{os.getpid()}").touch()
    _wait_for(stand.folder / "go")


def _wait_for(path: Path) -> None:
    limit = time.monotonic() + 60
    while not path.exists():
        if time.monotonic() > limit:
            raise TimeoutError(path)
        time.sleep(0.005)


STORIES = {story.__name__: story for story in (panel, notebook, mailroom, digest, calls, approve, slow_notebook, count)}


def main() -> None:
    logs.configure("error")
    url, folder, story, *arguments = sys.argv[1:]
    stand = at.over(url, Path(folder), SystemClock())
    sys.stdout.write(asyncio.run(STORIES[story](stand, *arguments)))


if __name__ == "__main__":
    main()
