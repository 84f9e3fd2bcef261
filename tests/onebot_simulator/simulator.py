"""Decides how a simulated OneBot implementation behaves: as NapCat does, and, where a test asks for it, badly."""

import asyncio
import itertools
import json
from collections.abc import Callable, Sequence
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

SECONDS = 60.0
STARTED = 1_788_000_000

Mood = dict[str, Any]
"""How one action is answered: ``lose`` (done, but not answered), ``hold`` (answered when told to), ``refuse`` (a retcode, words)."""


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "data": {"text": words}}


def segment(kind: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, "data": data}


def escaped(words: str, *, inside: bool) -> str:
    for mark, code in (("&", "&amp;"), ("[", "&#91;"), ("]", "&#93;"), *(((",", "&#44;"),) if inside else ())):
        words = words.replace(mark, code)
    return words


def as_codes(segments: Sequence[dict[str, Any]]) -> str:
    """Write segments in the string form."""
    parts = []
    for one in segments:
        if one["type"] == "text":
            parts.append(escaped(one["data"]["text"], inside=False))
        else:
            data = "".join(f",{name}={escaped(str(value), inside=True)}" for name, value in one["data"].items())
            parts.append(f"[CQ:{one['type']}{data}]")
    return "".join(parts)


class Simulator:
    """One account's implementation. *calls* are the actions that it was asked for, *people* what those whom it reaches have got."""

    def __init__(self, url: str, token: str, self_id: int = 10001, form: str = "array") -> None:
        self.url = url
        self.token = token
        self.self_id = self_id
        self.form = form
        self.passing = 0
        """So many seconds pass by its clock before each message of a person."""
        self.wrong = 0
        """So many seconds is its clock fast."""
        self._time = STARTED
        self.calls: list[dict[str, Any]] = []
        self.people: list[tuple[int, str]] = []
        self.moods: list[Mood] = []
        self.held: list[dict[str, Any]] = []
        self.reads = True
        self._ids = itertools.count(501)
        self._changed = asyncio.Condition()
        self._connection: ClientConnection | None = None
        self._working: asyncio.Task[None] | None = None

    # --- the connection ------------------------------------------------------------------------------------------------

    async def connect(self, headers: dict[str, str] | None = None, *, lifecycle: bool = True) -> "Simulator":
        """Connect and say so, as the protocol has it; *headers* stand in the place of the usual ones."""
        usual = {"X-Self-ID": str(self.self_id), "X-Client-Role": "Universal", "Authorization": f"Bearer {self.token}"}
        self._connection = await connect(
            self.url, additional_headers=usual if headers is None else headers, user_agent_header="OneBot/11", proxy=None
        )
        self._working = asyncio.create_task(self._work(self._connection))
        if lifecycle:
            await self.event(post_type="meta_event", meta_event_type="lifecycle", sub_type="connect")
        return self

    async def close(self) -> None:
        """Leave as a program does that is shut down."""
        if self._connection is not None:
            await self._connection.close()
        await self.ended()

    async def drop(self) -> None:
        """Vanish without a word."""
        if self._connection is not None:
            self._connection.transport.abort()
        await self.ended()

    async def ended(self) -> None:
        """Wait until the connection has ended, whoever ended it."""
        if self._working is not None:
            await asyncio.wait_for(self._working, SECONDS)

    @property
    def is_open(self) -> bool:
        return self._working is not None and not self._working.done()

    # --- what it says --------------------------------------------------------------------------------------------------

    async def raw(self, frame: str | bytes) -> None:
        assert self._connection is not None
        await self._connection.send(frame)

    async def event(self, **event: Any) -> dict[str, Any]:
        whole = {"time": STARTED + self.wrong, "self_id": self.self_id, **event}
        await self.raw(json.dumps(whole, ensure_ascii=False))
        return whole

    async def heartbeat(self, *, good: bool = True) -> dict[str, Any]:
        return await self.event(
            post_type="meta_event", meta_event_type="heartbeat", status={"online": good, "good": good}, interval=30000
        )

    def private(self, account: int, *said: dict[str, Any] | str, message_id: int | None = None, **more: Any) -> dict[str, Any]:
        """Return the event of a private message from *account*."""
        segments = [text(one) if isinstance(one, str) else one for one in said]
        codes = as_codes(segments)
        named = next(self._ids) if message_id is None else message_id
        self._time += self.passing
        return {
            "time": self._time,
            "self_id": self.self_id,
            "post_type": "message",
            "message_type": "private",
            "sub_type": "friend",
            "message_id": named,
            "message_seq": named,
            "real_id": named,
            "user_id": account,
            "message": segments if self.form == "array" else codes,
            "message_format": self.form,
            "raw_message": codes,
            "font": 14,
            "sender": {"user_id": account, "nickname": "somebody", "card": ""},
            **more,
        }

    async def says(self, account: int, *said: dict[str, Any] | str, message_id: int | None = None, **more: Any) -> int:
        """Let *account* say something; return the message's id."""
        event = self.private(account, *said, message_id=message_id, **more)
        await self.raw(json.dumps(event, ensure_ascii=False))
        return int(event["message_id"])

    async def answer_held(self, index: int = 0) -> None:
        """Answer one of the actions whose answers are held back."""
        await self._answer(self.held.pop(index))

    # --- what it is asked for ------------------------------------------------------------------------------------------

    async def _work(self, connection: ClientConnection) -> None:
        try:
            while True:
                await self.until(lambda: self.reads, seconds=None)
                await self._take(json.loads(await connection.recv()))
        except ConnectionClosed:
            await self._note()

    async def _take(self, frame: dict[str, Any]) -> None:
        self.calls.append(frame)
        problem = _problem(frame)
        mood = self.moods.pop(0) if self.moods and problem is None else {}
        if problem is not None or "refuse" in mood:
            retcode, words = problem or mood["refuse"]
            await self._answer({"echo": frame.get("echo"), "status": "failed", "retcode": retcode, "data": None, "words": words})
        else:
            self.people.append((frame["params"]["user_id"], shown(frame["params"]["message"])))
            answer = {
                "echo": frame["echo"],
                "status": "ok",
                "retcode": 0,
                "data": {"message_id": next(self._ids)},
                "words": "",
            }
            if "hold" in mood:
                self.held.append(answer)
            elif "lose" not in mood:
                await self._answer(answer)
        await self._note()

    async def _answer(self, answer: dict[str, Any]) -> None:
        words = answer.pop("words")
        await self.raw(json.dumps({**answer, "message": words, "wording": words}, ensure_ascii=False))

    async def _note(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def until(self, holds: Callable[[], bool], seconds: float | None = SECONDS) -> None:
        """Wait until something about this implementation holds."""
        async with self._changed:
            await asyncio.wait_for(self._changed.wait_for(holds), seconds)

    async def read_again(self) -> None:
        self.reads = True
        await self._note()

    async def gets(self, count: int) -> list[str]:
        """Wait until people have got so many messages; return what they read."""
        await self.until(lambda: len(self.people) >= count)
        return [words for _, words in self.people]


def shown(message: Any) -> str:
    """Return what a person reads of a message."""
    if isinstance(message, str):
        return message
    return "".join(one["data"]["text"] for one in message if one["type"] == "text")


def _problem(frame: dict[str, Any]) -> tuple[int, str] | None:
    """Return why an action is refused, as the protocol has it."""
    params = frame.get("params")
    if frame.get("action") != "send_private_msg":
        return 1404, "no such action"
    if not isinstance(params, dict) or not isinstance(params.get("user_id"), int) or not params.get("message"):
        return 1400, "bad params"
    message = params["message"]
    good = isinstance(message, str) or all(isinstance(one, dict) and {"type", "data"} <= set(one) for one in message)
    return None if good else (1400, "bad message")
