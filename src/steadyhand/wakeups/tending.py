"""Decides how reminders that wait are listed, changed and cancelled without a model. It must not choose between several."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, cast

from steadyhand.core.clock import from_text, local, to_text
from steadyhand.llm.rules.book import Answer, Asked, Call, Looks, Plan, Steps, finished
from steadyhand.wakeups import telling
from steadyhand.wakeups.asking import by_person, choose, not_here, refused, time_of
from steadyhand.wakeups.moments import spoken

MOST_LISTED = 20


@dataclass(frozen=True, slots=True)
class Waiting:
    """A reminder that waits: its number, its line for a person, the words it is known by; whether it is one that comes by the clock."""

    number: int
    line: str
    words: str
    at: str
    by_clock: bool


def look(asked: Asked) -> Looks[tuple[Waiting, ...]]:
    """Return what waits in this session: first what comes once, then what comes again and again."""
    once, again = yield [Call("list_private_followups"), Call("cron", {"action": "list"})]
    shown = cast("Mapping[str, Any]", once.fields.get("choices") or {})
    labels = {row["value"]["wakeup"]: row["label"] for row in shown.get("rows") or ()}
    rows = [
        Waiting(row["number"], labels[row["number"]], row["assistant_commitment_text"], row["send_at"], by_clock=False)
        for row in once.fields.get("tasks") or ()
    ]
    return (*rows, *(_by_clock(asked, row) for row in again.fields.get("jobs") or ()))


def _by_clock(asked: Asked, row: Mapping[str, Any]) -> Waiting:
    at = telling.moment(row["next_at"], str(asked.context["zone"]), asked.language)
    form = "off" if not row["enabled"] else "again" if row["rhythm"] else "once"
    line = asked.say(f"wakeups.say.row.{form}", number=row["number"], at=at, words=row["name"])
    return Waiting(row["number"], line, f"{row['name']} {row['text']}", row["next_at"], by_clock=True)


def _lines(rows: Sequence[Waiting]) -> str:
    return "\n".join(row.line for row in rows[:MOST_LISTED])


def listed(asked: Asked) -> Steps:
    """List what waits."""
    rows = yield from look(asked)
    return Answer(_lines(rows) or asked.say("wakeups.none_booked"))


def shown(asked: Asked) -> Steps:
    """Show one that waits."""
    found = yield from _named(asked, [int(asked.slots["number"])])
    return found if isinstance(found, Answer) else Answer(_lines(found))


def _named(asked: Asked, numbers: Sequence[int]) -> Looks[tuple[Waiting, ...] | Answer]:
    """Return those of these numbers, if each is there."""
    rows = {row.number: row for row in (yield from look(asked))}
    missing = [number for number in numbers if number not in rows]
    if missing:
        there = _lines(tuple(rows.values())) or asked.say("wakeups.none_booked")
        return Answer(asked.say("wakeups.say.no_such", number=missing[0], rows=there), well=False)
    return tuple(rows[number] for number in dict.fromkeys(numbers))


# --- cancelling --------------------------------------------------------------------------------------------------------------


def cancel(asked: Asked) -> Steps:
    """Cancel those that are named by their numbers, all of them or none."""
    if not by_person(asked):
        return not_here(asked)
    numbers = [int(one) for one in re.findall(r"\d+", asked.slots.get("numbers") or asked.slots["number"])]
    found = yield from _named(asked, numbers)
    return found if isinstance(found, Answer) else (yield from _cancelled(asked, found))


def cancel_only(asked: Asked) -> Steps:
    """Cancel the only one that waits; of several, ask which."""
    if not by_person(asked):
        return not_here(asked)
    return (yield from _only(asked, (yield from look(asked))))


def cancel_about(asked: Asked) -> Steps:
    """Cancel the only one that is about some words; a time is not what one is known by."""
    if not by_person(asked):
        return not_here(asked)
    rows, words = (yield from look(asked)), asked.slots["about"]
    if spoken(words) is not None:
        return (yield from _which(asked, rows))
    mine = [row for row in rows if words.casefold() in row.words.casefold()]
    if rows and not mine:
        return Answer(asked.say("wakeups.say.none_about", words=words, rows=_lines(rows)), well=False)
    return (yield from _only(asked, mine))


def _only(asked: Asked, rows: Sequence[Waiting]) -> Steps:
    if len(rows) > 1:
        return (yield from _which(asked, rows))
    return (yield from _cancelled(asked, rows)) if rows else Answer(asked.say("wakeups.none_booked"))


def _which(asked: Asked, rows: Sequence[Waiting]) -> Steps:
    if not rows:
        return Answer(asked.say("wakeups.none_booked"))
    requests = [asked.say("wakeups.say.to_cancel", number=row.number) for row in rows]
    return (yield from choose(asked, asked.say("wakeups.say.which", rows=_lines(rows)), requests))


def cancel_all(asked: Asked) -> Steps:
    """Ask whether all are to be cancelled."""
    if not by_person(asked):
        return not_here(asked)
    rows = yield from look(asked)
    if not rows:
        return Answer(asked.say("wakeups.none_booked"))
    question = asked.say("wakeups.say.all", n=len(rows), rows=_lines(rows))
    return (yield from choose(asked, question, [asked.say("wakeups.say.to_cancel_all"), asked.say("wakeups.say.to_keep")]))


def cancel_every_one(asked: Asked) -> Steps:
    """Cancel all that wait."""
    if not by_person(asked):
        return not_here(asked)
    rows = yield from look(asked)
    return (yield from _cancelled(asked, rows)) if rows else Answer(asked.say("wakeups.none_booked"))


def _cancelled(asked: Asked, rows: Sequence[Waiting]) -> Steps:
    outcomes = yield [
        Call("cron", {"action": "remove", "number": row.number}, acts=True)
        if row.by_clock
        else Call("cancel_private_followup", {"number": row.number}, acts=True)
        for row in rows
    ]
    lines: list[str] = []
    for row, outcome in zip(rows, outcomes, strict=True):
        if not outcome.ok:
            lines.append(refused(asked, outcome).text)
        elif row.by_clock:
            lines.append(asked.say("wakeups.say.no_more", row=row.line))
    well = all(outcome.ok for outcome in outcomes)
    if well:
        lines.append(asked.say("wakeups.say.cancelled"))
    return Answer("\n".join(lines), well=well)


def keep(asked: Asked) -> Steps:
    """Say that all are kept."""
    return finished(asked.say("wakeups.say.kept"))


# --- changing ----------------------------------------------------------------------------------------------------------------


def move(asked: Asked) -> Steps:
    """Change when one comes."""
    if not by_person(asked):
        return not_here(asked)
    found = yield from _named(asked, [int(asked.slots["number"])])
    return found if isinstance(found, Answer) else (yield from _moved(asked, found[0]))


def move_only(asked: Asked) -> Steps:
    """Change when the only one comes; of several, ask which."""
    if not by_person(asked):
        return not_here(asked)
    rows = yield from look(asked)
    if len(rows) == 1:
        return (yield from _moved(asked, rows[0]))
    if not rows:
        return Answer(asked.say("wakeups.none_booked"), well=False)
    requests = [asked.say("wakeups.say.to_move", number=row.number, when=asked.slots["when"]) for row in rows]
    return (yield from choose(asked, asked.say("wakeups.say.which", rows=_lines(rows)), requests))


def _moved(asked: Asked, row: Waiting) -> Steps:
    when = yield from time_of(asked)
    if isinstance(when, Answer):
        return when
    if row.by_clock or when.moment is None:
        return Answer(asked.say("wakeups.say.by_clock", number=row.number), well=False)
    if not when.on_a_day and local(from_text(row.at), str(asked.context["zone"])).date().isoformat() != when.send_at[:10]:
        return Answer(asked.say("wakeups.say.which_day", when=asked.slots["when"]), well=False)
    return (yield from _send_at(asked, row, when.send_at))


def shift(sign: int) -> Plan:
    """Return the plan that lets one come so much later, or earlier where *sign* is negative."""

    def plan(asked: Asked) -> Steps:
        if not by_person(asked):
            return not_here(asked)
        found = yield from _named(asked, [int(asked.slots["number"])])
        if isinstance(found, Answer):
            return found
        (row,) = found
        by = span_of(asked.slots["span"])
        if row.by_clock or by is None:
            return Answer(asked.say("wakeups.say.by_clock", number=row.number), well=False)
        return (yield from _send_at(asked, row, to_text(from_text(row.at) + sign * by)))

    return plan


def span_of(words: str) -> timedelta | None:
    """Return how long a span is that words name: so many minutes, hours, days."""
    found = spoken(f"{words}后") or spoken(f"in {words}")
    span = timedelta() if found is None else timedelta(days=found.days, seconds=found.seconds)
    return span or None


def _send_at(asked: Asked, row: Waiting, send_at: str) -> Steps:
    (outcome,) = yield [Call("update_private_followup", {"number": row.number, "send_at": send_at}, acts=True)]
    return Answer(asked.say("wakeups.say.moved")) if outcome.ok else refused(asked, outcome)
