"""Decides how a person notes holidays, swapped days and seasons of the time scale: direct acts, shown first when tasks lose places. It must not write itself."""

from collections.abc import Iterable
from datetime import date

import click

from steadyhand.cli.change.acts import direct, proposal_of, shown_first
from steadyhand.cli.schedule.calendar_lines import facts_json, scale_text
from steadyhand.cli.schedule.desk import Desk
from steadyhand.cli.schedule.inputs import DATE, SCALE, WORDS
from steadyhand.cli.schedule.reporting import report_json, report_text
from steadyhand.cli.terminal.frame import Command, Frame, Group, option, pass_frame
from steadyhand.cli.terminal.printing import echo
from steadyhand.core.errors import ToolRefusal
from steadyhand.domains.schedule.acts import courses as acts
from steadyhand.domains.schedule.acts.calendar_facts import holiday, works_as
from steadyhand.domains.schedule.acts.fact_acts import FactWrites, drop_fact, put_fact
from steadyhand.domains.schedule.draft.week_view import fact_line
from steadyhand.domains.schedule.term import terms
from steadyhand.domains.schedule.term.records import Records, TimeScale
from steadyhand.domains.schedule.term.windows import whole_term

HOLIDAY = ("holiday", "放假", "假日")
WORKS_AS = ("as", "按", "上")


@click.group(cls=Group)
def facts() -> None:
    """Days that do not go by their weekday: add, list, remove."""


def _day(desk: Desk, text: str) -> tuple[int, int]:
    window = whole_term(desk.term)
    return window.week_of(desk.day(text, window)[0])


@facts.command(cls=Command)
@click.argument("day", type=WORDS, metavar="DATE")
@click.argument("kind", type=WORDS, metavar="holiday|as")
@click.argument("other", type=WORDS, required=False, metavar="[DATE]")
@option("--to", "last", text="fact_to", type=WORDS)
@pass_frame
def add(frame: Frame, day: str, kind: str, other: str | None, last: str | None) -> None:
    """Say that a day is a holiday, or has the courses of another day."""
    word = kind.lower()
    if word not in (*HOLIDAY, *WORKS_AS) or (word in HOLIDAY) != (other is None) or (word in WORKS_AS and last is not None):
        raise ToolRefusal("fact_unclear")
    desk = Desk(frame)
    first = _day(desk, day)
    days = [first] if other is not None else _span(desk, day, last)
    wanted = [works_as(one, _day(desk, other)) if other is not None else holiday(one) for one in days]
    _act(frame, desk.records, [put_fact(desk.records, fact) for fact in wanted])


def _span(desk: Desk, first: str, last: str | None) -> list[tuple[int, int]]:
    window = whole_term(desk.term)
    begin = desk.day(first, window)[0]
    end = begin if last is None else desk.day(last, window)[0]
    if begin > end:
        raise ToolRefusal("window_backwards", first=first, last=last or "")
    return [window.week_of(day) for day in range(begin, end + 1)]


@facts.command(cls=Command)
@click.argument("day", type=WORDS, metavar="DATE")
@pass_frame
def remove(frame: Frame, day: str) -> None:
    """Let a day go by its weekday again."""
    desk = Desk(frame)
    where = _day(desk, day)
    if all(fact.day != where for fact in desk.records.facts):
        raise ToolRefusal("fact_missing", date=desk.term.date_of(*where).isoformat())
    _act(frame, desk.records, [drop_fact(desk.records, where)])


def _act(frame: Frame, records: Records, found: Iterable[FactWrites]) -> None:
    """Do what was said in one step; where a task would lose its place, which was not said, show it first."""
    found = tuple(found)
    writes = list({write.region: write for one in found for write in one.writes}.values())
    entries = [entry for one in found for entry in one.entries]
    told, data = report_text(frame, entries), {"report": report_json(frame, entries)}
    proposal = proposal_of(frame, records.term.id, writes)
    if any(write.table == "schedule_events" and write.row is None for write in writes):
        shown_first(frame, proposal, told, data)
        return
    if told:
        echo(told, err=frame.as_json)
    direct(frame, records.term.id, writes)


@facts.command("list", cls=Command)
@pass_frame
def list_facts(frame: Frame) -> None:
    """List the days that do not go by their weekday."""
    desk = Desk(frame)
    lines = [fact_line(desk.term, fact, frame.language) for fact in desk.records.facts]
    frame.show("\n".join(lines) or frame.say("schedule.facts.none"), {"facts": facts_json(desk.term, desk.records.facts)})


@click.group(cls=Group)
def scale() -> None:
    """Clock times of the slots, and the seasons in which they are others."""


@scale.command("show", cls=Command)
@pass_frame
def show_scale(frame: Frame) -> None:
    """Show the clock times of the slots, with the seasons."""
    term = Desk(frame).term
    lines = [frame.say("schedule.scale.own", slots=len(term.scale), times=scale_text(term.scale))]
    for season in term.seasons:
        named = {"date": season.begins.isoformat(), "name": season.scale.name, "times": scale_text(season.scale)}
        lines.append(frame.say("schedule.scale.from", **named))
    seasons = [
        {"from": season.begins.isoformat(), "name": season.scale.name, "slots": [list(slot) for slot in season.scale.slots]}
        for season in term.seasons
    ]
    frame.show("\n".join(lines), {"slots": [list(slot) for slot in term.scale.slots], "seasons": seasons})


@scale.command(cls=Command)
@click.argument("begins", type=DATE, metavar="FROM")
@click.argument("slots", type=SCALE)
@option("--name", text="scale_name", type=WORDS)
@pass_frame
def season(frame: Frame, begins: date, slots: tuple[tuple[str, str], ...], name: str | None) -> None:
    """Let other clock times hold from a day on."""
    term = Desk(frame).term
    named = name or frame.say("schedule.scale.unnamed", date=begins.isoformat())
    changed = terms.put_season(term, begins, TimeScale(named, slots))
    direct(frame, term.id, acts.put_term(changed, term))


@scale.command("remove", cls=Command)
@click.argument("begins", type=DATE, metavar="FROM")
@pass_frame
def remove_season(frame: Frame, begins: date) -> None:
    """Take a season away; the clock times before it go on."""
    term = Desk(frame).term
    direct(frame, term.id, acts.put_term(terms.drop_season(term, begins), term))
