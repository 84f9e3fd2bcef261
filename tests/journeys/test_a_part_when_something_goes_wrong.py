"""A conversation about parts goes on when a part is damaged, a process is gone or a change needs nothing; nobody is left without a word."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cli_chat.ground import Sitting
from steadyhand.core.clock import FakeClock
from steadyhand.core.config import Settings
from steadyhand.core.ids import LOCAL_SESSION, LOCAL_USER
from steadyhand.core.wire import Completion, ToolCall
from steadyhand.domains.cae import compiling
from steadyhand.domains.cae.choice import Choice, Choices
from steadyhand.domains.cae.choosing import named
from steadyhand.domains.cae.proposing import propose_tool
from steadyhand.memory.tiers import Tiers
from steadyhand.memory.working import Working
from steadyhand.store.changes import changes
from steadyhand.store.sessions import conversations
from steadyhand.tools.base import ToolContext
from steadyhand.wiring.app import App, open_app
from trial_domains.stand import run

GRID = '{"nodes":[],"elements":[],"grids":[{"id":"P","origin":[0,0,0],"u":[60,0,0],"v":[0,100,0],"divisions":[6,10]}]}'
SPEC = Completion("Create a plate.\nPlanned Part operations: build")


def asking(*names: str) -> Completion:
    made = tuple(ToolCall(f"call_{place}", name, "{}") for place, name in enumerate(names, 1))
    return Completion(tool_calls=made, finish="tool_calls")


def plate(*more) -> tuple:
    build = Completion(tool_calls=(ToolCall("call_1", "build_part", GRID),), finish="tool_calls")
    return (asking("propose_part_change"), SPEC, build, *more)


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    made = open_app(Settings(data_dir=tmp_path), "en", FakeClock(datetime(2026, 9, 1, 1, 0, tzinfo=UTC)))
    yield made
    made.store.close()


def built(app: App, *more) -> Sitting:
    here = Sitting(app, plate(*more))
    here.says("/module part plate", "Build a plate of 60 by 100", "yes", "yes")
    assert here.face.texts[-1].startswith("C-1: verified")
    return here


def damage(app: App) -> None:
    summary = app.settings.data_dir / "cae" / LOCAL_USER / "main" / "plate" / "versions" / "1" / "summary.json"
    summary.write_bytes(summary.read_bytes() + b" ")


def numbers(app: App) -> list[int]:
    return [row.number for row in app.store.read_now(lambda tx: changes.of_user(tx, LOCAL_USER))]


def test_a_damaged_part_is_told_once_and_the_session_goes_on(app):
    here = built(app, Completion("Hello."))
    damage(app)
    here.says("/undo C-1")
    assert here.face.texts[-1].startswith("main/plate is damaged: versions/1/summary.json")
    here.says("hello?")
    assert here.face.texts[-1] == "Hello."
    assert sum("is damaged" in text for text in here.face.texts) == 1


def test_a_yes_about_a_damaged_part_is_answered_and_not_taken_up_again(app):
    here = built(
        app, asking("propose_part_change"), Completion("Copy it.\nPlanned Part operations: transform"), Completion("Hi.")
    )
    here.says("Put a copy beside it")
    damage(app)
    here.says("yes")
    assert here.face.texts[-1].startswith("main/plate is damaged")
    here.says("hello?")
    assert here.face.texts[-1] == "Hi."
    assert here.provider.left == 0


def test_going_on_with_a_change_that_waits_for_no_provider_shows_it(app):
    here = Sitting(app, plate())
    here.says("/module part plate", "Build a plate of 60 by 100")
    for state in ("please review the spec", "ready; when you approve", "verified by reading back"):
        here.says("/continue C-1")
        assert state in here.face.texts[-1]
        here.says("yes") if "verified" not in state else None


def test_what_breaks_after_a_message_was_settled_does_not_put_it_into_the_history_twice(app, monkeypatch):
    here = Sitting(app, plate())
    here.says("/module part plate", "Build a plate of 60 by 100")

    def broken(*_):
        raise ValueError("broken")

    monkeypatch.setattr(compiling, "present", broken)
    here.says("yes")
    assert here.face.texts[-1].startswith("Internal error")
    said = app.store.read_now(lambda tx: conversations.history(tx, LOCAL_USER, LOCAL_SESSION))
    assert [entry.content for entry in said if entry.role == "user"].count("yes") == 1


def test_the_person_hears_that_a_change_is_open_before_its_spec_is_there(app):
    heard = []

    def writing(request):
        heard.extend(here.face.texts)
        return SPEC

    here = Sitting(app, (asking("propose_part_change"), writing))
    here.says("/module part plate", "Build a plate of 60 by 100")
    assert heard[-1].startswith("C-1 is open for main/plate")
    assert here.face.texts[-1].endswith("C-1: please review the spec (digest " + here.face.texts[-1][-9:])


@pytest.mark.parametrize("origin", ["wake", "cron", "heartbeat", "job", "subagent"])
def test_a_turn_that_no_person_began_opens_no_change_whatever_its_words_are(app, origin):
    choices = Choices(Working(app.store, Tiers()))
    name = named("plate")

    async def called():
        await choices.put(LOCAL_USER, LOCAL_SESSION, Choice("part", name.model, name.part))
        tool = propose_tool(app.controller, choices, None, None)  # type: ignore[arg-type]  # it comes to no review here
        context = ToolContext(LOCAL_USER, LOCAL_SESSION, app.store.clock, "en", origin=origin, said="Build a plate of 60 by 100")
        return await tool.body(context, tool.arguments())

    assert run(called()).code == "nothing_said"
    assert numbers(app) == []


def test_one_damaged_part_hides_no_other(app):
    read: list[str] = []

    def reading(request):
        read.append(request.messages[-1].content)
        return Completion("Two.")

    here = built(app, *plate(), asking("list_parts"), reading)
    here.says("/module part other", "Build a plate of 60 by 100", "yes", "yes")
    damage(app)
    here.says("Which parts are there?")
    assert "main/other" in read[0]
    assert "main/plate is damaged" in read[0]


DYING = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from cli_chat.ground import Sitting
from steadyhand.core.clock import FakeClock
from steadyhand.core.config import Settings
from steadyhand.wiring.app import open_app
app = open_app(Settings(data_dir=Path(sys.argv[1])), "en", FakeClock(datetime(2026, 9, 1, 1, 0, tzinfo=UTC)))
Sitting(app, ()).says("Build a plate of 60 by 100")
"""


@pytest.mark.crash
def test_a_turn_that_is_run_again_after_its_process_died_has_its_change_written_too(app, tmp_path):
    Sitting(app, ()).says("/module part plate")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("STEADYHAND_")}
    died = subprocess.run(
        [sys.executable, "-c", DYING, str(tmp_path)],
        env={**kept, "PYTHONPATH": str(Path(__file__).parent.parent), "STEADYHAND_FAULT": "turn.begun"},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr
    here = Sitting(app, (asking("propose_part_change"), SPEC))
    here.does(lambda room: asyncio.sleep(0))
    assert "C-1: please review the spec" in here.face.texts[-1]
    assert here.provider.left == 0
