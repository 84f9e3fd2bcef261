"""Decides how a person types in a chat: history, completion, pasting of several lines, Ctrl-C and Ctrl-D. It must not read what the words mean."""

import contextlib
import os
import select
import sys
import termios
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.application.run_in_terminal import run_in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input.typeahead import get_typeahead, store_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPress, KeyPressEvent
from prompt_toolkit.keys import Keys

from steadyhand.cli.terminal.printing import clean
from steadyhand.core.clock import Clock

HISTORY = "chat_history"
OWNER_ALONE = 0o600
LONGEST_START = 40


@dataclass(frozen=True, slots=True)
class Offer:
    """One way to go on: the *text*, and what it is."""

    text: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Offers:
    """Where what can be typed comes from, asked for when it is needed.

    *commands* begin with a stroke; *words* gives what may follow one of them; *names* what may stand anywhere.
    """

    commands: Sequence[str]
    words: Callable[[str], Awaitable[Sequence[Offer]]]
    names: Callable[[], Awaitable[Sequence[Offer]]]


class Completing(Completer):
    """Completes commands while they are typed, and names when the person asks for them."""

    def __init__(self, offers: Offers) -> None:
        self._offers = offers

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        del document, complete_event
        return ()

    async def get_completions_async(self, document: Document, complete_event: CompleteEvent) -> AsyncGenerator[Completion, None]:
        before = document.text_before_cursor
        if before.startswith("/"):
            command, gap, start = before.partition(" ")
            if not gap:
                found = [Offer(one) for one in self._offers.commands]
                start = command
            else:
                found = list(await self._offers.words(command))
            for one in found:
                if one.text.casefold().startswith(start.casefold()):
                    yield _completion(one, len(start))
        elif complete_event.completion_requested:
            for one, typed in _begun(before, await self._offers.names()):
                yield _completion(one, typed)


def _completion(offer: Offer, typed: int) -> Completion:
    return Completion(offer.text, -typed, display=clean(offer.text), display_meta=clean(offer.about))


def _begun(before: str, offers: Sequence[Offer]) -> Iterator[tuple[Offer, int]]:
    """Return the names that the end of *before* begins, each with how much of it stands there: Chinese has no spaces to go by."""
    for offer in offers:
        for typed in range(min(len(before), len(offer.text), LONGEST_START), 0, -1):
            start, earlier = before[-typed:], before[: len(before) - typed]
            whole_word = not (start[0].isascii() and start[0].isalnum() and earlier[-1:].isascii() and earlier[-1:].isalnum())
            if whole_word and offer.text.casefold().startswith(start.casefold()):
                yield offer, typed
                break


class Line:
    """The line at which a person types, with the moment at which they began to."""

    def __init__(self, folder: Path, offers: Offers, clock: Clock) -> None:
        self._clock = clock
        self._since: datetime | None = None
        self._left = clock.now()
        self._ahead: datetime | None = None
        self._session: PromptSession[str] = PromptSession(
            history=_history(folder),
            completer=Completing(offers),
            key_bindings=_keys(),
            complete_while_typing=True,
            reserve_space_for_menu=4,
            enable_suspend=True,
        )
        self._session.default_buffer.on_text_changed += self._changed

        self._begun = ""
        self._leaves = False

    async def read(self, prompt: str) -> str:
        """Return what the person typed; `EOFError` when they leave, `KeyboardInterrupt` on Ctrl-C."""
        begun, self._begun = self._begun, ""
        if self._leaves:
            raise EOFError
        self._ahead = self._left if self._waits() else None
        self._since = self._since if begun else None
        try:
            return await self._session.prompt_async(prompt, default=begun, set_exception_handler=False, handle_sigint=False)
        finally:
            self._left = self._clock.now()

    @contextlib.contextmanager
    def overhears(self, heard: Callable[[str], None]) -> Generator[None]:
        """Hand each line to *heard* that is typed while none stands there; what was only begun stands in the next one."""
        keys = self._session.app.input

        def read() -> None:
            for press in keys.read_keys():
                self._pressed(press, heard)

        with keys.attach(read):
            yield

    def _pressed(self, press: KeyPress, heard: Callable[[str], None]) -> None:
        if not self._begun:
            self._since = self._clock.now()
        match press.key:
            case Keys.ControlM | Keys.ControlJ:
                line, self._begun = self._begun, ""
                heard(line)
            case Keys.ControlH:
                self._begun = self._begun[:-1]
            case Keys.ControlU:
                self._begun = ""
            case Keys.ControlD:
                self._leaves = self._leaves or not self._begun
            case Keys.BracketedPaste:
                self._begun += press.data
            case _:
                self._begun += press.data if press.data.isprintable() else ""

    @property
    def begun(self) -> datetime:
        """When the person began to type the line that was read last: what waited already was typed after the line before it."""
        return self._since or self._ahead or self._left

    def _waits(self) -> bool:
        """Tell whether keys wait to be read: at the terminal, or behind the end of the line before."""
        source = self._session.app.input
        kept = get_typeahead(source)
        store_typeahead(source, kept)
        return bool(kept) or bool(select.select([source.fileno()], [], [], 0)[0])

    def _changed(self, buffer: Buffer) -> None:
        if not buffer.text:
            self._since = None
        elif self._since is None:
            self._since = self._ahead or self._clock.now()
            self._ahead = None

    @property
    def typed(self) -> str:
        """What stands in the line."""
        return self._session.default_buffer.text

    @property
    def reads(self) -> bool:
        """Whether the person can type now."""
        return self._session.app.is_running

    def interrupt(self) -> None:
        """End the reading as Ctrl-C does."""
        self._session.app.exit(exception=KeyboardInterrupt)

    async def above(self, show: Callable[[], None]) -> None:
        """Let *show* print, above the line where one stands."""
        await run_in_terminal(show)


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("escape", "enter")
    def another_line(event: KeyPressEvent) -> None:  # pyright: ignore[reportUnusedFunction]  # registered by the decorator
        event.current_buffer.insert_text("\n")

    return keys


def _history(folder: Path) -> History:
    """Return what was typed before, kept for its owner alone; where it cannot be kept, only for as long as this lasts."""
    file = folder / HISTORY
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, OWNER_ALONE)
        os.fchmod(descriptor, OWNER_ALONE)
        os.close(descriptor)
    except OSError:
        return InMemoryHistory()
    return FileHistory(file)


@contextlib.contextmanager
def typed_ahead() -> Generator[None]:
    """Keep what is typed while no line stands there off the screen, and every key of it for the next line."""
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    without = [*before[:3], before[3] & ~(termios.ECHO | termios.ICANON), *before[4:]]
    termios.tcsetattr(descriptor, termios.TCSANOW, without)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSANOW, before)
