"""Decides whether the real adapter reads a recorded response as its case expects; it must not know how the adapter reads."""

import asyncio
import base64
import binascii
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from steadyhand.core.canonical import Json
from steadyhand.core.clock import SystemClock
from steadyhand.core.wire import Completion, Message, Request, ToolSpec
from steadyhand.llm.endpoint import Endpoint, TimeLimits
from steadyhand.llm.openai_compat import OpenAICompat
from steadyhand.llm.playing import Player, Recorded
from steadyhand.llm.provider import ProviderError, complete

ANY_ID = "*any*"
AT_ONCE = 16
TOOLS = "tools.json"
Fault = Literal["no_case", "no_tools", "no_cases"]
_CASE = re.compile(r"\d{3}-.*\.json")

Object = Mapping[str, Json]


class Unreadable(Exception):
    """A file that is no case, or a folder without what its cases need."""

    def __init__(self, file: Path, fault: Fault | str) -> None:
        super().__init__(fault)
        self.file = file
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Case:
    """One recorded response: the tools that were offered, what to play, what must come of it."""

    id: str
    tools: tuple[ToolSpec, ...]
    recorded: Recorded
    expect: Object


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a case, in the form in which cases say what they expect."""

    outcome: Literal["ok", "error"]
    completion: Completion | None = None
    error: ProviderError | None = None

    def told(self) -> Object:
        """Return it as JSON."""
        if self.error is not None:
            error = self.error
            told: dict[str, Json] = {"outcome": "error", "error_kind": error.kind, "reason": error.reason, "about": error.about}
            return told | {"status": error.status, "retryable": error.retryable, "retry_after": error.retry_after}
        found = self.completion or Completion()
        calls = [{"id": call.id, "name": call.name, "arguments": json.loads(call.arguments)} for call in found.tool_calls]
        return {
            "outcome": "ok",
            "text": found.text,
            "reasoning": found.reasoning,
            "tool_calls": calls,
            "finish": found.finish,
        }


@dataclass(frozen=True, slots=True)
class Result:
    """Whether a case passed, with what was expected and found."""

    id: str
    passed: bool
    expected: Object
    found: Object


def read_cases(path: Path) -> list[Case]:
    """Return the cases of a folder, or the one of a file; raises `Unreadable` before any of them is run."""
    folder = path if path.is_dir() else path.parent
    files = sorted(file for file in path.iterdir() if _CASE.fullmatch(file.name)) if path.is_dir() else [path]
    if not files:
        raise Unreadable(path, "no_cases")
    try:
        tools = _tools(_json(folder / TOOLS))
    except FileNotFoundError:
        raise Unreadable(folder / TOOLS, "no_tools") from None
    except (KeyError, TypeError, AttributeError, ValueError):
        raise Unreadable(folder / TOOLS, "no_case") from None
    return [_read(file, tools) for file in files]


def _read(file: Path, tools: Mapping[str, ToolSpec]) -> Case:
    try:
        case = _json(file)
        http, expect = cast("Object", case["http"]), cast("Object", case["expect"])
        request = cast("Object", case.get("request", {}))
        offered = cast("Sequence[str]", request.get("tools", ()))
        recorded = Recorded(
            status=int(cast("int", http["status"])),
            headers=tuple((str(name), str(value)) for name, value in cast("Object", http.get("headers", {})).items()),
            chunks=tuple(_bytes(chunk) for chunk in cast("Sequence[Json]", http["chunks"])),
            clean={"clean": True, "abort": False}[str(http.get("close", "clean"))],
        )
        outcome = {"ok": "ok", "error": "error"}[str(expect["outcome"])]
        return Case(str(case["id"]), tuple(tools[name] for name in offered), recorded, {**expect, "outcome": outcome})
    except OSError as error:
        raise Unreadable(file, error.strerror or type(error).__name__) from None
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError):
        raise Unreadable(file, "no_case") from None


def _json(file: Path) -> dict[str, Json]:
    return cast("dict[str, Json]", json.loads(file.read_text(encoding="utf-8")))


def _tools(listed: Mapping[str, Json]) -> dict[str, ToolSpec]:
    found: dict[str, ToolSpec] = {}
    for name, entry in listed.items():
        function = cast("Object", cast("Object", entry)["function"])
        found[name] = ToolSpec(name, str(function.get("description", "")), cast("Object", function["parameters"]))
    return found


def _bytes(chunk: Json) -> bytes:
    if isinstance(chunk, str):
        return chunk.encode()
    try:
        return base64.b64decode(str(cast("Object", chunk)["b64"]), validate=True)
    except binascii.Error as error:
        raise ValueError from error


# ---- running ---------------------------------------------------------------------------------------------------------


async def run_cases(cases: Sequence[Case]) -> list[Result]:
    """Play every case to the adapter, several at once; the results come in the order of the cases."""
    turns = asyncio.Semaphore(AT_ONCE)
    async with Player([case.recorded for case in cases]) as player:

        async def run(number: int, case: Case) -> Result:
            async with turns:
                found = await _outcome(player.address(number), case)
            return Result(case.id, passes(found, case.expect), case.expect, found.told())

        return list(await asyncio.gather(*(run(number, case) for number, case in enumerate(cases))))


async def _outcome(address: str, case: Case) -> Outcome:
    endpoint = Endpoint(address, "recorded", limits=TimeLimits(connect=5, first_byte=10, between=10, total=60))
    provider = OpenAICompat(endpoint, clock=SystemClock(), pause=_no_pause)
    try:
        return Outcome("ok", await complete(provider, Request((Message("user", "-"),), case.tools)))
    except ProviderError as error:
        return Outcome("error", error=error)
    finally:
        await provider.aclose()


async def _no_pause(_seconds: float) -> None:
    """Ask again at once: a recorded server says the same each time, and nobody waits for it."""


# ---- comparing -------------------------------------------------------------------------------------------------------


def passes(found: Outcome, expect: Object) -> bool:
    """Tell whether *found* is what a case expects, or one of the outcomes that it accepts as well."""
    also = cast("Sequence[Object]", expect.get("also_accept", ()))
    return any(_is_expected(found, one) for one in (expect, *also))


def _is_expected(found: Outcome, expect: Object) -> bool:
    if found.outcome != expect["outcome"]:
        return False
    if found.error is not None:
        kinds = cast("Sequence[str]", expect.get("error_kind", ()))
        told = found.told()
        known = [name for name in ("status", "retryable", "retry_after") if name in expect]
        return (not kinds or found.error.kind in kinds) and all(_same(told[name], expect[name]) for name in known)
    told = found.told()
    finish = expect.get("finish", told["finish"])
    return (
        all(_same(told[name], expect[name]) for name in ("text", "reasoning") if name in expect)
        and (told["finish"] in finish if isinstance(finish, list) else told["finish"] == finish)
        and ("tool_calls" not in expect or _same_calls(told["tool_calls"], expect["tool_calls"]))
    )


def _same_calls(found: Json, expect: Json) -> bool:
    given, wanted = cast("Sequence[Object]", found), cast("Sequence[Object]", expect)
    ids = [str(call["id"]) for call in given]
    return (
        len(given) == len(wanted)
        and len(set(ids)) == len(ids)
        and all(ids)
        and all(
            one["name"] == other["name"] and other["id"] in (one["id"], ANY_ID) and _same(one["arguments"], other["arguments"])
            for one, other in zip(given, wanted, strict=True)
        )
    )


def _same(one: Json, other: Json) -> bool:
    """Compare two values of JSON: true is not 1, while 1 and 1.0 are the same number."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_same(left, right) for left, right in zip(one, other, strict=True))
    return one == other
