"""Decides how an arrangement is asked for, and searched while a person watches; Ctrl-C keeps the best that was found. It must not apply it.

Greedy answers at once and is what nobody has to ask for. A search is asked for with ``--engine optimise``, or by naming an
effort or a limit of seconds, which only a search has.
"""

import signal
import sys
import threading
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, Self, TypeVar, cast

import click

from steadyhand.cli.schedule.desk import Desk
from steadyhand.cli.schedule.inputs import SLOTS, WORDS
from steadyhand.cli.terminal.frame import Frame, option
from steadyhand.cli.terminal.printing import overwrite
from steadyhand.core.errors import ToolRefusal
from steadyhand.domains.schedule.arrange.aside import Step, plan_here
from steadyhand.domains.schedule.arrange.options import EFFORT, ArrangeOptions, Engine
from steadyhand.domains.schedule.arrange.outcome import Arrangement
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.draft.drafting import OpenDraft
from steadyhand.domains.schedule.imports.dates import read_day
from steadyhand.domains.schedule.replies.checks import refusal
from steadyhand.domains.schedule.replies.reply import Refused

T = TypeVar("T")
WIDTH = 79
ENGINES: tuple[Engine, ...] = ("greedy", "first_fit", "optimise")


def search_options(function: Callable[..., T]) -> Callable[..., T]:
    """Declare the options of a search."""
    return _declared(
        function,
        option("--effort", text="effort", type=click.IntRange(1, 10_000)),
        option("--cap", "cap_seconds", text="cap", type=click.IntRange(1, 86_400), metavar="SECONDS"),
    )


def rule_options(function: Callable[..., T]) -> Callable[..., T]:
    """Declare the options that say what is arranged and within which rules."""
    return _declared(
        function,
        option("--category", "categories", text="categories", type=WORDS, multiple=True),
        option("--exclude-day", "days", text="exclude_day", type=WORDS, multiple=True),
        option("--exclude-slots", "slots", text="exclude_slots", type=SLOTS, multiple=True),
        option("--prefer-slots", "preferred", text="prefer_slots", type=SLOTS, multiple=True),
        option("--max-per-day", text="max_per_day", type=click.IntRange(1, 48)),
        option("--no-order", text="no_order", is_flag=True),
        option("--no-embed", text="no_embed", is_flag=True),
    )


def engine_option(function: Callable[..., T]) -> Callable[..., T]:
    """Declare the option that names the engine."""
    return _declared(function, option("--engine", text="engine", type=click.Choice(ENGINES)))


def _declared(function: Callable[..., T], *options: Callable[..., Any]) -> Callable[..., T]:
    for declare in reversed(options):
        function = declare(function)
    return function


def options_of(desk: Desk, draft: OpenDraft, asked: dict[str, Any], *, keep: bool = False) -> ArrangeOptions:
    """Return what the options of `rule_options`, `search_options` and `engine_option` ask for in the window of *draft*."""
    _need_categories(desk, asked["categories"])
    return ArrangeOptions(
        engine=_engine(asked),
        categories=asked["categories"] or None,
        max_per_day=asked["max_per_day"],
        excluded_days=tuple(dict.fromkeys(day for text in asked["days"] for day in _excluded(desk, draft, text))),
        excluded_slots=_slots(asked["slots"]),
        preferred_slots=_slots(asked["preferred"]),
        ordered=not asked["no_order"],
        embed=not asked["no_embed"],
        keep=keep,
        effort=asked["effort"] or EFFORT,
        cap_seconds=asked["cap_seconds"],
    )


def _engine(asked: dict[str, Any]) -> Engine:
    searched = asked["effort"] is not None or asked["cap_seconds"] is not None
    if searched and asked["engine"] not in (None, "optimise"):
        raise ToolRefusal("effort_is_of_a_search", engine=asked["engine"])
    return cast("Engine", asked["engine"] or ("optimise" if searched else "greedy"))


def _slots(ranges: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(slot for first, last in ranges for slot in range(first, last + 1)))


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


def planned(frame: Frame, timetable: Timetable, options: ArrangeOptions) -> Arrangement:
    """Return what an engine makes of *timetable*, which stays as it is; a search runs in a child and shows how far it is."""
    try:
        with _Search(frame) as search:
            return plan_here(timetable, options, watch=search.tell, stop=search.stop.is_set)
    except Refused as refused:
        reply = refusal("fail_arrange", refused)
        raise ToolRefusal(reply.code, text=reply.text(frame.language)) from None


class _Search:
    """A search under way: one line on standard error, at a terminal only, wiped at the end; the first Ctrl-C stops it, the second gives it up."""

    def __init__(self, frame: Frame) -> None:
        self.stop = threading.Event()
        self._frame = frame
        self._on = sys.stderr.isatty() and not frame.as_json
        self._shown = False
        self._before: Any = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._interrupted)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
        self._line("")

    def _interrupted(self, _number: int, _where: FrameType | None) -> None:
        if self.stop.is_set():
            raise KeyboardInterrupt
        self.stop.set()

    def tell(self, step: Step) -> None:
        """Say how far the search is, with the best cost so far and what is proven of it."""
        percent = 100 * step.done // max(step.total, 1)
        named = {"percent": percent, "placed": step.placed, "cost": step.cost, "bound": step.bound}
        self._line(self._frame.say("schedule.arrange.progress", **named))

    def _line(self, text: str) -> None:
        if self._on and (text or self._shown):
            from rich.cells import set_cell_size

            overwrite(set_cell_size(text, WIDTH), wipe=not text)
            self._shown = bool(text)
