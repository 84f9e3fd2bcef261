"""A second Ctrl-C leaves although a turn still runs; the turn is settled, and the next chat says what became of it."""

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from cli_chat.ground import Sitting, Waits
from steadyhand.cli.chat_here import _Here
from steadyhand.cli.chat_room import Room
from steadyhand.core.ids import LOCAL_SESSION
from steadyhand.core.language import say
from steadyhand.wiring import App


def test_ctrl_c_twice_leaves_a_running_turn_settled(
    app: App, sit: Callable[..., Sitting], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def alone(_frame: Any, _room: Room, stop: asyncio.Event) -> None:
        await stop.wait()

    monkeypatch.setattr("steadyhand.cli.chat_here.host_meanwhile", alone)
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
    assert stopped == [say("en", "agent.end.stopped", ran=say("en", "agent.end.nothing_ran"))]
