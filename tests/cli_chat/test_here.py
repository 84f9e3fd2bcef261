"""A second Ctrl-C leaves although a turn still runs; the turn is settled, and the next chat says what became of it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from types import SimpleNamespace
from typing import Any

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from cli_chat.ground import Sitting, Waits, calls
from steadyhand.cli.chat.here import _Here
from steadyhand.cli.chat.room import Room
from steadyhand.core.ids import LOCAL_SESSION
from steadyhand.core.language import say
from steadyhand.core.wire import Completion, Request
from steadyhand.llm.provider import ProviderEvent
from steadyhand.wiring.app import App


def test_ctrl_c_twice_leaves_a_running_turn_settled(
    app: App, sit: Callable[..., Sitting], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def alone(_frame: Any, _room: Room, stop: asyncio.Event) -> None:
        await stop.wait()

    monkeypatch.setattr("steadyhand.cli.chat.here.host_meanwhile", alone)
    provider = Waits()
    first = sit(provider=provider)

    async def work(pipe: Any) -> bool:
        here = _Here(SimpleNamespace(settings=app.settings), first.room)
        chatting = asyncio.create_task(here.until_left(LOCAL_SESSION))
        pipe.send_text("plan my life\r")
        await provider.begun.wait()
        here._interrupted()
        here._interrupted()
        return await chatting

    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        assert asyncio.run(work(pipe)) is True
    assert first.room.say("stopping") in first.face.notes
    again = sit()
    again.says()
    stopped = [*first.face.texts, *again.face.texts]
    assert stopped == [
        say("en", "agent.notice", text=say("en", "agent.end.stopped", ran=say("en", "agent.end.nothing_ran")).rstrip())
    ]


class Looks:
    """A provider that calls a tool once it may go on, and then says how often it was asked."""

    def __init__(self) -> None:
        self.begun, self.may_go_on = asyncio.Event(), asyncio.Event()
        self.requests: list[Request] = []

    async def stream(self, request: Request) -> AsyncIterator[ProviderEvent]:
        self.requests.append(request)
        if len(self.requests) == 1:
            self.begun.set()
            await self.may_go_on.wait()
            yield calls("list_changes")
            return
        yield Completion(f"answer {len(self.requests)}")


def test_lines_typed_while_a_turn_runs_are_seen_at_its_next_boundary_and_each_is_answered(
    app: App, sit: Callable[..., Sitting], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def alone(_frame: Any, _room: Room, stop: asyncio.Event) -> None:
        await stop.wait()

    monkeypatch.setattr("steadyhand.cli.chat.here.host_meanwhile", alone)
    provider = Looks()
    first = sit(provider=provider)
    handed_in, taken = asyncio.Event(), 0
    put_in = first.room.put_in

    async def noted(text: str) -> None:
        nonlocal taken
        await put_in(text)
        taken += 1
        if taken == 2:
            handed_in.set()

    monkeypatch.setattr(first.room, "put_in", noted)

    async def work(pipe: Any) -> bool:
        here = _Here(SimpleNamespace(settings=app.settings), first.room)
        chatting = asyncio.create_task(here.until_left(LOCAL_SESSION))
        pipe.send_text("one\r")
        await provider.begun.wait()
        pipe.send_text("two\rthree\r/quit\r")
        await handed_in.wait()
        provider.may_go_on.set()
        return await chatting

    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        assert asyncio.run(work(pipe)) is False
    seen = [message.content for message in provider.requests[1].messages if message.role == "user"]
    assert seen == ["one", *(say("en", "agent.meanwhile", text=text) for text in ("two", "three"))]
    assert first.face.texts == ["answer 2", "answer 3", "answer 4"]
