"""Decides the arguments of every timetable tool and which function answers it; it must not know for whom a call runs.

The names are the reference's. Days, slots and tasks are indexes: no date, weekday or stored key can be said.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, Field, ValidationError
from pydantic_core import ErrorDetails

from steadyhand.core.canonical import Json
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.replies.checks import refusal
from steadyhand.domains.schedule.replies.reply import Refused, Reply
from steadyhand.domains.schedule.tools import queries, reads, writes
from steadyhand.domains.schedule.tools.why_pending import why_pending
from steadyhand.tools.base import Arguments


def _need_characters(text: str) -> str:
    text.encode()  # half a surrogate pair is no character, and raises a ValueError that refuses the argument
    return text


# beyond this a JSON number is no longer the same number everywhere
_EXACT = 2**53 - 1
Index: TypeAlias = Annotated[int, Field(ge=-_EXACT, le=_EXACT)]
Text: TypeAlias = Annotated[str, AfterValidator(_need_characters)]
StatusFilter: TypeAlias = Literal["existing", "suggested", "pending", "all"]


class NoArguments(Arguments):
    pass


class QueryRange(Arguments):
    day: Index
    slot_start: Index | None = None
    slot_end: Index | None = None


class FindFirstFree(Arguments):
    duration: Index
    day: Index | None = None


class ListTasks(Arguments):
    category: Text | None = None
    status: StatusFilter = "all"


class TaskId(Arguments):
    task_id: Index


class QueryAvailableSlots(Arguments):
    span: Index = 2
    day_from: Index | None = None
    day_to: Index | None = None
    days: list[Index] | None = None
    after_slot: Index | None = None
    before_slot: Index | None = None
    embed: bool = True
    limit: Index = queries.DEFAULT_LIMIT


class QueryTargetTasks(Arguments):
    status: StatusFilter = "all"
    category: Text | None = None
    task_ids: list[Index] | None = None
    day_from: Index | None = None
    day_to: Index | None = None
    limit: Index | None = None


class Evaluate(Arguments):
    category: Text | None = None
    day_from: Index | None = None
    day_to: Index | None = None


class Place(Arguments):
    task_id: Index
    day: Index
    slot_start: Index


class Move(Arguments):
    task_id: Index
    new_day: Index
    new_slot_start: Index


class Swap(Arguments):
    task_a: Index
    task_b: Index


class BatchMove(Arguments):
    moves: list[Move]


@dataclass(frozen=True, slots=True)
class ToolEntry:
    """One tool: what it takes, whether it writes to the draft, the function, and how its refusals begin."""

    name: str
    arguments: type[Arguments]
    effect: Literal["read", "draft"]
    function: Callable[..., Reply]
    fail: str = "fail_query"


_ENTRIES: tuple[ToolEntry, ...] = (
    ToolEntry("get_overview", NoArguments, "read", reads.get_overview),
    ToolEntry("query_range", QueryRange, "read", reads.query_range),
    ToolEntry("find_first_free", FindFirstFree, "read", reads.find_first_free),
    ToolEntry("find_free", FindFirstFree, "read", reads.find_free),
    ToolEntry("list_tasks", ListTasks, "read", reads.list_tasks),
    ToolEntry("get_task_info", TaskId, "read", reads.get_task_info),
    ToolEntry("query_available_slots", QueryAvailableSlots, "read", queries.query_available_slots),
    ToolEntry("query_target_tasks", QueryTargetTasks, "read", queries.query_target_tasks),
    ToolEntry("evaluate", Evaluate, "read", queries.evaluate),
    ToolEntry("why_pending", TaskId, "read", why_pending),
    ToolEntry("place", Place, "draft", writes.place, "fail_place"),
    ToolEntry("move", Move, "draft", writes.move, "fail_move"),
    ToolEntry("swap", Swap, "draft", writes.swap, "fail_swap"),
    ToolEntry("batch_move", BatchMove, "draft", writes.batch_move, "fail_batch_move"),
    ToolEntry("unplace", TaskId, "draft", writes.unplace, "fail_unplace"),
)
TOOLS: Mapping[str, ToolEntry] = {entry.name: entry for entry in _ENTRIES}


def run(timetable: Timetable, name: str, arguments: Mapping[str, Json]) -> Reply:
    """Answer one call from its raw arguments; an unknown *name* raises `KeyError`, bad arguments are a refusal."""
    entry = TOOLS[name]
    try:
        checked = entry.arguments.model_validate(dict(arguments))
    except ValidationError as error:
        return bad_arguments(entry, error)
    return entry.function(timetable, **dict(checked))


def bad_arguments(entry: ToolEntry, error: ValidationError) -> Reply:
    """Return the refusal for arguments that do not fit *entry*."""
    refused = _why(entry, error.errors(include_url=False, include_input=False)[0])
    return writes.batch_refusal(refused) if entry.name == "batch_move" else refusal(entry.fail, refused)


def _why(entry: ToolEntry, first: ErrorDetails) -> Refused:
    if first["type"] == "extra_forbidden":
        # the unknown name itself is not repeated: it is the caller's text, not ours
        known = list(entry.arguments.model_fields)
        return Refused("bad_argument", "bad_unknown" if known else "bad_unknown_none", known=known)
    argument = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"]).removeprefix(".")
    return Refused("bad_argument", "bad_missing" if first["type"] == "missing" else "bad_value", argument=argument)
