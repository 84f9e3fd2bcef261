"""A person who talks to the rules provider: real turns over a real draft, each with the calls that it made and what the person read."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from schedule_ground.desk import DESK, MATH, ME, SZ, TERM, Desk, course, decider, empty, over, run
from steadyhand.agent.turn import Turn, TurnBrief
from steadyhand.core.clock import FakeClock, to_text
from steadyhand.core.config import Settings
from steadyhand.core.language import Language
from steadyhand.core.wire import Message, ToolCall
from steadyhand.domains.schedule.acts import courses as acts
from steadyhand.domains.schedule.draft.planning import KIND, window_json
from steadyhand.domains.schedule.imports.incoming import IncomingCategory, IncomingTask
from steadyhand.domains.schedule.phrases import schedule_phrases
from steadyhand.domains.schedule.term.window import Window
from steadyhand.gate import machine
from steadyhand.gate.lines import line
from steadyhand.llm.rules.matching import Unmet
from steadyhand.llm.rules.provider import RulesProvider
from steadyhand.session.phrases import session_phrases
from steadyhand.store.changes import changes
from steadyhand.tools.base import ToolContext
from steadyhand.tools.ports import Ports, Question
from steadyhand.tools.runner import Runner
from steadyhand.wiring.toolbox import Toolbox
from trial_domains.stand import build

RULES = RulesProvider((*schedule_phrases(), *session_phrases()))
TERM_WINDOW = Window(1, 1, 28, 12)


@dataclass
class Heard:
    """What came of one message: the calls with their arguments, what the person read, and how the turn ended."""

    calls: list[tuple[str, dict[str, Any]]]
    text: str
    end: str
    shown: list[str]
    question: Question | None

    @property
    def acts(self) -> list[tuple[str, dict[str, Any]]]:
        """The calls that do more than look."""
        return [(name, arguments) for name, arguments in self.calls if name in ACTING]


ACTING = frozenset(
    {
        *("place", "move", "swap", "batch_move", "unplace", "arrange", "undo", "redo", "propose", "propose_undo"),
        *("rename_session", "remember", "forget", "message", "shell", "write_file", "append_file", "edit_file"),
    }
)


class _Nobody:
    async def begin(self, calls: Sequence[ToolCall]) -> None:
        del calls

    async def said(self) -> Sequence[str]:
        return ()


class _Parked:
    def __init__(self) -> None:
        self.question: Question | None = None

    async def park(self, question: Question) -> None:
        self.question = question


class Spoken:
    """One session of a person at a desk; the planning window is confirmed unless a test says otherwise."""

    session = DESK
    window_kind = KIND

    def __init__(self, desk: Desk, language: Language = "zh-CN", window: Window | None = TERM_WINDOW) -> None:
        self.desk = desk
        self.language: Language = language
        self.toolbox = Toolbox(Settings(data_dir=desk.folder), desk.store, language, lambda: desk.controller)
        self.runner = Runner(self.toolbox.registry, self.toolbox.policy)
        self.last_list: Any = None
        self.specs = [tool.spec(language) for tool in self.toolbox.registry]
        if window is not None:
            run(self.toolbox.working.hold(ME, DESK, KIND, window_json(window), keep=True))

    def context(self, **more: Any) -> dict[str, Any]:
        """Return the context of a turn, as sessions make it."""
        opened = self.desk.store.read_now(lambda tx: changes.of_user(tx, ME, states=[state.value for state in machine.OPEN]))
        try:
            draft = self.desk.draft()
        except Exception:  # noqa: BLE001  # there is no term
            term = None
        else:
            term = {
                "name": draft.term.name,
                "first_monday": draft.term.first_monday.isoformat(),
                "weeks": draft.term.weeks,
                "scale": [list(slot) for slot in draft.term.scale.slots],
                "zone": draft.term.zone,
            }
        return {
            "now": to_text(self.desk.clock.now()),
            "zone": "Asia/Shanghai",
            "language": self.language,
            "origin": "person",
            "last_list": self.last_list,
            "term": term,
            "window": None,
            "changes": [
                {"number": row.number, "state": row.state, "domain": row.domain, "line": line(row, self.language)}
                for row in opened
            ],
            **more,
        }

    def say(self, text: str, **more: Any) -> Heard:
        """Say *text*, and return what came of it."""
        parked = _Parked()
        context = ToolContext(ME, DESK, self.desk.clock, self.language, said=text, ports=Ports(questions=parked))
        turn = Turn(RULES, self.runner, context, _Nobody())
        without = more.pop("without", ())
        offered = tuple(spec for spec in self.specs if spec.name not in without)
        brief = TurnBrief((Message("system", "-"), Message("user", text)), offered, self.context(**more))
        outcome = run(turn.run(brief))
        for _, result in outcome.results:
            if isinstance(result.data, dict) and "choices" in result.data:
                self.last_list = result.data["choices"]
        calls = [(call.name, json.loads(call.arguments)) for call, _ in outcome.results]
        shown = [result.for_user for _, result in outcome.results if result.for_user]
        return Heard(calls, outcome.text, outcome.end, shown, parked.question)


# ---- a draft to talk about, and what is said about it, on one line each ------------------------------------------------

WORDS: dict[Language, dict[str, tuple[str, ...]]] = {
    "zh-CN": {"学习": ("复习", "写作", "讨论"), "作业": ("写实验报告", "改实验报告", "不等式练习")},
    "en": {"Study": ("essay", "report", "reading"), "Homework": ("lab notes", "lab drawing", "problem set no 5")},
}
"""The tasks of the ground by category: the second and third of the first are in the draft, the last of all takes three slots."""


def stand(folder: Path, language: Language) -> Spoken:
    """Build the ground below *folder*, on the Wednesday of the first week at ten in the morning."""
    url = f"sqlite:///{folder / 'steadyhand.db'}"
    (folder / "targets").mkdir()
    build(url, folder / "targets", FakeClock()).store.close()
    desk = over(url, folder, FakeClock(datetime(2026, 9, 9, 2, 0, tzinfo=UTC)))
    furnish_spoken(desk, language)
    draft_two(desk, language)
    return Spoken(desk, language)


def furnish_spoken(desk: Desk, language: Language) -> None:
    """Give the person the term, a fixed course, one that takes tasks in, and the tasks of `WORDS`."""
    writes = acts.put_term(TERM, None)
    math, open_one = ("高等数学", "思政") if language == "zh-CN" else ("Calculus", "Civics")
    writes += course(MATH, math, 1, (1, 2))
    writes += course(SZ, open_one, 2, (3, 6), can_embed=True)
    categories = [
        IncomingCategory(name, tuple(IncomingTask(task, duration=3 if task == tasks[-1] and index else 2) for task in tasks))
        for index, (name, tasks) in enumerate(WORDS[language].items())
    ]
    desk.done(writes + acts.add_tasks(empty(), categories))


def draft_two(desk: Desk, language: Language) -> None:
    """Make the draft anew: the second task on Thursday, slots 5-6, the third on Friday, slots 1-2."""
    run(desk.drafting.discard(ME))
    run(desk.drafting.open(ME, TERM_WINDOW))
    _, second, third = next(iter(WORDS[language].values()))
    desk.wrote("place", task_id=desk.id_of(second), day=4, slot_start=5)
    desk.wrote("place", task_id=desk.id_of(third), day=5, slot_start=1)


def close_changes(desk: Desk) -> None:
    """Let no change wait for a decision."""
    for row in desk.store.read_now(lambda tx: changes.of_user(tx, ME, states=[state.value for state in machine.OPEN])):
        run(desk.controller.deny(decider(), row.number))


def on_one_line(heard: Heard, text: str, language: Language) -> str:
    """Write what came of a message: why it was not understood, or its calls beside the first look, or the beginning of the answer."""
    _, meant = RULES.understand(text, language)
    if isinstance(meant, Unmet):
        assert heard.calls == []
        return f"!{meant.why}"
    calls = [(name, arguments) for name, arguments in heard.calls if name != "list_tasks"]
    told = "; ".join(
        " ".join([name, *(f"{key}={compact(value)}" for key, value in arguments.items())]) for name, arguments in calls
    )
    lines = heard.text.splitlines()
    typed = [line.strip() for line in lines if line.strip().startswith("steady ")]
    return "; ".join([told] * bool(told) + typed) or f"~ {lines[0]}"


def compact(value: Any) -> str:
    """Write an argument without spaces between its parts."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
