"""Decides what a timetable tool hands back: a code, what changed, data, and a text in either language. It must not change anything."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from steadyhand.core.canonical import Json
from steadyhand.core.language import Language
from steadyhand.domains.schedule.board.model import Delta, Task
from steadyhand.domains.schedule.board.timetable import DayFacts
from steadyhand.domains.schedule.replies.wording import Wording, wording

Kind: TypeAlias = Literal["conflict", "locked", "wrong_status", "duration_mismatch", "out_of_range", "not_found", "bad_argument"]
Code: TypeAlias = "Literal['ok', 'none'] | Kind"
Say: TypeAlias = Callable[[Wording], str]


@dataclass(frozen=True, slots=True)
class Reply:
    """The outcome of one call: ``ok``, ``none`` (nothing found) or the kind of refusal; a refusal changed nothing.

    *data* says the same as the text, for code. The text is made of what was true at the call, whenever it is asked for.
    """

    code: Code
    say: Say
    delta: Delta = ()
    data: Mapping[str, Json] = field(default_factory=dict[str, Json])

    @property
    def is_error(self) -> bool:
        """Tell whether the call was refused."""
        return self.code not in {"ok", "none"}

    def text(self, language: Language) -> str:
        """Return what the model reads."""
        return self.say(wording(language))


class Refused(Exception):
    """A check that did not pass: the kind, and the reason without the tool's own beginning.

    Of its *params* a task is worded as its reference, a pair of slots as a run and a list as an enumeration.
    """

    def __init__(self, kind: Kind, reason: str, **params: "str | int | Task | tuple[int, int] | list[str]") -> None:
        self.kind: Kind = kind
        self.reason = reason
        self.params = params
        super().__init__(kind)

    def say(self, words: Wording) -> str:
        """Word the reason."""
        worded: dict[str, object] = {}
        for name, value in self.params.items():
            match value:
                case Task():
                    worded[name] = words.ref(value)
                case list():
                    worded[name] = words.joined(value)
                case tuple():
                    worded[name] = words.slots(*value)
                case _:
                    worded[name] = value
        return words(self.reason, **worded)


def task_data(task: Task) -> Mapping[str, Json]:
    """Return a task as data: ids, names, indexes."""
    return {
        "task_id": task.state_id,
        "name": task.name,
        "category": task.category,
        "status": task.place.status,
        "slots": [[block.day, block.start, block.end] for block in task.place.slots],
        "duration": task.length,
        "host": task.place.embed_host,
        "course": task.is_course,
    }


def day_data(day: DayFacts) -> Mapping[str, Json]:
    """Return a day's load as data."""
    return {
        "day": day.day,
        "used": day.used,
        "course": day.course_used,
        "task": day.used - day.course_used,
        "slots": day.slots,
        "free": [[start, end] for start, end in day.free],
    }
