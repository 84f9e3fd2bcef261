"""Decides how a conversation looks at parts: which there are, a summary, regions, single rows. It must not change anything.

The first two layers are read from what was written down with a version; the others are read from its mesh in a child process.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, TypeAlias, TypeVar, cast

from pydantic import Field

from steadyhand.core.canonical import Json
from steadyhand.core.ids import UserId
from steadyhand.core.language import has, say
from steadyhand.domains.cae.calls.words import Region
from steadyhand.domains.cae.choice import Choices
from steadyhand.domains.cae.observing.looking import Looking, PartUnknown, Shelf, Shown
from steadyhand.domains.cae.observing.wording import told_detail, told_parts, told_regions, told_summary
from steadyhand.jobs.here import Limits, run_aside
from steadyhand.jobs.outcomes import demand
from steadyhand.tools.base import Arguments, Tool, ToolContext
from steadyhand.tools.result import ToolResult, error_result, tool_result

BODY = "steadyhand.domains.cae.observing.body:look"
MOST_ROWS = 200
"""As `engine.observe.MOST_ROWS`, which this process does not import."""
LIMITS = Limits(memory_mib=4_096, seconds=120.0, output_bytes=4 * 1024 * 1024)
_SLACK = 30.0

A = TypeVar("A", bound="OfPart")
Look: TypeAlias = Callable[[ToolContext, A, Shown], Awaitable[ToolResult]]


class NoArguments(Arguments):
    """Nothing to say."""


class OfPart(Arguments):
    """One of the person's own parts; without it the one that they chose for this session."""

    part: str | None = Field(default=None, min_length=1, max_length=129)


class InspectDetail(OfPart):
    """The elements or the nodes of a region, page by page."""

    region: Region
    kind: Literal["elements", "nodes"] = "elements"
    offset: int = Field(default=0, ge=0, le=1_000_000_000)
    limit: int = Field(default=50, ge=1, le=MOST_ROWS)


def inspect_tools(shelf: Shelf, choices: Choices, limits: Limits = LIMITS) -> tuple[Tool[Any], ...]:
    """Return the tools that look at the parts on *shelf*, from the widest layer to the closest."""
    looking = Looking(shelf, choices)
    seconds = limits.seconds + _SLACK

    async def regions(context: ToolContext, arguments: OfPart, shown: Shown) -> ToolResult:
        del arguments
        told = await _aside(looking, context, shown, {"region": None}, limits)
        return told if isinstance(told, ToolResult) else tool_result(told_regions(shown, told, context.language), data=told)

    async def detail(context: ToolContext, arguments: InspectDetail, shown: Shown) -> ToolResult:
        asked = arguments.model_dump(mode="json", exclude={"part"})
        told = await _aside(looking, context, shown, asked, limits)
        return told if isinstance(told, ToolResult) else tool_result(told_detail(shown, told, context.language), data=told)

    async def summary(context: ToolContext, arguments: OfPart, shown: Shown) -> ToolResult:
        del arguments
        return tool_result(told_summary(shown, context.language), data=cast("Json", shown.facts["observation"]))

    return (
        _list_parts(looking),
        Tool("observe_part", "read", OfPart, of_part(looking, summary)),
        Tool("inspect_region", "read", OfPart, of_part(looking, regions), seconds),
        Tool("inspect_detail", "read", InspectDetail, of_part(looking, detail), seconds),
    )


def _list_parts(looking: Looking) -> Tool[NoArguments]:
    async def body(context: ToolContext, arguments: NoArguments) -> ToolResult:
        del arguments
        parts, broken = await asyncio.to_thread(looking.all, context.user)
        choice = await looking.choices.read(context.user, context.session)
        rows: list[Json] = [
            {"part": str(part.name), "version": part.version, "summary": part.facts["observation"]["summary"]} for part in parts
        ]
        text = told_parts(parts, None if choice is None else choice.name, context.language, broken)
        return tool_result(text, data={"parts": rows, "choices": {"kind": "part", "rows": _rows(parts)}})

    return Tool("list_parts", "read", NoArguments, body)


def _rows(parts: list[Shown]) -> list[Json]:
    return [{"label": str(part.name), "value": str(part.name)} for part in parts]


def of_part(looking: Looking, look: Look[A]) -> Callable[[ToolContext, A], Awaitable[ToolResult]]:
    """Return a body that finds out which part is meant before it looks; one that is not the person's own is unknown."""

    async def body(context: ToolContext, arguments: A) -> ToolResult:
        try:
            name = await looking.meant(context.user, context.session, arguments.part)
        except PartUnknown as error:
            message = "cae.look.unknown" if error.wanted else "cae.look.not_chosen"
            names = ", ".join(error.names[:MOST_ROWS]) or say(context.language, "cae.look.none")
            return error_result(say(context.language, message, wanted=error.wanted, names=names), code="part_unknown")
        return await look(context, arguments, await asyncio.to_thread(looking.shown, context.user, name))

    return body


async def _aside(
    looking: Looking, context: ToolContext, shown: Shown, asked: Mapping[str, Json], limits: Limits
) -> Mapping[str, Any] | ToolResult:
    """Read the mesh of a part in a child; a part without one, and a region that is none, give the result that says so."""
    if shown.version == 0:
        return error_result(say(context.language, "cae.look.nothing", name=shown.name), code="part_empty")
    answer = await closer(looking, context.user, shown, asked, limits)
    if "told" in answer:
        return cast("Mapping[str, Any]", answer["told"])
    code = str(answer["code"])
    params = cast("Mapping[str, object]", answer["params"])
    if not has(context.language, f"refusal.{code}"):
        return error_result(say(context.language, "cae.look.refused", code=code), code=code)
    return error_result(say(context.language, f"refusal.{code}", **params), code=code)


async def closer(
    looking: Looking, user: UserId, shown: Shown, asked: Mapping[str, Json], limits: Limits = LIMITS
) -> Mapping[str, Any]:
    """Read the mesh of a part that has one in a child: ``told``, or the ``code`` and ``params`` of why a region is none."""
    folder = looking.shelf.folder(user, shown.name).version(shown.version)
    arguments: dict[str, Json] = {"folder": str(folder), "deck": shown.deck, **asked}
    return cast("Mapping[str, Any]", demand(await run_aside(BODY, arguments, limits=limits)))
