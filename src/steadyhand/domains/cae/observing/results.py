"""Decides how a conversation reads what a part's jobs came to, and which change altered it last. It must not compute a result."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, cast

from steadyhand.core.canonical import Json
from steadyhand.core.ids import UserId
from steadyhand.core.language import Language, say
from steadyhand.domains.cae.choice import Choices
from steadyhand.domains.cae.observing.looking import Looking, Shelf, Shown
from steadyhand.domains.cae.observing.tools import OfPart, of_part
from steadyhand.domains.cae.shelf.places import PartName
from steadyhand.domains.cae.shelf.records import Manifest
from steadyhand.domains.cae.telling import result_lines, vector
from steadyhand.tools.base import Tool, ToolContext
from steadyhand.tools.result import ToolResult, tool_result


class Versions(Shelf, Protocol):
    """A shelf that tells what a part went through."""

    def versions_of(self, user: UserId, name: PartName) -> Sequence[Manifest]:
        """Return the versions of a part that is there, the newest first."""
        ...


def results_tool(shelf: Versions, choices: Choices) -> Tool[Any]:
    """Return the tool that reads the newest results of a part."""

    async def look(context: ToolContext, arguments: OfPart, shown: Shown) -> ToolResult:
        del arguments
        data: dict[str, Json] = {"part": str(shown.name), "version": shown.version, "last_change": None, "job": None}
        if shown.version == 0:
            return tool_result(say(context.language, "cae.look.absent", name=shown.name), data=data)
        versions = await asyncio.to_thread(shelf.versions_of, context.user, shown.name)
        data["last_change"] = last_change(versions)
        solved = next((manifest for manifest in versions if manifest.jobs), None)
        if solved is None:
            return tool_result(say(context.language, "cae.look.unsolved", name=shown.name), data=data)
        data["job"] = {"version": solved.version, "results": cast("Json", dict(solved.jobs))}
        return tool_result(_told(shown, solved, versions, context.language), data=data)

    return Tool("part_results", "read", OfPart, of_part(Looking(shelf, choices), look))


def _told(shown: Shown, solved: Manifest, versions: Sequence[Manifest], language: Language) -> str:
    """Tell the results, and first of all where the part has been altered since."""
    lines = [say(language, "cae.look.results", name=shown.name, version=solved.version)]
    if any(manifest.deck != solved.deck for manifest in versions if manifest.version > solved.version):
        lines.append(say(language, "cae.look.results_old", version=shown.version))
    for job, summary in sorted(cast("Mapping[str, Mapping[str, Any]]", solved.jobs).items()):
        lines += result_lines(job, summary, language)
        lines += [
            say(language, "cae.look.reaction", name=name, force=vector(force))
            for name, force in sorted(summary["supports"].items())
        ]
    return "\n".join(lines)


def last_change(versions: Sequence[Manifest]) -> int | None:
    """Return the number of the newest change that left another part than it found; one that only looked or solved is none."""
    decks = [*(manifest.deck for manifest in versions[1:]), ""]
    return next((one.number for one, before in zip(versions, decks, strict=True) if one.deck != before), None)
