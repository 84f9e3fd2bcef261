"""The tools about work in the background keep the contract; starting returns at once, with the words of the reference."""

import asyncio
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from steadyhand.agent.spawning import spawning_tools
from steadyhand.agent.turn import Limits
from steadyhand.core.clock import FakeClock
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.language import LANGUAGES
from steadyhand.core.wire import ToolCall
from steadyhand.tools.base import ToolContext
from steadyhand.tools.builtin.jobs import job_tools, start_in_background
from steadyhand.tools.policy import ToolPolicy
from steadyhand.tools.ports import Ports
from steadyhand.tools.registry import Registry
from steadyhand.tools.runner import Runner
from store.ground import a_job
from tools.walking import faults

GOLDEN = Path(__file__).parents[2] / "golden" / "tools"
TOOLS = (*job_tools(), *spawning_tools(Limits()))
CONTEXT = ToolContext(UserId("me"), SessionId("desk"), FakeClock(), "en", "turn_1", call_id="call_1")


class Desk:
    """A port that starts what it is asked to and knows one job that is done and one that waits."""

    tools = None

    def __init__(self) -> None:
        done = {"for_llm": "all the details", "for_user": "the summary", "data": None, "params": {}}
        self.rows = [
            replace(a_job("job_2"), number=2, title="wait"),
            replace(a_job("job_1"), number=1, title="look", state="done", result=done),
        ]
        self.asked: list[Any] = []

    async def hosted(self) -> bool:
        return True

    async def start_body(self, body: str, title: str, **more: Any) -> Any:
        self.asked.append((body, title, more))
        return replace(self.rows[0], number=3, title=title)

    async def start_agent(self, title: str, **more: Any) -> Any:
        self.asked.append(("agent", title, more))
        return replace(self.rows[1] if more["delivery"] == "none" else self.rows[0], number=3, title=title)

    async def cancel(self, number: int) -> Any:
        row = await self.find(number)
        return replace(row, state="cancelled") if row.state == "queued" else row

    async def find(self, number: int) -> Any:
        for row in self.rows:
            if row.number == number:
                return row
        raise ToolRefusal("job_unknown", number=number)

    async def list(self) -> Any:
        return self.rows

    async def ended(self, job: str) -> Any:
        return self.rows[1]


def context(language: Any = "en", **ports: Any) -> ToolContext:
    return replace(CONTEXT, language=language, ports=Ports(**ports))


def test_the_tools_keep_the_contract() -> None:
    assert {tool.name: tool.effect for tool in TOOLS} == {
        "job_status": "read",
        "cancel_job": "own",
        "spawn": "own",
        "subagent": "own",
    }
    assert faults(TOOLS) == []


def test_starting_a_body_hands_over_everything_and_returns_at_once() -> None:
    desk = Desk()
    started = start_in_background(
        context(jobs=desk), "steadyhand.a.body:run", "arrange", {"weeks": 2}, delivery="both", repeatable=True, seconds=600.0
    )
    result = asyncio.run(started)
    assert result.is_async
    assert (result.job_id, result.delivery, result.for_user) == ("job_2", "both", "")
    assert result.for_llm == "Task started in background\n3. arrange: waiting"
    expected = {"call": "call_1", "arguments": {"weeks": 2}, "delivery": "both", "repeatable": True, "seconds": 600.0}
    assert desk.asked == [("steadyhand.a.body:run", "arrange", expected)]


def test_where_nothing_can_be_started_that_is_said() -> None:
    runner = Runner(Registry(TOOLS), ToolPolicy())
    calls = {"job_status": "{}", "cancel_job": '{"number": 1}', "spawn": '{"task": "x"}', "subagent": '{"task": "x"}'}
    results = [asyncio.run(runner.run(context(), ToolCall("c", name, text))) for name, text in calls.items()]
    assert [(result.code, result.is_error) for result in results] == [("no_jobs_here", True)] * 4


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_model_and_person_read_stays(language: Any) -> None:
    runner = Runner(Registry(TOOLS), ToolPolicy())

    def scene(title: str, name: str, arguments: str, **more: Any) -> str:
        result = asyncio.run(runner.run(context(language, jobs=Desk(), **more), ToolCall("c", name, arguments)))
        marks = "".join(f" {name}" for name in ("silent", "is_error", "is_async") if getattr(result, name))
        return f"== {title}: {result.code}{marks}\n-- model\n{result.for_llm}\n-- person\n{result.for_user}\n"

    purse = SimpleNamespace(rest=lambda: SimpleNamespace(rounds=0, seconds=9.0, tokens=0), give=lambda tokens: None)
    body = start_in_background(context(language, jobs=Desk()), "steadyhand.a.body:run", "arrange", {})
    scenes = [
        f"== a body\n-- model\n{asyncio.run(body).for_llm}\n",
        scene("spawn", "spawn", '{"task": "look at monday", "label": "monday"}'),
        scene("spawn without a budget", "spawn", '{"task": "look"}', purse=purse),
        scene("subagent", "subagent", '{"task": "look at monday"}'),
        scene("the last jobs", "job_status", "{}"),
        scene("one job", "job_status", '{"number": 1}'),
        scene("no such job", "job_status", '{"number": 9}'),
        scene("cancel what waits", "cancel_job", '{"number": 2}'),
        scene("cancel what has ended", "cancel_job", '{"number": 1}'),
    ]
    assert "\n".join(scenes) == (GOLDEN / f"jobs.{language}.txt").read_text(encoding="utf-8")
