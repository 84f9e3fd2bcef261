"""Decides how an arrangement is told: to the model in ids and indexes, to a person by week and weekday. It must not hold more than numbers and facts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from steadyhand.core.language import Language, say
from steadyhand.domains.schedule.arrange.board import Placement
from steadyhand.domains.schedule.arrange.door import arrange
from steadyhand.domains.schedule.arrange.options import ArrangeOptions
from steadyhand.domains.schedule.arrange.outcome import Arrangement
from steadyhand.domains.schedule.arrange.reasons import Reason, Unplaced
from steadyhand.domains.schedule.board.model import Task
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.replies.checks import refusing
from steadyhand.domains.schedule.replies.reply import Reply
from steadyhand.domains.schedule.replies.wording import Wording, wording
from steadyhand.domains.schedule.term.window import Window


@refusing("fail_arrange")
def arrange_reply(timetable: Timetable, options: ArrangeOptions) -> Reply:
    """Arrange, apply, and report: ``ok`` when something changed, ``none`` when nothing could or had to."""
    arrangement = arrange(timetable, options)
    told = Told(arrangement, dict(timetable.tasks), timetable.window, timetable.pending)
    data = {**arrangement.to_json(), "pending": timetable.pending}
    return Reply("ok" if arrangement.delta else "none", told.in_words, arrangement.delta, data)


@dataclass(frozen=True, slots=True)
class Told:
    """An arrangement with what its texts need: the tasks as they stood after it, the window, how many are pending."""

    arrangement: Arrangement
    tasks: Mapping[int, Task]
    window: Window
    pending: int

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
        if any(self.arrangement.objective.parts.values()):
            parts = self._parts(language, self.arrangement.objective.parts)
            lines.append(say(language, "schedule.arrange.cost", total=self.arrangement.objective.total, parts=parts))
        lines.extend(self._quality(words))
        return "\n".join(lines)

    def why(self, language: Language, state_id: int) -> str | None:
        """Return why a placed task is where it is, with days and slots as indexes; None where that is not known."""
        why, words = self.arrangement.why(state_id), wording(language)
        if why is None:
            return None
        block = next(one.block for one in self.arrangement.placements if one.state_id == state_id)
        here = {"task": words.ref(self.tasks[state_id]), "at": words.at(block), "cost": why.cost}
        lines = [say(language, "schedule.optimise.why", **here, parts=self._parts(language, why.parts))]
        if why.other is None:
            return "\n".join([*lines, say(language, "schedule.optimise.why_only")])
        there = {"at": words.at(why.other.block), "cost": why.other_cost}
        lines.append(say(language, "schedule.optimise.why_other", **there, parts=self._parts(language, why.other_parts or {})))
        return "\n".join(lines)

    def why_not(self, language: Language, entry: Unplaced) -> str:
        """Return why a task has no place."""
        return self._unplaced(wording(language), entry).strip()

    def _parts(self, language: Language, parts: Mapping[str, int]) -> str:
        told = [say(language, f"schedule.arrange.part.{part}", cost=cost) for part, cost in parts.items() if cost]
        return say(language, "schedule.arrange.joint").join(told) or say(language, "schedule.optimise.no_parts")

    def _quality(self, words: Wording) -> list[str]:
        quality, total, language = self.arrangement.quality, self.arrangement.objective.total, words.language
        if quality is None:
            return []
        gap = f"{100 * quality.gap(total):.1f}"
        key = "bound" if total > quality.bound else "best"
        lines = [say(language, f"schedule.optimise.{key}", total=total, bound=quality.bound, gap=gap)]
        if self.arrangement.moved:
            moved = self.arrangement.moved
            lines.append(say(language, "schedule.optimise.moved", n=len(moved), tasks=self._refs(words, moved)))
        lines.append(say(language, "schedule.optimise.took", seconds=f"{quality.seconds:.1f}"))
        notes = ["schedule.optimise.capped"] if quality.capped else []
        notes += [f"schedule.optimise.note.{note}" for note in quality.notes]
        return [*lines, *(say(language, note) for note in notes)]

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
        why = say(words.language, f"schedule.arrange.{key}", task=task, n=entry.length, reasons=reasons)
        if entry.proven is None:
            return why
        return say(words.language, f"schedule.optimise.{'proven' if entry.proven else 'not_proven'}", why=why)

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
