"""Decides how an arrangement is asked for and how the draft is put up for review. It must not choose a place or approve."""

from collections.abc import Sequence

import click

from steadyhand.cli.acts import shown_first
from steadyhand.cli.desk import Desk
from steadyhand.cli.frame import Command, Frame, option, pass_frame
from steadyhand.cli.inputs import SLOTS, WORDS
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import LOCAL_SESSION
from steadyhand.domains.schedule.arrange.door import arrange as arrange_tasks
from steadyhand.domains.schedule.arrange.options import ArrangeOptions, Engine
from steadyhand.domains.schedule.arrange.report import Told
from steadyhand.domains.schedule.checks import refusing
from steadyhand.domains.schedule.drafting import OpenDraft
from steadyhand.domains.schedule.imports.dates import read_day
from steadyhand.domains.schedule.module import target
from steadyhand.domains.schedule.offering import offer
from steadyhand.domains.schedule.reply import Reply
from steadyhand.domains.schedule.timetable import Timetable
from steadyhand.gate.controller import Proposal


@click.command(cls=Command)
@option("--category", "categories", text="categories", type=WORDS, multiple=True)
@option("--exclude-day", "days", text="exclude_day", type=WORDS, multiple=True)
@option("--exclude-slots", "slots", text="exclude_slots", type=SLOTS, multiple=True)
@option("--max-per-day", text="max_per_day", type=click.IntRange(1, 48))
@option("--no-order", text="no_order", is_flag=True)
@option("--no-embed", text="no_embed", is_flag=True)
@option("--engine", text="engine", type=click.Choice(["greedy", "first_fit"]), default="greedy")
@pass_frame
def arrange(
    frame: Frame,
    categories: tuple[str, ...],
    days: tuple[str, ...],
    slots: tuple[tuple[int, int], ...],
    max_per_day: int | None,
    engine: Engine,
    *,
    no_order: bool,
    no_embed: bool,
) -> None:
    """Arrange the pending tasks in the draft."""
    desk = Desk(frame)
    draft = desk.look()
    _need_categories(desk, categories)
    options = ArrangeOptions(
        engine=engine,
        categories=categories or None,
        max_per_day=max_per_day,
        excluded_days=tuple(dict.fromkeys(day for text in days for day in _excluded(desk, draft, text))),
        excluded_slots=tuple(dict.fromkeys(slot for first, last in slots for slot in range(first, last + 1))),
        ordered=not no_order,
        embed=not no_embed,
    )
    told: list[Told] = []

    @refusing("fail_arrange")
    def work(table: Timetable) -> Reply:
        done = arrange_tasks(table, options)
        told[:] = [Told(done, dict(table.tasks), table.window, table.pending)]
        return Reply("ok" if done.delta else "none", told[0].in_words, done.delta)

    _, after = desk.edit(work)
    _tell(frame, desk, after, told[0])


def _excluded(desk: Desk, draft: OpenDraft, text: str) -> list[int]:
    """Return the days that are left out: a weekday alone means every one of them, anything else what it means elsewhere."""
    weekday = None if text.strip().isdigit() else read_day(text)
    if weekday is None:
        return [day for day, _ in desk.days(text, draft.window)]
    window = draft.window
    return [day for day in range(1, window.total_days + 1) if window.week_of(day)[1] == weekday]


def _need_categories(desk: Desk, categories: Sequence[str]) -> None:
    known = [one.name for one in desk.records.classes]
    for category in categories:
        if category not in known:
            raise ToolRefusal("category_unknown", name=category, names=", ".join(known) or "-")


def _tell(frame: Frame, desk: Desk, draft: OpenDraft, told: Told) -> None:
    placements = told.arrangement.placements
    lines = [told.for_person(frame.language)]
    if draft.changed:
        lines.append(frame.say("schedule.arrange.propose", count=len(draft.changed)))
    elif not placements and not told.arrangement.unplaced:
        lines.append(frame.say("schedule.arrange.nothing"))
    frame.show(
        "\n".join(lines), {**told.arrangement.to_json(), "pending": told.pending, "window": desk.window_json(draft.window)}
    )


@click.command(cls=Command)
@pass_frame
def propose(frame: Frame) -> None:
    """Put the draft up for review."""
    desk = Desk(frame)
    draft = desk.look()
    copy, scope = offer(draft)
    if not draft.stored:
        draft = desk.open()
        copy, scope = offer(draft)
    where = target(desk.user, draft.term.id)
    shown_first(frame, Proposal(desk.user, LOCAL_SESSION, where, frame.typed, copy, scope, frame.language))
