"""Decides how the timetable's functions stand as tools of a turn: on the draft of the person whose turn it is. It must not hold a rule of theirs."""

from collections.abc import Callable
from typing import Any

from steadyhand.core.canonical import Json
from steadyhand.core.language import Language
from steadyhand.domains.schedule.arrange.options import ArrangeArguments
from steadyhand.domains.schedule.arrange.report import arrange_reply
from steadyhand.domains.schedule.drafting import Drafting, OpenDraft
from steadyhand.domains.schedule.model import Delta
from steadyhand.domains.schedule.reply import Reply
from steadyhand.domains.schedule.resolve_time import ResolveTimeArguments, resolve_time
from steadyhand.domains.schedule.timetable import Timetable
from steadyhand.domains.schedule.tool_arguments import TOOLS, NoArguments, ToolEntry
from steadyhand.domains.schedule.wording import wording
from steadyhand.tools.base import Arguments, Tool, ToolContext
from steadyhand.tools.result import ToolResult, error_result, tool_result


def schedule_tools(drafting: Drafting) -> tuple[Tool[Any], ...]:
    """Return every tool of the timetable, in the order in which a model is told of them: reads, then writes to the draft."""
    reads = [_read_tool(drafting, entry) for entry in TOOLS.values() if entry.effect == "read"]
    writes = [_write_tool(drafting, entry) for entry in TOOLS.values() if entry.effect == "draft"]
    return (*reads, _resolve_time(drafting), *writes, _arrange(drafting), _undo(drafting), _redo(drafting))


def result_of(reply: Reply, language: Language) -> ToolResult:
    """Return a timetable reply as a tool result; a refusal is an error that the model can read."""
    text = reply.text(language)
    if reply.is_error:
        return error_result(text, code=reply.code, data=reply.data)
    return tool_result(text, data=reply.data)


def _read_tool(drafting: Drafting, entry: ToolEntry) -> Tool[Any]:
    async def body(context: ToolContext, arguments: Arguments) -> ToolResult:
        draft = await drafting.look(context.user)
        return result_of(entry.function(draft.timetable, **dict(arguments)), context.language)

    return Tool(entry.name, "read", entry.arguments, body)


def _write_tool(drafting: Drafting, entry: ToolEntry) -> Tool[Any]:
    def work(arguments: Arguments) -> Callable[[Timetable], Reply]:
        return lambda timetable: entry.function(timetable, **dict(arguments))

    async def body(context: ToolContext, arguments: Arguments) -> ToolResult:
        reply, _ = await drafting.edit(context.user, work(arguments))
        return result_of(reply, context.language)

    return Tool(entry.name, "draft", entry.arguments, body)


def _resolve_time(drafting: Drafting) -> Tool[Any]:
    async def body(context: ToolContext, arguments: ResolveTimeArguments) -> ToolResult:
        draft = await drafting.look(context.user)
        now = context.clock.now()
        answer = resolve_time(arguments.text, window=draft.window, term=draft.term, now=now, language=context.language)
        if answer.code == "ok":
            return tool_result(answer.text, data=answer.to_json())
        return error_result(answer.text, code=answer.code, data=answer.to_json())

    return Tool("resolve_time", "read", ResolveTimeArguments, body)


def _arrange(drafting: Drafting) -> Tool[Any]:
    async def body(context: ToolContext, arguments: ArrangeArguments) -> ToolResult:
        reply, _ = await drafting.edit(context.user, lambda timetable: arrange_reply(timetable, arguments.options()))
        return result_of(reply, context.language)

    return Tool("arrange", "draft", ArrangeArguments, body)


def _undo(drafting: Drafting) -> Tool[Any]:
    async def body(context: ToolContext, arguments: NoArguments) -> ToolResult:
        del arguments
        delta, draft = await drafting.undo(context.user)
        return tool_result(told(delta, draft, context.language, "undone"), data=_data(delta))

    return Tool("undo", "draft", NoArguments, body)


def _redo(drafting: Drafting) -> Tool[Any]:
    async def body(context: ToolContext, arguments: NoArguments) -> ToolResult:
        del arguments
        delta, draft = await drafting.redo(context.user)
        return tool_result(told(delta, draft, context.language, "redone"), data=_data(delta))

    return Tool("redo", "draft", NoArguments, body)


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
