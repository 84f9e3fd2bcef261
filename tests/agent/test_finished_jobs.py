"""The end of a job that an agent is to read is not lost with the turn that reads it, wherever that turn dies."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from agent.workshop import Two, Workshop
from session.ground import DESK, ME, call, said
from steadyhand.jobs.book import Start
from steadyhand.jobs.ending import Ended, end, tell
from steadyhand.store import Store
from steadyhand.store.people import people
from trial_domains import stand as trial

SCRIPT = (call("jot", text="read it"), said("I have read it."))


@pytest.fixture
def workshop_now(database_url: str, folder: Path) -> Iterator[Callable[..., Workshop]]:
    """Makes a workshop with the machine's clock, which it shares with child processes."""
    with ExitStack() as stack:

        def make(*lines: Any) -> Workshop:
            trial.build(database_url, folder, None).store.close()
            made = Workshop(Store(database_url), folder, Two(lines))
            stack.callback(made.store.close)
            return made

        yield make


def finish(room: Workshop, delivery: str) -> None:
    room.store.write_now(lambda tx: people.ensure_session(tx, ME, DESK, "terminal"))
    row = asyncio.run(room.book.start(Start(ME, DESK, "agent", "look", delivery=delivery)))  # type: ignore[arg-type]  # one of four

    def work(tx: Any) -> None:
        found = end(tx, ME, row.id, None, Ended("done", "all the details", "the summary"))
        assert found is not None
        tell(tx, found)

    room.store.write_now(work)


def die(room: Workshop, fault: str) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("STEADYHAND_")}
    url = room.store.url.render_as_string(hide_password=False)
    child = subprocess.run(
        [sys.executable, "-m", "agent.finishing_child", url, str(room.folder)],
        env={**kept, "PYTHONPATH": str(Path(__file__).parent.parent), "STEADYHAND_FAULT": fault},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert child.returncode == -signal.SIGKILL, child.stderr


@pytest.mark.crash
@pytest.mark.parametrize("fault", ["turn.begun", "turn.calls_begun", "turn.before_settle"])
@pytest.mark.parametrize("delivery", ["parent", "both"])
def test_killed_while_the_agent_reads_it_the_person_is_told_once(workshop_now, fault, delivery):
    room = workshop_now()
    finish(room, delivery)
    die(room, fault)
    for _ in range(2):
        asyncio.run(room.talk.run(ME, DESK, "en"))
        asyncio.run(room.parts.outbox.deliver(ME, DESK))
    assert [row.content for row in room.unsent()] + room.channel.texts == ["Job 1, look: done.\nthe summary"]
    assert len(room.provider.agent.requests) == 0, "a woken turn is not run again"


def test_a_turn_about_a_finished_job_may_act_and_speak(workshop_now):
    room = workshop_now(*SCRIPT)
    finish(room, "parent")
    asyncio.run(room.talk.run(ME, DESK, "en"))
    assert room.channel.texts == ["jotted read it", "I have read it."]
    assert room.effects() == ["jot read it"]


def test_a_turn_about_a_finished_job_may_say_nothing(workshop_now):
    room = workshop_now(said(""))
    finish(room, "both")
    asyncio.run(room.talk.run(ME, DESK, "en"))
    assert room.channel.texts == ["Job 1, look: done.\nthe summary"]
