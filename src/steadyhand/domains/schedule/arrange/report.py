"""Decides how an arrangement is told: to the model in ids and indexes, to a person by week and weekday. It must not hold more than numbers and facts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from steadyhand.core.canonical import Json
from steadyhand.core.language import Language, say
from steadyhand.domains.schedule.arrange.board import Placement
from steadyhand.domains.schedule.arrange.door import Arrangement, arrange
from steadyhand.domains.schedule.arrange.options import ArrangeOptions
from steadyhand.domains.schedule.arrange.reasons import Reason, Unplaced
from steadyhand.domains.schedule.checks import refusing
from steadyhand.domains.schedule.model import Task
from steadyhand.domains.schedule.reply import Reply
from steadyhand.domains.schedule.timetable import Timetable
from steadyhand.domains.schedule.window import Window
from steadyhand.domains.schedule.wording import Wording, wording


@refusing("fail_arrange")
def arrange_reply(timetable: Timetable, options: ArrangeOptions) -> Reply:
    """Arrange, apply, and report: ``ok`` when something changed, ``none`` when nothing could or had to."""
    arrangement = arrange(timetable, options)
    told = Told(arrangement, dict(timetable.tasks), timetable.window, timetable.pending)
    data = {**arrangement.to_json(), "pending": timetable.pending}
    return Reply("ok" if arrangement.delta else "none", told.in_words, arrangement.delta, data)


def arrange_call(timetable: Timetable, **arguments: Json) -> Reply:
    """Answer a call of the tool ``arrange`` whose arguments were checked already."""
    return arrange_reply(timetable, ArrangeOptions.from_json(arguments))


@dataclass(frozen=True, slots=True)
class Told:
    """An arrangement with what its texts need: the tasks as they stood after it, the window, how many are pending."""

    arrangement: Arrangement
    tasks: Mapping[int, Task]
    window: Window
    pending: int

    def for_model(self, language: Language) -> str:
        """Return what the model reads."""
        return self.in_words(wording(language))

    def in_words(self, words: Wording) -> str:
        """Return what the model reads, in the language of *words*."""
        placed, unplaced = self.arrangement.placements, self.arrangement.unplaced
        lines = [say(words.language, "schedule.arrange.counts", placed=len(placed), unplaced=len(unplaced))]
        if placed:
            lines.append(say(words.language, "schedule.arrange.placed", n=len(placed)))
            lines.extend(self._placed(words, placement) for placement in placed)
        lines.extend(self._missing(words))
        lines.append(words("left_pending", n=self.pending))
        return "\n".join(lines)

    def for_person(self, language: Language) -> str:
        """Return what a person reads: day by day with week and weekday, then what has no place, then the costs."""
        words = wording(language)
        placed, unplaced = self.arrangement.placements, self.arrangement.unplaced
        lines = [say(language, "schedule.arrange.counts", placed=len(placed), unplaced=len(unplaced))]
        for day, group in groupby(placed, key=lambda placement: placement.block.day):
            week, day_of_week = self.window.week_of(day)
            weekday = say(language, f"schedule.arrange.weekday.{day_of_week}")
            lines.append(say(language, "schedule.arrange.person_day", day=day, week=week, weekday=weekday))
            lines.extend(self._on_day(words, placement) for placement in group)
        lines.extend(self._missing(words))
        parts = [
            say(language, f"schedule.arrange.part.{part}", cost=cost)
            for part, cost in self.arrangement.objective.parts.items()
            if cost
        ]
        if parts:
            joined = say(language, "schedule.arrange.joint").join(parts)
            lines.append(say(language, "schedule.arrange.cost", total=self.arrangement.objective.total, parts=joined))
        return "\n".join(lines)

    def _placed(self, words: Wording, placement: Placement) -> str:
        task, at = words.ref(self.tasks[placement.state_id]), words.at(placement.block)
        if placement.embed_host is None:
            return say(words.language, "schedule.arrange.row", task=task, at=at)
        return say(
            words.language, "schedule.arrange.row_embedded", task=task, at=at, host=self._refs(words, [placement.embed_host])
        )

    def _on_day(self, words: Wording, placement: Placement) -> str:
        slots, task = words.slots(placement.block.start, placement.block.end), words.ref(self.tasks[placement.state_id])
        if placement.embed_host is None:
            return say(words.language, "schedule.arrange.person_row", slots=slots, task=task)
        host = self._refs(words, [placement.embed_host])
        return say(words.language, "schedule.arrange.person_row_embedded", slots=slots, task=task, host=host)

    def _missing(self, words: Wording) -> list[str]:
        unplaced = self.arrangement.unplaced
        if not unplaced:
            return []
        rows = [self._unplaced(words, entry) for entry in unplaced]
        return [say(words.language, "schedule.arrange.unplaced", n=len(unplaced)), *rows]

    def _unplaced(self, words: Wording, entry: Unplaced) -> str:
        key = "why_together" if entry.together else "why" if len(entry.reasons) == 1 else "why_each"
        reasons = say(words.language, "schedule.arrange.joint").join(self._reason(words, reason) for reason in entry.reasons)
        task = words.ref(self.tasks[entry.state_id])
        return say(words.language, f"schedule.arrange.{key}", task=task, n=entry.length, reasons=reasons)

    def _reason(self, words: Wording, reason: Reason) -> str:
        options = self.arrangement.options
        cause = reason.cause
        if cause == "window":
            cause = "window_after" if reason.number > self.window.total_days else "window_before"
        days = words.joined(words("day", day=day) for day in options.excluded_days)
        slots = words.joined(words.slots(slot, slot) for slot in options.excluded_slots)
        params = {"n": reason.number, "tasks": self._refs(words, reason.tasks), "days": days, "slots": slots}
        return say(words.language, f"schedule.arrange.reason.{cause}", **params)

    def _refs(self, words: Wording, state_ids: Iterable[int]) -> str:
        return words.joined(words.ref(self.tasks[state_id]) for state_id in state_ids)
