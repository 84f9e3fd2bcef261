"""The simulator speaks OneBot: a third-party framework, run as the application, understands it; and its models read what it sends."""

import asyncio
import contextlib
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from onebot_simulator.simulator import Simulator, segment, shown, text

CHILD = Path(__file__).parents[1] / "onebot_simulator" / "nonebot_app.py"
TOKEN, FRIEND = "a-token-of-the-framework", 20002
SECONDS = 60.0


class Framework:
    """The framework's process, and what it says."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def next(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = await asyncio.wait_for(self._process.stdout.readline(), SECONDS)
        assert line, "the framework has ended"
        return json.loads(line)


@contextlib.asynccontextmanager
async def framework(api_timeout: float = 20.0):
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(CHILD),
        str(api_timeout),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={**os.environ, "TOKEN": TOKEN},
    )
    try:
        made = Framework(process)
        port = (await made.next())["port"]
        yield made, f"ws://127.0.0.1:{port}/onebot/v11/ws"
    finally:
        process.kill()
        await process.wait()


async def connected(url: str, form: str = "array") -> Simulator:
    """Connect as soon as the framework listens."""
    async with asyncio.timeout(SECONDS):
        while True:
            try:
                return await Simulator(url, TOKEN, form=form).connect()
            except OSError:
                await asyncio.sleep(0.05)


def test_a_framework_hears_the_simulator_and_is_answered_by_it():
    async def scene():
        async with framework(1.0) as (app, url):
            napcat = await connected(url)
            napcat.moods = [{}, {"refuse": (1200, "Timeout: sendMsg")}, {"lose": True}]
            told = []
            for number in range(3):
                heard = await napcat.says(FRIEND, segment("reply", id="7"), f"line {number} [x] & ", segment("face", id="1"))
                told.append((heard, await app.next(), await app.next()))
                await napcat.heartbeat()
            calls = napcat.calls
            await napcat.close()
            return told, calls

    told, calls = asyncio.run(scene())
    for number, (heard, understood, _) in enumerate(told):
        assert understood == {
            "self": "10001",
            "from": FRIEND,
            "id": heard,
            "text": f"line {number} [x] & ",
            "quotes": understood["quotes"],
        }
    assert isinstance(told[0][2]["sent"]["message_id"], int)
    assert told[1][2] == {"failed": 1200}
    assert told[2][2] == {"silence": True}
    sent = [call for call in calls if call["action"] == "send_private_msg"]
    assert [shown(call["params"]["message"]) for call in sent] == [
        f"heard [line {number} [x] & ] & thanks" for number in range(3)
    ]


def test_a_framework_hears_the_string_form_too_and_refuses_a_wrong_token():
    from websockets.exceptions import InvalidStatus

    async def scene():
        async with framework() as (app, url):
            napcat = await connected(url, "string")
            await napcat.says(FRIEND, "a [b] & c", segment("image", file="x.png"))
            understood = await app.next()
            await napcat.close()
            with pytest.raises(InvalidStatus):
                await Simulator(url, "wrong").connect()
            return understood

    assert asyncio.run(scene())["text"] == "a [b] & c"


@pytest.mark.parametrize("form", ["array", "string"])
def test_the_models_of_the_framework_read_every_event(form):
    pytest.importorskip("nonebot.adapters.onebot.v11")
    from nonebot.adapters.onebot.v11 import Adapter
    from nonebot.adapters.onebot.v11.event import HeartbeatMetaEvent, LifecycleMetaEvent, PrivateMessageEvent

    sent: list[str] = []

    async def keep(frame: str) -> None:
        sent.append(frame)

    napcat = Simulator("", TOKEN, form=form)
    napcat.raw = keep

    async def scene():
        await napcat.event(post_type="meta_event", meta_event_type="lifecycle", sub_type="connect")
        await napcat.heartbeat()
        await napcat.says(FRIEND, text("hello "), segment("image", file="a.png"), segment("at", qq="10001"))

    asyncio.run(scene())
    lifecycle, heartbeat, private = (Adapter.json_to_event(json.loads(frame)) for frame in sent)
    assert isinstance(lifecycle, LifecycleMetaEvent)
    assert isinstance(heartbeat, HeartbeatMetaEvent)
    assert isinstance(private, PrivateMessageEvent)
    assert [one.type for one in private.message] == ["text", "image", "at"]
    assert private.get_plaintext() == "hello "
    assert private.user_id == FRIEND


def test_the_simulator_refuses_what_the_protocol_does_not_have():
    from websockets.asyncio.server import serve

    from channels.ground import until

    answers: list[dict[str, Any]] = []

    async def application(connection):
        await connection.recv()
        for frame in ({"action": "fly", "params": {}}, {"action": "send_private_msg", "params": {"user_id": "x", "message": []}}):
            await connection.send(json.dumps({**frame, "echo": "e"}))
            answers.append(json.loads(await connection.recv()))

    async def scene():
        async with serve(application, "127.0.0.1", 0) as server:
            port = next(iter(server.sockets)).getsockname()[1]
            napcat = await Simulator(f"ws://127.0.0.1:{port}", TOKEN).connect()
            await until(lambda: len(answers) == 2)
            await napcat.close()

    asyncio.run(scene())
    assert [(answer["status"], answer["retcode"], answer["echo"]) for answer in answers] == [
        ("failed", 1404, "e"),
        ("failed", 1400, "e"),
    ]
