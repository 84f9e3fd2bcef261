"""Decides how a session is told to a program: one JSON object on each line, for each event, each message and each end. It must not tell it in prose."""

from steadyhand.agent.events import AskedAgain, CallEnded, CallStarted, TurnEvent
from steadyhand.cli.chat.room import Ended
from steadyhand.cli.terminal.printing import print_data
from steadyhand.core.arguments import parse_arguments
from steadyhand.core.canonical import Json
from steadyhand.core.clock import Clock
from steadyhand.core.wire import Delta
from steadyhand.store.sessions.outbox import Owed


class JsonLines:
    """A session for a program. What the chat itself has to say to people is left out."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._begun: dict[str, float] = {}

    def event(self, event: TurnEvent) -> None:
        match event:
            case Delta():
                print_line("delta", text=event.text, reasoning=event.reasoning)
            case CallStarted(call):
                self._begun[call.id] = self._clock.monotonic()
                arguments = parse_arguments(call.arguments)
                print_line("call", id=call.id, tool=call.name, arguments=call.arguments if arguments is None else arguments)
            case CallEnded(call, result):
                took = self._clock.monotonic() - self._begun.pop(call.id, self._clock.monotonic())
                print_line("result", id=call.id, tool=call.name, ok=not result.is_error, code=result.code, ms=round(took * 1000))
            case AskedAgain(code):
                print_line("withdrawn", code=code)

    def message(self, owed: Owed) -> None:
        print_line(
            "message",
            id=owed.id,
            turn=owed.turn_id,
            source=owed.source,
            text=owed.content,
            change=owed.shows,
            data=owed.data,
        )

    def note(self, text: str) -> None:
        del text

    def settled(self) -> None:
        self._begun.clear()

    def ended(self, ended: Ended) -> None:
        print_line("end", ok=ended.ok, state=ended.state, end=ended.end, error=ended.error, turn=ended.turn)


def print_line(kind: str, **fields: Json) -> None:
    """Print one object; marks that a terminal would obey are written out, as JSON allows."""
    print_data({"type": kind, **fields})
