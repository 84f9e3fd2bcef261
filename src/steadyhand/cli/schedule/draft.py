"""Decides how single writes to the draft are typed and told: place, move, swap, unplace, reopen, undo, redo, window. It must not propose."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import click

from steadyhand.cli.change.review import sentence
from steadyhand.cli.schedule.desk import Desk, window_from
from steadyhand.cli.schedule.inputs import WORDS
from steadyhand.cli.terminal.frame import Command, Frame, option, pass_frame
from steadyhand.core.arguments import parse_arguments
from steadyhand.core.canonical import Json
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import change_name
from steadyhand.domains.schedule.board.model import Delta, PlaceChange
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.draft.drafting import OpenDraft
from steadyhand.domains.schedule.replies.reply import Reply
from steadyhand.domains.schedule.term.windows import whole_term
from steadyhand.domains.schedule.tools import writes
from steadyhand.domains.schedule.tools.arguments import TOOLS, run
from steadyhand.domains.schedule.tools.reopening import reopen as reopen_task
from steadyhand.gate.machine import OPEN
from steadyhand.store.changes import changes
from steadyhand.store.changes.changes import ChangeRow

SLOT = click.IntRange(1, 48)
MOST_DATED = 2


def _edit(frame: Frame, desk: Desk, work: Callable[[Timetable], Reply]) -> None:
    """Run a write and print the tool's text, with the dates that it must not say."""
    reply, draft = desk.edit(work)
    lines = [reply.text(frame.language)]
    if len(reply.delta) <= MOST_DATED:
        lines += desk.dated(draft.window, sorted({block.day for change in reply.delta for block in change.after.slots}))
    frame.show("\n".join(lines), {"code": reply.code, **_delta_json(desk, draft, reply.delta), "text": lines[0]})


def _delta_json(desk: Desk, draft: OpenDraft, delta: Delta) -> Mapping[str, Json]:
    def place(change: PlaceChange) -> Json:
        return [
            {"date": desk.date_of(draft.window, at.day).isoformat(), "day": at.day, "slots": [at.start, at.end]}
            for at in change.after.slots
        ]

    changed: list[Json] = [{"id": one.state_id, "status": one.after.status, "places": place(one)} for one in delta]
    return {"changed": changed, "revision": draft.row.revision, "pending": draft.timetable.pending}


def _target(frame: Frame, desk: Desk, draft: OpenDraft, day: str, slot: int | None) -> tuple[int, int]:
    index, named = desk.day(day, draft.window)
    start = slot or named
    if start is None:
        raise click.UsageError(frame.say("schedule.bad.slot_missing"), click.get_current_context())
    return index, start


@click.command(cls=Command)
@click.argument("task", type=WORDS)
@click.argument("day", type=WORDS)
@click.argument("slot", type=SLOT, required=False)
@pass_frame
def place(frame: Frame, task: str, day: str, slot: int | None) -> None:
    """Put a pending task at a place."""
    desk = Desk(frame)
    draft = desk.look()
    wanted = desk.task(draft, task).state_id
    index, start = _target(frame, desk, draft, day, slot)
    _edit(frame, desk, lambda table: writes.place(table, task_id=wanted, day=index, slot_start=start))


@click.command(cls=Command)
@click.argument("task", type=WORDS)
@click.argument("day", type=WORDS)
@click.argument("slot", type=SLOT, required=False)
@pass_frame
def move(frame: Frame, task: str, day: str, slot: int | None) -> None:
    """Move a suggested task."""
    desk = Desk(frame)
    draft = desk.look()
    wanted = desk.task(draft, task).state_id
    index, start = _target(frame, desk, draft, day, slot)
    _edit(frame, desk, lambda table: writes.move(table, task_id=wanted, new_day=index, new_slot_start=start))


@click.command(cls=Command)
@click.argument("first", type=WORDS, metavar="TASK_A")
@click.argument("second", type=WORDS, metavar="TASK_B")
@pass_frame
def swap(frame: Frame, first: str, second: str) -> None:
    """Exchange the places of two suggested tasks."""
    desk = Desk(frame)
    draft = desk.look()
    a, b = desk.task(draft, first).state_id, desk.task(draft, second).state_id
    _edit(frame, desk, lambda table: writes.swap(table, task_a=a, task_b=b))


@click.command(cls=Command)
@click.argument("task", type=WORDS)
@pass_frame
def unplace(frame: Frame, task: str) -> None:
    """Take a suggested task from its place."""
    desk = Desk(frame)
    wanted = desk.task(desk.look(), task).state_id
    _edit(frame, desk, lambda table: writes.unplace(table, task_id=wanted))


@click.command(cls=Command)
@click.argument("wanted", nargs=-1, type=WORDS, metavar="TASK...")
@option("--all", "every", text="reopen_all", is_flag=True)
@pass_frame
def reopen(frame: Frame, wanted: tuple[str, ...], *, every: bool) -> None:
    """Take up stored tasks of one's own again, with --all every one in the window."""
    if bool(wanted) == every:
        raise ToolRefusal("reopen_what")
    desk = Desk(frame)
    draft = desk.look()
    found = [desk.task(draft, one) for one in wanted] if wanted else desk.stored_tasks(draft)
    if not found:
        raise ToolRefusal("nothing_to_reopen")
    if len(found) == 1:
        _edit(frame, desk, lambda table: reopen_task(table, task_id=found[0].state_id))
    else:
        _edit(frame, desk, lambda table: _reopened(frame, table, list(dict.fromkeys(task.state_id for task in found))))


def _reopened(frame: Frame, table: Timetable, ids: Sequence[int]) -> Reply:
    """Take up several tasks as one step, or none of them."""
    delta: Delta = ()
    for state_id in ids:
        reply = reopen_task(table, task_id=state_id)
        if reply.is_error:
            return replace(reply, delta=())
        delta += reply.delta
    text = frame.say("schedule.reopen.several", count=len(ids))
    return Reply("ok", lambda _: text, delta)


@click.command(cls=Command)
@pass_frame
def undo(frame: Frame) -> None:
    """Take back the last step of the draft."""
    desk = Desk(frame)
    delta, draft = frame.run(desk.drafting.undo(desk.user))
    _step(frame, desk, delta, draft, "undone")


@click.command(cls=Command)
@pass_frame
def redo(frame: Frame) -> None:
    """Make the step again that was taken back."""
    desk = Desk(frame)
    delta, draft = frame.run(desk.drafting.redo(desk.user))
    _step(frame, desk, delta, draft, "redone")


def _step(frame: Frame, desk: Desk, delta: Delta, draft: OpenDraft, message: str) -> None:
    lines = [frame.say(f"schedule.{message}", count=len(delta)), *desk.delta_text(draft, delta)]
    frame.show("\n".join(lines), _delta_json(desk, draft, delta))


@click.command(cls=Command)
@pass_frame
def discard(frame: Frame) -> None:
    """Close the draft without proposing it."""
    desk = Desk(frame)
    draft = frame.run(desk.drafting.look(desk.user))
    if draft.row.revision:
        frame.run(desk.drafting.discard(desk.user))
    message = "discarded" if draft.row.revision else "no_draft"
    waiting = _still_open(desk)
    lines = [frame.say(f"schedule.{message}", count=len(draft.changed))]
    lines += [frame.say("schedule.still_open", line=sentence(frame, row), name=change_name(row.number)) for row in waiting]
    frame.show("\n".join(lines), {"discarded": len(draft.changed), "open": [change_name(row.number) for row in waiting]})


def _still_open(desk: Desk) -> list[ChangeRow]:
    """Return the proposals of drafts that still wait: closing a draft takes none of them back."""
    states = [state.value for state in OPEN]
    rows = desk.app.store.read_now(lambda tx: changes.of_user(tx, desk.user, states=states))
    return [row for row in rows if row.source_kind == "draft"]


@click.command(cls=Command)
@click.argument("first", type=WORDS, required=False, metavar="[FROM]")
@click.argument("last", type=WORDS, required=False, metavar="[TO]")
@pass_frame
def window(frame: Frame, first: str | None, last: str | None) -> None:
    """Show or choose the planning window: dates, words, or days of the term."""
    desk = Desk(frame)
    if first is None:
        draft = desk.look()
        text = desk.window_text(draft.window, "window.shown" if draft.row.revision else "window.default")
        frame.show(text, {**_json(desk, draft), "open": bool(draft.row.revision)})
        return
    term = whole_term(desk.term)
    begin = desk.days(first, term)[0][0]
    end = desk.days(last, term)[-1][0] if last is not None else term.total_days
    if begin > end:
        raise ToolRefusal("window_backwards", first=first, last=last or "")
    wanted = window_from(desk.term, desk.date_of(term, begin), desk.date_of(term, end))
    draft = frame.run(desk.drafting.open(desk.user, wanted))
    frame.show(desk.window_text(draft.window, "window.chosen"), {**_json(desk, draft), "open": True})


def _json(desk: Desk, draft: OpenDraft) -> dict[str, Json]:
    return {"window": desk.window_json(draft.window), "suggested": len(draft.changed), "pending": draft.timetable.pending}


@click.command(cls=Command)
@click.argument("text", type=WORDS)
@pass_frame
def resolve(frame: Frame, text: str) -> None:
    """Say which days and slots of the window some words mean."""
    from steadyhand.domains.schedule.time_words.resolve import resolve_time

    desk = Desk(frame)
    draft = desk.look()
    now = desk.app.store.clock.now()
    answer = resolve_time(text, window=draft.window, term=desk.term, now=now, language=frame.language)
    dated = desk.dated(draft.window, (span.day for span in answer.candidates))
    if answer.code in ("not_understood", "outside_window", "no_slot"):
        raise ToolRefusal("time_not_certain", words=text, text=answer.text)
    frame.show("\n".join([answer.text, *dated]), answer.to_json())


@click.command(cls=Command)
@click.argument("name")
@click.argument("arguments", default="{}", metavar="[JSON]")
@pass_frame
def tool(frame: Frame, name: str, arguments: str) -> None:
    """Ask a reading tool of the timetable, for scripts."""
    readable = [entry.name for entry in TOOLS.values() if entry.effect == "read"]
    if name not in readable:
        raise ToolRefusal("no_such_tool", name=name[:60], names=", ".join(readable))
    parsed = parse_arguments(arguments)
    if parsed is None:
        raise ToolRefusal("arguments_no_json", name=name)
    desk = Desk(frame)
    reply = run(desk.look().timetable, name, parsed)
    if reply.is_error:
        raise ToolRefusal(reply.code, text=reply.text(frame.language))
    frame.show(reply.text(frame.language), {"code": reply.code, "text": reply.text(frame.language), "data": dict(reply.data)})
