"""Decides what a frame from a OneBot implementation is: an answer, a private message, a sign of life, or nothing of ours. It must not act on one."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from steadyhand.channels.onebot.addresses import Peer, account_id

LONGEST_MESSAGE_ID = 64
LAST_SECOND = 253_402_300_799
"""The end of the year 9999."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of an action, found by its *echo*. *words* are the implementation's own."""

    echo: str
    status: str
    retcode: int
    message_id: str | None
    words: str


@dataclass(frozen=True, slots=True)
class Private:
    """A private message as it came, between *peer*'s two ends, written at the second *at* by the implementation's clock."""

    peer: Peer
    message_id: str | None
    message: object
    at: int | None = None


@dataclass(frozen=True, slots=True)
class Alive:
    """A meta event: a connection that begins, a heartbeat, told at the second *at* by the implementation's clock."""

    kind: str
    good: bool
    at: int | None = None


@dataclass(frozen=True, slots=True)
class Ignored:
    """Well formed, but nothing of ours: groups, notices, requests, what we said ourselves."""

    what: str


@dataclass(frozen=True, slots=True)
class Malformed:
    """No frame of the protocol."""

    why: str


Frame: TypeAlias = "Answer | Private | Alive | Ignored | Malformed"


def read_frame(text: str) -> Frame:
    """Read one frame."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return Malformed("no_json")
    if not isinstance(value, dict):
        return Malformed("no_object")
    frame = cast("dict[str, Any]", value)
    post_type = frame.get("post_type")
    if post_type is None:
        return _answer(frame)
    match post_type:
        case "message":
            return _message(frame)
        case "meta_event":
            return _meta(frame)
        case "message_sent" | "notice" | "request":
            return Ignored(post_type)
        case _:
            return Malformed("unknown_post_type")


def _answer(frame: Mapping[str, Any]) -> Answer | Malformed:
    echo, status, retcode = frame.get("echo"), frame.get("status"), frame.get("retcode")
    if not isinstance(echo, str) or not isinstance(status, str) or isinstance(retcode, bool) or not isinstance(retcode, int):
        return Malformed("no_answer")
    data: object = frame.get("data")
    named = cast("dict[str, Any]", data).get("message_id") if isinstance(data, dict) else None
    words = next((frame[key] for key in ("wording", "message", "msg") if isinstance(frame.get(key), str) and frame[key]), "")
    return Answer(echo, status, retcode, message_id(named), words)


def _message(frame: Mapping[str, Any]) -> Private | Ignored | Malformed:
    kind = frame.get("message_type")
    if not isinstance(kind, str):
        return Malformed("no_message_type")
    if kind != "private":
        return Ignored("group" if kind == "group" else "other")
    self_id, account = account_id(frame.get("self_id")), account_id(frame.get("user_id"))
    if self_id is None or account is None:
        return Malformed("no_account")
    if account == self_id:
        return Ignored("own_message")
    message = frame.get("message")
    if not isinstance(message, str | list | dict):
        message = frame.get("raw_message")
    if not isinstance(message, str | list | dict):
        return Malformed("no_message")
    return Private(Peer(self_id, account), message_id(frame.get("message_id")), cast("object", message), _second(frame))


def _meta(frame: Mapping[str, Any]) -> Alive | Malformed:
    kind = frame.get("meta_event_type")
    if not isinstance(kind, str):
        return Malformed("no_meta_event_type")
    status: object = frame.get("status")
    good = not isinstance(status, dict) or cast("dict[str, Any]", status).get("good") is not False
    return Alive(kind, good, _second(frame))


def _second(frame: Mapping[str, Any]) -> int | None:
    at = frame.get("time")
    return at if isinstance(at, int) and not isinstance(at, bool) and 0 <= at <= LAST_SECOND else None


def message_id(value: object) -> str | None:
    """Return a message's id as a text; None for what is none."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    if isinstance(value, int) and abs(value) >= 10**LONGEST_MESSAGE_ID:
        return None
    text = str(value)
    return text if 0 < len(text) <= LONGEST_MESSAGE_ID and text.isascii() and text.isprintable() else None
