"""Decides which task a person's words name: by number, by name, by a part of a name; it must not choose between two, or guess from likeness."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from steadyhand.domains.schedule.phrases.dates import Days
from steadyhand.domains.schedule.phrases.refusing import refused
from steadyhand.llm.rules.book import Answer, Asked, Call, Looks

MOST_OFFERED = 9
MOST_NAMED = 3
LIKE = 50
PARTLY = 35
"""By so much likeness to a part of a name counts less than likeness to all of it."""
MOST_SHOWN = 60
MOST_LABEL = 100

_ID = re.compile(
    r"(?:\[([0-9]{1,9})\](.*)|#([0-9]{1,9})|(?:任务|task)\s*#?([0-9]{1,9})|([0-9]{1,9})\s*号(?:任务)?)", re.IGNORECASE | re.DOTALL
)
_AROUND = re.compile(r"^(?:the|my|task|任务|我的)\s*(?=\S)|\s*(?:(?:这|那)(?:个|项)?任务|的?任务|\btasks?)$", re.IGNORECASE)

EXACT, SAME_SIGNS, INSIDE = 3, 2, 1


@dataclass(frozen=True, slots=True)
class Task:
    """A task as the tools' data tells of it."""

    id: int
    name: str
    category: str
    status: str
    slots: tuple[tuple[int, int, int], ...]
    length: int
    host: int | None
    course: bool

    @staticmethod
    def of(value: Mapping[str, Any]) -> "Task":
        slots = tuple((block[0], block[1], block[2]) for block in value["slots"])
        return Task(
            value["task_id"],
            value["name"],
            value["category"],
            value["status"],
            slots,
            value["duration"],
            value["host"],
            value["course"],
        )

    @property
    def ref(self) -> str:
        """The task as it is told: its number and its name, which is the person's and may hold anything."""
        return f"[{self.id}]{printable(self.name)}"


def printable(text: str) -> str:
    """Return a name as it can be shown: one line, bounded, nothing that a terminal obeys."""
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    return line if len(line) <= MOST_SHOWN else f"{line[: MOST_SHOWN - 1]}…"


@dataclass(frozen=True, slots=True)
class View:
    """The draft as a plan sees it: its days and all its tasks and courses."""

    days: Days
    tasks: tuple[Task, ...]

    def ref(self, task_id: object) -> str:
        """Return how a task is told."""
        return next((task.ref for task in self.tasks if task.id == task_id), f"[{task_id}]")


def look(asked: Asked) -> Looks[View | Answer]:
    """Look up the draft; without a term say what to do first."""
    if not asked.part("term"):
        return Answer("\n".join([asked.say("schedule.say.no_term"), *_waiting(asked)]), well=False)
    (outcome,) = yield [Call("list_tasks")]
    days = Days.of(asked, outcome.fields)
    if not outcome.ok or days is None:
        return refused(asked, outcome)
    return View(days, tuple(Task.of(value) for value in cast("Sequence[Mapping[str, Any]]", outcome.fields.get("tasks", ()))))


def _waiting(asked: Asked) -> list[str]:
    """Name the changes that wait: an import among them brings the term once it is approved."""
    return [asked.say("schedule.say.waiting", line=change["line"]) for change in asked.rows("changes")]


@dataclass(frozen=True, slots=True)
class Found:
    """The tasks that the slots of one reading name."""

    slots: Mapping[str, str]
    named: tuple[Task, ...]

    @property
    def task(self) -> Task:
        """The one task, where one slot was asked for."""
        return self.named[0]


def find(asked: Asked, view: View, *slots: str) -> Looks[Found | Answer]:
    """Find the tasks that *slots* name; where one names several the person is asked, where it names none that is said."""
    for least in (EXACT, SAME_SIGNS, INSIDE):
        for reading in asked.readings:
            hits = [matches(reading[slot], view.tasks) for slot in slots]
            if all(len(found) == 1 and level >= least for level, found in hits):
                return Found(reading, tuple(found[0] for _, found in hits))
    best = max(asked.readings, key=lambda reading: sum(bool(matches(reading[slot], view.tasks)[1]) for slot in slots))
    for slot in slots:
        _, found = matches(best[slot], view.tasks)
        if not found:
            return missing(asked, best[slot], view.tasks)
        if len(found) > 1:
            return (yield from which(asked, best[slot], found))
    return missing(asked, best[slots[0]], view.tasks)


def matches(words: str, tasks: Sequence[Task]) -> tuple[int, tuple[Task, ...]]:
    """Return the tasks that *words* name, and how surely: those of the surest kind only."""
    chosen = _identified(words)
    if chosen is not None:
        number, named = chosen
        return EXACT, tuple(task for task in tasks if task.id == number and _may_be_called(named, task.name))
    for form in dict.fromkeys((words, _AROUND.sub("", words).strip())):
        if not form:
            continue
        for level in (EXACT, SAME_SIGNS, INSIDE):
            found = tuple(task for task in tasks if _named(form, task.name, level))
            own = tuple(task for task in found if not task.course)
            if found:
                return level, own or found
    return 0, ()


def _identified(words: str) -> tuple[int, str] | None:
    """Return the number that *words* say, and the name that stands behind it."""
    said = _ID.fullmatch(words.strip())
    if said is None:
        return None
    bracketed, named, *others = said.groups()
    return int(bracketed or next(group for group in others if group)), named or ""


def _may_be_called(words: str, name: str) -> bool:
    """Tell whether *words* behind a number do not speak of another task: they may be shortened, or have other marks."""
    return any(_signs(form) in _signs(name) for form in (words, _AROUND.sub("", words.strip())))


def _named(words: str, name: str, level: int) -> bool:
    """Tell whether *words* name what is called *name*, as surely as *level* asks for."""
    if level == EXACT:
        return _plain(words) == _plain(name)
    if level == SAME_SIGNS:
        return bool(_signs(words)) and _signs(words) == _signs(name)
    return _stands_in(_plain(words), _plain(name))


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _signs(text: str) -> str:
    return "".join(sign for sign in _plain(text) if sign.isalnum())


def _stands_in(part: str, name: str) -> bool:
    """Tell whether *part* stands in *name* as words: not inside a Latin word or a number, and not a single sign."""
    if len(part) < 2 or (part.isascii() and len(part) < 3):
        return False
    before = r"(?<![a-z0-9])" if part[0].isascii() and part[0].isalnum() else ""
    after = r"(?![a-z0-9])" if part[-1].isascii() and part[-1].isalnum() else ""
    return re.search(f"{before}{re.escape(part)}{after}", name) is not None


def missing(asked: Asked, words: str, tasks: Sequence[Task]) -> Answer:
    """Say that nothing has that name, and which names come near."""
    own = [task for task in tasks if not task.course]
    if not own:
        return Answer(asked.say("schedule.say.no_tasks_at_all"), well=False)
    near = _near(words, own)
    text = asked.say("schedule.say.no_such_task", name=printable(words))
    if near:
        text += asked.say("schedule.say.near", tasks=asked.say("schedule.say.joint").join(task.ref for task in near))
    return Answer(text + asked.say("schedule.say.nothing_changed"), well=False)


def _near(words: str, tasks: Sequence[Task]) -> list[Task]:
    """Return the tasks whose names look most like *words*; they are named to the person, and never taken for what was meant."""
    from rapidfuzz import fuzz  # noqa: PLC0415  # only where a name was not found

    plain = _plain(words)
    scored = [(max(fuzz.ratio(plain, _plain(task.name)), fuzz.WRatio(plain, _plain(task.name)) - PARTLY), task) for task in tasks]
    return [task for score, task in sorted(scored, key=lambda pair: -pair[0]) if score >= LIKE][:MOST_NAMED]


def which(asked: Asked, words: str, found: Sequence[Task]) -> Looks[Answer]:
    """Ask which of several tasks is meant: each answer is the whole request with that task in it."""
    refs = [f"“{ref}”" if asked.language == "zh-CN" else f'"{ref}"' for ref in (_quotable(task) for task in found[:MOST_OFFERED])]
    question = asked.say("schedule.say.which_task", name=printable(words), count=len(found))
    return (yield from choose(asked, question, words, refs))


def _quotable(task: Task) -> str:
    return re.sub(r"[“”‘’\"「」『』]", "'", task.ref)


def choose(asked: Asked, question: str, words: str, instead: Sequence[str]) -> Looks[Answer]:
    """Let the person choose what stands for *words* in their request; without a way to ask, list it."""
    held = next((one for one in (f"“{words}”", f'"{words}"', f"「{words}」") if one in asked.text), words)
    options = [asked.text.replace(held, one) for one in instead] if asked.text.count(words) == 1 else []
    askable = 1 < len(options) <= MOST_OFFERED and all(len(option) <= MOST_LABEL for option in options)
    if asked.alone and askable and "ask_user" in asked.tools:
        yield [Call("ask_user", {"question": question, "options": options}, acts=True)]
        return Answer(question)
    rows = [asked.say("schedule.say.row", text=one) for one in instead[:MOST_OFFERED]]
    return Answer("\n".join([question, *rows, asked.say("schedule.say.say_which")]), well=False)
