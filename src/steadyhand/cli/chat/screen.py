"""Decides how a session looks at a terminal: streamed text, tool lines, and the messages that count. It must not let foreign marks reach the terminal.

Streamed text is provisional. The message that follows counts: it completes what stands there, or takes its place.
"""

import shutil
import sys
from collections.abc import Mapping

from steadyhand.agent.events import AskedAgain, CallEnded, CallStarted, TurnEvent
from steadyhand.cli.change.review import coloured
from steadyhand.cli.chat.drawing import Provisional, cleaned
from steadyhand.cli.chat.room import Ended
from steadyhand.cli.schedule.grid import painted
from steadyhand.cli.terminal.printing import clean, echo, styled
from steadyhand.core.canonical import Json
from steadyhand.core.clock import Clock
from steadyhand.core.language import Language, say
from steadyhand.core.wire import Delta
from steadyhand.domains.schedule.draft.week_grid import WIDTH
from steadyhand.domains.schedule.draft.week_view import WeekView
from steadyhand.store.sessions.outbox import Owed

WIDEST = 110
LONGEST_TOOL = 60


class Plain:
    """The messages and nothing else: for pipes."""

    def event(self, event: TurnEvent) -> None:
        del event

    def message(self, owed: Owed) -> None:
        echo(clean(owed.content))

    def note(self, text: str) -> None:
        echo(clean(text), err=True)

    def settled(self) -> None:
        return

    def ended(self, ended: Ended) -> None:
        del ended


class Screen:
    """A terminal that a person reads while a turn runs."""

    def __init__(self, language: Language, clock: Clock) -> None:
        self._language: Language = language
        self._clock = clock
        self._provisional = Provisional()
        self._open_call: str | None = None
        self._begun: dict[str, float] = {}

    def event(self, event: TurnEvent) -> None:
        match event:
            case Delta():
                self._stream(event.text)
            case CallStarted():
                self._call_started(event)
            case CallEnded():
                self._call_ended(event)
            case AskedAgain():
                self._withdraw()

    def message(self, owed: Owed) -> None:
        self._close_call()
        text = clean(owed.content)
        ended = self._provisional.text.endswith("\n")
        rest = self._provisional.completed_by(text)
        if rest is None:
            self._withdraw()
            echo(self._painted(owed, text))
        else:
            echo(rest, nl=bool(rest) or not ended)

    def note(self, text: str) -> None:
        self._close_call()
        self._withdraw()
        echo(styled(text, dim=True))

    def settled(self) -> None:
        self._close_call()
        self._withdraw()
        self._begun.clear()

    def ended(self, ended: Ended) -> None:
        del ended

    def _stream(self, text: str) -> None:
        shown = self._provisional.taken(clean(text, whole=False))
        if shown:
            self._close_call()
            echo(shown, nl=False)
            sys.stdout.flush()

    def _withdraw(self) -> None:
        """Take streamed text back: off the terminal where that can be done for certain, else with a line that says so."""
        if not self._provisional.text:
            return
        keys = self._provisional.erased_by(shutil.get_terminal_size())
        self._provisional = Provisional()
        if keys is not None:
            sys.stdout.write(keys)
            sys.stdout.flush()
            return
        echo()
        echo(styled(say(self._language, "cli.chat.withdrawn"), dim=True))

    def _call_started(self, event: CallStarted) -> None:
        self._close_call()
        self._withdraw()
        self._begun[event.call.id] = self._clock.monotonic()
        self._open_call = event.call.id
        echo(styled(self._tool(event.call.name), dim=True), nl=False)
        sys.stdout.flush()

    def _call_ended(self, event: CallEnded) -> None:
        call, result = event.call, event.result
        if self._open_call != call.id:
            echo(styled(self._tool(call.name), dim=True), nl=False)
        self._open_call = None
        took = self._clock.monotonic() - self._begun.pop(call.id, self._clock.monotonic())
        form = "call_failed" if result.is_error else "call_held" if result.code == "held" else "call_ok"
        told = say(self._language, f"cli.chat.{form}", code=clean(result.code), ms=round(took * 1000))
        echo(styled(f"  {told}", dim=True, fg="red" if result.is_error else None))

    def _close_call(self) -> None:
        if self._open_call is not None:
            self._open_call = None
            echo()

    def _tool(self, name: str) -> str:
        return say(self._language, "cli.chat.call", tool=clean(name)[:LONGEST_TOOL])

    def _painted(self, owed: Owed, text: str) -> str:
        """Return a message in colours: a review by its signs, a week as its grid, in the width of this terminal."""
        if owed.source == "review" or owed.shows is not None:
            return coloured(text)
        if isinstance(owed.data, Mapping) and owed.data.get("view") == "week":
            return _week(owed.data) or text
        return text


def _week(data: Mapping[str, Json]) -> str | None:
    """Draw a week from its data; None when that is not whole."""
    width = min(max(shutil.get_terminal_size().columns, WIDTH), WIDEST)
    try:
        return WeekView.from_json(cleaned(dict(data))).text(width, painted)
    except (KeyError, TypeError, ValueError, IndexError):
        return None
