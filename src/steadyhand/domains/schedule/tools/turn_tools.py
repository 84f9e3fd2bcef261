"""Decides how the timetable's functions stand as tools of a turn: on the draft of the person whose turn it is. It must not hold a rule of theirs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from steadyhand.core.canonical import Json
from steadyhand.core.language import Language, say
from steadyhand.domains.schedule.arrange.options import ArrangeArguments
from steadyhand.domains.schedule.arrange.report import arrange_reply
from steadyhand.domains.schedule.board.model import Delta
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.draft.drafting import OpenDraft
from steadyhand.domains.schedule.draft.planning import Planning, window_json
from steadyhand.domains.schedule.replies.reply import Reply
from steadyhand.domains.schedule.replies.wording import wording
from steadyhand.domains.schedule.time_words.resolve import ResolveTimeArguments, resolve_time
from steadyhand.domains.schedule.tools.arguments import TOOLS, NoArguments, ToolEntry
from steadyhand.tools.base import Arguments, Tool, ToolContext
from steadyhand.tools.result import ToolResult, error_result, tool_result


def schedule_tools(planning: Planning) -> tuple[Tool[Any], ...]:
    """Return every tool of the timetable, in the order in which a model is told of them: reads, then writes to the draft."""
    reads = [_read_tool(planning, entry) for entry in TOOLS.values() if entry.effect == "read"]
    writes = [_write_tool(planning, entry) for entry in TOOLS.values() if entry.effect == "draft"]
    return (*reads, _resolve_time(planning), *writes, _arrange(planning), _undo(planning), _redo(planning))


def looking_tools() -> frozenset[str]:
    """Return the names of the tools whose answers tell what is free and what is taken."""
    return frozenset((*TOOLS, "arrange", "show_week"))


def result_of(reply: Reply, language: Language) -> ToolResult:
    """Return a timetable reply as a tool result; a refusal is an error that the model can read."""
    text = reply.text(language)
    if reply.is_error:
        return error_result(text, code=reply.code, data=reply.data)
    return tool_result(text, data=reply.data)


def _read_tool(planning: Planning, entry: ToolEntry) -> Tool[Any]:
    async def body(context: ToolContext, arguments: Arguments) -> ToolResult:
        draft = await planning.look(context)
        result = result_of(entry.function(draft.timetable, **dict(arguments)), context.language)
        result = replace(result, data=_seen(result.data, draft, chosen=dict(arguments).get("task_ids")))
        return await _noted(planning, context, draft, result)

    return Tool(entry.name, "read", entry.arguments, body)


async def _noted(planning: Planning, context: ToolContext, draft: OpenDraft, result: ToolResult) -> ToolResult:
    """Add to what was read that the window has moved on, for the model in indexes and for the person in dates."""
    told = await planning.moved_on(context, draft)
    if not told:
        return result
    note = say(context.language, "schedule.planning.moved_indexes", **draft.timetable.present._asdict())
    return replace(result, for_llm=f"{result.for_llm}\n{note}", for_user=told)


def _seen(data: Json, draft: OpenDraft, chosen: Sequence[int] | None = None) -> Json:
    """Add to what was read the window that its day indexes count in; tasks that were *chosen* by id become the session's last list."""
    entry: dict[str, Json] = {**cast("Mapping[str, Json]", data), "window": window_json(draft.window)}
    entry["present"] = list(draft.timetable.present)
    if chosen is not None:
        tasks = draft.timetable.tasks
        rows = [{"label": f"[{one}]{tasks[one].name}", "value": one} for one in dict.fromkeys(chosen) if one in tasks]
        entry["choices"] = {"kind": "task", "rows": rows}
    return entry


def _write_tool(planning: Planning, entry: ToolEntry) -> Tool[Any]:
    def work(arguments: Arguments) -> Callable[[Timetable], Reply]:
        return lambda timetable: entry.function(timetable, **dict(arguments))

    async def body(context: ToolContext, arguments: Arguments) -> ToolResult:
        draft = await planning.may_write(context)
        if isinstance(draft, ToolResult):
            return draft
        reply, _ = await planning.drafting.edit(context.user, work(arguments), window=draft.window)
        return result_of(reply, context.language)

    return Tool(entry.name, "draft", entry.arguments, body)


def _resolve_time(planning: Planning) -> Tool[Any]:
    async def body(context: ToolContext, arguments: ResolveTimeArguments) -> ToolResult:
        draft = await planning.look(context)
        now = context.clock.now()
        answer = resolve_time(arguments.text, window=draft.window, term=draft.term, now=now, language=context.language)
        data = _seen(answer.to_json(), draft)
        result = tool_result(answer.text, data=data)
        if answer.code != "ok":
            result = error_result(answer.text, code=answer.code, data=data)
        return await _noted(planning, context, draft, result)

    return Tool("resolve_time", "read", ResolveTimeArguments, body)


def _arrange(planning: Planning) -> Tool[Any]:
    async def body(context: ToolContext, arguments: ArrangeArguments) -> ToolResult:
        draft = await planning.may_write(context)
        if isinstance(draft, ToolResult):
            return draft
        options = arguments.options()
        reply, _ = await planning.drafting.edit(
            context.user, lambda timetable: arrange_reply(timetable, options), window=draft.window
        )
        return result_of(reply, context.language)

    return Tool("arrange", "draft", ArrangeArguments, body)


def _undo(planning: Planning) -> Tool[Any]:
    async def body(context: ToolContext, arguments: NoArguments) -> ToolResult:
        del arguments
        writable = await planning.may_write(context)
        if isinstance(writable, ToolResult):
            return writable
        delta, draft = await planning.drafting.undo(context.user)
        return tool_result(told(delta, draft, context.language, "undone"), data=_data(delta))

    return Tool("undo", "draft", NoArguments, body, repeatable=True)


def _redo(planning: Planning) -> Tool[Any]:
    async def body(context: ToolContext, arguments: NoArguments) -> ToolResult:
        del arguments
        writable = await planning.may_write(context)
        if isinstance(writable, ToolResult):
            return writable
        delta, draft = await planning.drafting.redo(context.user)
        return tool_result(told(delta, draft, context.language, "redone"), data=_data(delta))

    return Tool("redo", "draft", NoArguments, body, repeatable=True)


def told(delta: Delta, draft: OpenDraft, language: Language, key: str) -> str:
    """Say what a step back or forward changed: each task, from where to where, and what is pending now."""
    words = wording(language)
    lines = [words(key)]
    for change in delta:
        before = words.where(change.before.slots) or words("step_unplaced")
        after = words.where(change.after.slots) or words("step_unplaced")
        lines.append(words("step_row", ref=words.ref(draft.timetable.tasks[change.state_id]), before=before, after=after))
    return "\n".join([*lines, words("left_pending", n=draft.timetable.pending)])


def _data(delta: Delta) -> Json:
    return {"changes": [change.to_json() for change in delta]}
