"""Foreign text only prints, and what is streamed can be taken back off a terminal to the last cell."""

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cli_chat.ground import Display
from steadyhand.cli.chat.drawing import Provisional, cleaned, rows_below
from steadyhand.cli.terminal.printing import clean

FOREIGN = st.text(alphabet=st.one_of(st.characters(), st.sampled_from("\x1b\x9b\x07\r\n\t\u202e\u200b\x00\x7f")), max_size=80)
WRITTEN = st.text(alphabet=st.sampled_from("ab 高等，\u3000\n"), max_size=120)
SIZE = os.terminal_size((20, 200))


@pytest.mark.parametrize("mark", ["\x1b", "\x9b", "\x07", "\x08", "\x00", "\x7f", "\u202e", "\u200b", "\u2028", "\r"])
def test_a_mark_that_a_terminal_would_obey_is_written_out(mark: str) -> None:
    assert mark not in clean(f"a{mark}b")
    assert clean(f"a{mark}b") == f"a\\u{ord(mark):04x}b"


def test_chinese_spaces_tabs_and_line_ends_stay_what_they_look_like() -> None:
    assert clean("一\u3000二\r\n\t三") == "一\u3000二\n    三"


@settings(max_examples=200, deadline=None)
@given(FOREIGN, st.booleans())
def test_what_is_clean_holds_nothing_but_prints_and_line_ends(text: str, whole: bool) -> None:
    assert all(mark.isprintable() or mark in "\n\u3000\u00a0\u200d" for mark in clean(text, whole=whole))


@settings(max_examples=100, deadline=None)
@given(FOREIGN, FOREIGN)
def test_pieces_give_what_the_whole_gives_but_for_returns(one: str, two: str) -> None:
    one, two = one.replace("\r", ""), two.replace("\r", "")
    assert clean(one, whole=False) + clean(two, whole=False) == clean(one + two)


def test_every_text_of_data_is_cleaned_and_kept_on_its_line() -> None:
    assert cleaned({"a": ["x\x1b[2J\ny", 1, None], "b": True}) == {"a": ["x\\u001b[2J y", 1, None], "b": True}


@settings(max_examples=200, deadline=None)
@given(WRITTEN, st.integers(4, 30))
def test_the_rows_of_a_text_are_those_that_a_terminal_moves_down(text: str, columns: int) -> None:
    display = Display(columns)
    display.write(text)
    assert rows_below(text, columns) == display.row


@settings(max_examples=200, deadline=None)
@given(st.lists(WRITTEN, max_size=5))
def test_streamed_text_is_erased_to_the_last_cell(pieces: list[str]) -> None:
    provisional, display = Provisional(), Display(SIZE.columns)
    display.write("before\n")
    for piece in pieces:
        display.write(provisional.taken(piece))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERM", "xterm")
        keys = provisional.erased_by(SIZE)
    assert keys is not None
    display.write(keys)
    assert [line for line in display.lines if line] == ["before"]


@pytest.mark.parametrize(
    ("text", "size", "term"),
    [
        ("x" * 100, os.terminal_size((10, 8)), "xterm"),
        ("x", SIZE, "dumb"),
        ("family \u200d", SIZE, "xterm"),
    ],
)
def test_what_may_have_left_the_screen_or_has_no_certain_width_is_not_erased(
    monkeypatch: pytest.MonkeyPatch, text: str, size: os.terminal_size, term: str
) -> None:
    monkeypatch.setenv("TERM", term)
    provisional = Provisional()
    provisional.taken(text)
    assert provisional.erased_by(size) is None


@settings(max_examples=200, deadline=None)
@given(WRITTEN.filter(str.strip), WRITTEN)
def test_a_message_that_begins_with_what_stands_there_is_only_completed(begun: str, rest: str) -> None:
    provisional = Provisional()
    shown = provisional.taken(begun)
    left = provisional.completed_by(begun + rest)
    assert left is not None
    assert shown + left == (begun + rest).lstrip("\n")
    assert provisional.text == ""


def test_a_message_that_lacks_the_white_end_of_what_stands_there_counts_as_the_same() -> None:
    provisional = Provisional()
    provisional.taken("There is room.\n\n")
    assert provisional.completed_by("There is room.") == ""


def test_another_message_completes_nothing() -> None:
    provisional = Provisional()
    assert provisional.completed_by("anything") is None
    provisional.taken("Let me look")
    assert provisional.completed_by("There is room") is None
    assert provisional.text == "Let me look"
