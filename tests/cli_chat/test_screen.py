"""At a terminal the messages stand each once when a turn has ended, whatever was streamed before them; tool lines tell what ran."""

import contextlib
import io
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cli_chat.ground import Display
from steadyhand.agent.events import AskedAgain, CallEnded, CallStarted
from steadyhand.cli.chat.screen import Plain, Screen
from steadyhand.core.clock import FakeClock
from steadyhand.core.ids import LOCAL_USER, SessionId
from steadyhand.core.wire import Delta, ToolCall
from steadyhand.domains.schedule.draft.week_view import WeekView
from steadyhand.store.sessions.outbox import Owed
from steadyhand.tools.result import error_result, tool_result

COLUMNS = 24
ROW = Owed("out_1", LOCAL_USER, SessionId("s"), 1, "t", "reply", "", None, None, None, "sending", 1, "", None, "", "", "")
WORDS = st.text(alphabet=st.sampled_from("abc 高等，"), min_size=1, max_size=60).filter(lambda text: text.strip() == text)


class Tty(io.StringIO):
    """Standard output that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@contextlib.contextmanager
def terminal(columns: int = COLUMNS, **environment: str) -> Iterator[Tty]:
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(Tty()) as out:
        for name, value in {"TERM": "xterm", "COLUMNS": str(columns), "LINES": "100", **environment}.items():
            patch.setenv(name, value)
        yield out


def screen() -> Screen:
    return Screen("en", FakeClock())


def row(text: str, **more: Any) -> Owed:
    return replace(ROW, content=text, **more)


def standing(shown: str, columns: int = COLUMNS) -> list[str]:
    display = Display(columns)
    display.write(shown)
    assert display.lines[-1] == "", "the next line begins at its beginning"
    return display.lines[:-1]


def expected(texts: list[str], columns: int = COLUMNS) -> list[str]:
    return standing("".join(f"{text}\n" for text in texts), columns)


def pieces(text: str, at: int) -> list[Delta]:
    return [Delta(text[:at]), Delta(text[at:])]


def test_streamed_text_that_comes_to_count_is_not_printed_twice() -> None:
    with terminal() as out:
        shown = screen()
        for piece in pieces("There is room on Monday", 7):
            shown.event(piece)
        shown.message(row("There is room on Monday\nC-1: ready"))
        shown.settled()
    assert standing(out.getvalue()) == ["There is room on Monday", "C-1: ready"]
    assert "\x1b[" not in out.getvalue()


ATTEMPT = st.tuples(WORDS, st.sampled_from(["withdrawn", "call", "other"]))


@settings(max_examples=150, deadline=None)
@given(st.lists(ATTEMPT, max_size=4), WORDS, st.lists(WORDS, max_size=3), st.integers(0, 60))
def test_in_the_end_every_message_stands_once_and_nothing_else_but_tool_lines(
    attempts: list[tuple[str, str]], last: str, rows: list[str], at: int
) -> None:
    tools = 0
    with terminal() as out:
        shown = screen()
        for text, end in attempts:
            for piece in pieces(text, at):
                shown.event(piece)
            if end == "withdrawn":
                shown.event(AskedAgain("provider_tool_call"))
            elif end == "call":
                call = ToolCall(f"call_{tools}", "look", "{}")
                shown.event(CallStarted(call))
                shown.event(CallEnded(call, tool_result("seen")))
                tools += 1
            else:
                shown.settled()
        for piece in pieces(last, at):
            shown.event(piece)
        for text in [*rows, last]:
            shown.message(row(text))
        shown.settled()
    lines = standing(out.getvalue())
    told = [line for line in lines if line.startswith("· look")]
    assert told == ["· look …  ok 0 ms"] * tools
    assert [line for line in lines if not line.startswith("· look")] == expected([*rows, last])


def test_where_nothing_can_be_erased_a_line_says_that_the_text_does_not_count() -> None:
    with terminal(TERM="dumb") as out:
        shown = screen()
        shown.event(Delta("It is done"))
        shown.message(row("Nothing was done."))
    assert standing(out.getvalue(), 200) == [
        "It is done",
        "(The text above was provisional and does not count.)",
        "Nothing was done.",
    ]


def test_a_stopped_turn_leaves_nothing_of_what_it_streamed() -> None:
    with terminal() as out:
        shown = screen()
        shown.event(Delta("I am just about to"))
        shown.settled()
    assert standing(f"{out.getvalue()}\n") == [""]


def test_a_failed_call_says_its_code_and_a_message_sent_meanwhile_does_not_break_the_line() -> None:
    call = ToolCall("call_1", "message", "{}")
    with terminal() as out:
        shown = screen()
        shown.event(CallStarted(call))
        shown.message(row("Half way"))
        shown.event(CallEnded(call, error_result("no", code="denied")))
    assert standing(out.getvalue(), 80) == ["· message …", "Half way", "· message …  denied 0 ms"]


def test_no_mark_of_a_model_a_tool_or_a_row_is_obeyed() -> None:
    bad = "\x1b[2J\x1b]0;mine\x07\x9b31m\u202e"
    call = ToolCall("call_1", f"look{bad}", "{}")
    with terminal() as out:
        shown = screen()
        shown.event(Delta(f"a{bad}"))
        shown.event(CallStarted(call))
        shown.event(CallEnded(call, error_result("no", code=f"x{bad}")))
        shown.message(row(f"b{bad}"))
        shown.message(row(f"c{bad}", source="review", shows=1))
        shown.message(row(f"d{bad}", data=week(f"e{bad}").to_json()))
        shown.note(f"f{bad}")
    text = out.getvalue()
    assert not {mark for mark in text if not mark.isprintable()} - {"\n", "\r", "\x1b"}
    assert set(keys(text)) == {"\x1b[1A", "\x1b[J", "\x1b[0m", "\x1b[2m", "\x1b[31m", "\x1b[36m"}


def keys(text: str) -> list[str]:
    """Return what of *text* a terminal obeys."""
    found = []
    for part in text.split("\x1b")[1:]:
        end = next(index for index, mark in enumerate(part) if mark.isalpha())
        found.append(f"\x1b{part[: end + 1]}")
    return found


def week(name: str) -> WeekView:
    seat = {"slots": [1, 2], "name": name, "mark": "C", "place": "", "embedded_in": None}
    column = {"heading": ["Mon", "09-07"], "date": "2026-09-07", "seats": [seat]}
    return WeekView.from_json(
        {
            "view": "week",
            "week": 1,
            "title": name,
            "columns": [column] * 7,
            "scale": [["08:00", "08:45"], ["08:55", "09:40"]],
            "foot": [name],
        }
    )


def test_a_week_is_drawn_in_colours_and_in_the_width_of_the_terminal() -> None:
    view = week("高等数学（上）")
    with terminal(columns=100) as out:
        screen().message(row(view.text(), data=view.to_json()))
    assert "\x1b[36mC高等数学" in out.getvalue()
    assert standing(out.getvalue(), 100) == view.text(100).splitlines()


def test_a_week_whose_data_is_not_whole_is_told_as_its_text() -> None:
    with terminal() as out:
        screen().message(row("the week", data={"view": "week", "week": 3}))
    assert out.getvalue() == "the week\n"


def test_a_review_is_painted_by_its_signs() -> None:
    with terminal() as out:
        screen().message(row("+ one\n- two\nthree", source="review", shows=1))
    assert out.getvalue() == "\x1b[32m+ one\x1b[0m\n\x1b[31m- two\x1b[0m\nthree\n"


def test_through_a_pipe_only_the_messages_come(capsys: pytest.CaptureFixture[str]) -> None:
    face = Plain()
    face.event(Delta("I am"))
    face.message(row("One\x1b[2J"))
    face.note("beside")
    face.settled()
    captured = capsys.readouterr()
    assert captured.out == "One\\u001b[2J\n"
    assert captured.err == "beside\n"
