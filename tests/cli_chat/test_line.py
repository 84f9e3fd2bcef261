"""At the line a person finds again what they typed, completes names, pastes several lines; what they typed is theirs alone."""

import asyncio
import stat
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from steadyhand.cli.chat.line import HISTORY, Completing, Line, Offer, Offers
from steadyhand.core.clock import FakeClock, SystemClock

NAMES = [
    Offer("第一章 随机事件", "[11]"),
    Offer("[11]", "第一章 随机事件"),
    Offer("Essay: my home town", "[22]"),
    Offer("C-12", "C-12: ready"),
]


async def words(command: str) -> Sequence[Offer]:
    return [Offer("C-1", "ready"), Offer("C-12")] if command == "/approve" else []


async def names() -> Sequence[Offer]:
    return NAMES


OFFERS = Offers(["/approve", "/changes", "/new"], words, names)


def completed(before: str, *, asked: bool = True) -> list[str]:
    """Return what the line becomes with each completion."""

    async def work() -> list[str]:
        event = CompleteEvent(text_inserted=not asked, completion_requested=asked)
        found = Completing(OFFERS).get_completions_async(Document(before), event)
        return [before[: len(before) + one.start_position] + one.text async for one in found]

    return asyncio.run(work())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("/", ["/approve", "/changes", "/new"]),
        ("/AP", ["/approve"]),
        ("/approve ", ["/approve C-1", "/approve C-12"]),
        ("/approve c-12", ["/approve C-12"]),
        ("/changes ", []),
        ("put ess", ["put Essay: my home town"]),
        ("把第一", ["把第一章 随机事件"]),
        ("把[1", ["把[11]"]),
        ("look at C-", ["look at C-12"]),
        ("guess", []),
        ("", []),
    ],
)
def test_what_stands_before_the_cursor_is_gone_on_with(before: str, after: list[str]) -> None:
    assert completed(before) == after


def test_names_are_offered_only_when_they_are_asked_for() -> None:
    assert completed("把第一", asked=False) == []
    assert completed("/ap", asked=False) == ["/approve"]


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.sampled_from("第一章Es [1C-把x"), max_size=20))
def test_a_completion_keeps_what_was_typed(before: str) -> None:
    for after in completed(before):
        assert after.casefold().startswith(before.casefold())


def typed(folder: Path, *keys: str, reading: Callable[[Line], None] = lambda _: None) -> list[str | None]:
    """Type *keys* at the lines of one chat; return what each gave."""

    async def work() -> list[str | None]:
        line, found = Line(folder, OFFERS, SystemClock()), list[str | None]()
        for text in keys:
            pipe.send_text(text)
            try:
                found.append(await line.read("> "))
            except (EOFError, KeyboardInterrupt) as error:
                found.append(type(error).__name__)
            reading(line)
        return found

    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        return asyncio.run(work())


def test_what_was_typed_is_found_again_in_the_next_chat_and_kept_for_its_owner_alone(data_dir: Path) -> None:
    (data_dir / HISTORY).write_text("")
    (data_dir / HISTORY).chmod(0o644)
    assert typed(data_dir, "好的\r", "arrange my week\r") == ["好的", "arrange my week"]
    assert stat.S_IMODE((data_dir / HISTORY).stat().st_mode) == 0o600
    assert typed(data_dir, "\x1b[A\x1b[A\r") == ["好的"]


def test_a_history_that_cannot_be_kept_is_no_obstacle(data_dir: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("")
    (data_dir / HISTORY).symlink_to(elsewhere)
    assert typed(data_dir, "one\r", "\x1b[A\r") == ["one", "one"]
    assert elsewhere.read_text() == ""


def test_pasted_lines_and_alt_enter_make_one_message(data_dir: Path) -> None:
    pasted = "\x1b[200~one\r\ntwo\x1b[201~"
    assert typed(data_dir, f"{pasted}\r", "one\x1b\rtwo\r") == ["one\ntwo", "one\ntwo"]


def test_ctrl_d_and_ctrl_c_are_told_apart_and_what_stood_there_is_known(data_dir: Path) -> None:
    left: list[str] = []
    assert typed(data_dir, "\x04", "half\x03", "\x03", reading=lambda line: left.append(line.typed)) == [
        "EOFError",
        "KeyboardInterrupt",
        "KeyboardInterrupt",
    ]
    assert left == ["", "half", ""]


def test_a_signal_ends_the_reading_as_the_key_does(data_dir: Path) -> None:
    async def work() -> bool:
        line = Line(data_dir, OFFERS, SystemClock())

        async def interrupts() -> None:
            while not line.reads:  # noqa: ASYNC110  # the library has no event for it
                await asyncio.sleep(0)
            line.interrupt()

        task = asyncio.create_task(interrupts())
        with pytest.raises(KeyboardInterrupt):
            await line.read("> ")
        await task
        return line.reads

    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        assert asyncio.run(work()) is False


def stamps(folder: Path, *scenes: tuple[str, str]) -> list[float]:
    """Type lines, each in a first part while the line before is still worked on and a second part while it is read; tell how many
    minutes before the end of its reading each was begun. A minute passes between a line's reading and the next, one while it is read.
    """

    async def work() -> list[float]:
        clock, found = FakeClock(), list[float]()
        line = Line(folder, OFFERS, clock)
        for ahead, now in scenes:
            pipe.send_text(ahead)
            clock.advance(timedelta(minutes=1))
            reading = asyncio.create_task(line.read("> "))
            while not line.reads and not reading.done():  # noqa: ASYNC110  # the library has no event for it
                await asyncio.sleep(0)
            clock.advance(timedelta(minutes=1))
            pipe.send_text(now)
            await reading
            found.append((clock.now() - line.begun).total_seconds() / 60)
        return found

    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        return asyncio.run(work())


def test_what_was_typed_before_a_line_stood_there_is_stamped_with_the_end_of_the_line_before(data_dir: Path) -> None:
    """A yes that lay in the keyboard's buffer when the review came is older than the review."""
    now, ahead, begun_ahead = stamps(data_dir, ("", "hello\r"), ("yes\r", ""), ("ye", "s\r"))
    assert now == 0
    assert ahead >= 1
    assert begun_ahead >= 1
