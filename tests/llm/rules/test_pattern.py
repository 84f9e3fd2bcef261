"""A phrase covers a whole text in every way that it can, or not at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.core.errors import Bug
from steadyhand.core.language import Language
from steadyhand.llm.rules.pattern import Kind, Pattern, compiled, lowered

ANY = Kind("any", lambda words: words if "!" not in words else None, ("x",), loose=True)
NUMBER = Kind("number", lambda words: str(int(words)) if words.isdecimal() and words.isascii() else None, ("7", "8"))
KINDS = {"any": ANY, "number": NUMBER, "other": Kind("other", lambda words: words, ("y",), loose=True)}


def pattern(source: str, language: Language = "en") -> Pattern:
    return compiled(source, KINDS, language)


def held(source: str, text: str, language: Language = "en") -> list[dict[str, str]]:
    return [dict(reading.slots) for reading in pattern(source, language).readings(text, lowered(text))]


def test_a_phrase_covers_the_whole_text_and_nothing_less() -> None:
    assert held("undo", "undo") == [{}]
    assert held("undo", "UNDO") == [{}]
    for text in ("undo it", "please undo", "und", "", "undo "):
        assert held("undo", text) == []


def test_what_stands_in_brackets_may_be_left_away_and_one_of_several_must_be_there() -> None:
    assert held("undo[ it| that]", "undo that") == held("undo[ it| that]", "undo") == [{}]
    assert held("undo[ it| that]", "undo this") == []
    assert held("(put|move) {any}", "move x") == [{"any": "x"}]
    assert held("(put|move) {any}", "take x") == []
    assert held("[the ][{number} ]steps", "the 3 steps") == [{"number": "3"}]
    assert held("[the ][{number} ]steps", "steps") == [{}]


def test_a_gap_is_a_space_in_english_and_may_be_nothing_in_chinese() -> None:
    assert held("go back", "go   back") == [{}]
    assert held("go back", "goback") == []
    assert held("放 到 {any}", "放到x", "zh-CN") == [{"any": "x"}]


def test_every_way_to_part_the_text_is_found() -> None:
    assert held("swap {any} and {other}", "swap a and b and c") == [
        {"any": "a", "other": "b and c"},
        {"any": "a and b", "other": "c"},
    ]
    assert held("{any}和{other}", "甲和乙", "zh-CN") == [{"any": "甲", "other": "乙"}]


def test_a_slot_holds_only_what_its_kind_reads_and_the_value_is_what_it_reads() -> None:
    assert held("undo {number} steps", "undo 03 steps") == [{"number": "3"}]
    assert held("undo {number} steps", "undo three steps") == []
    assert held("say {any}", "say no!") == []
    assert held("to {n:number}", "to 5") == [{"n": "5"}]


def test_words_keep_their_case_and_lose_the_space_around_them() -> None:
    assert held("put {any} down", "PUT My Essay DOWN") == [{"any": "My Essay"}]


def test_signs_in_loose_slots_are_counted() -> None:
    (reading,) = pattern("put {any} on {number}").readings("put essay on 3", "put essay on 3")
    assert reading.loose == len("essay")


def test_there_are_never_many_readings() -> None:
    text = "swap " + " and ".join("abcdefghijklmnopqrstuvwxyz")
    assert len(held("swap {any} and {other}", text)) == 12


@pytest.mark.parametrize("source", ["(a|b", "[a", "a {nobody}", "a)b]", "{x:nobody}"])
def test_a_malformed_phrase_is_a_bug(source: str) -> None:
    if source == "a)b]":
        assert held(source, source) == [{}]
    else:
        with pytest.raises(Bug):
            pattern(source)


def test_samples_show_each_alternative_and_are_covered_themselves() -> None:
    one = pattern("(put|move) {number}[ now| later]")
    assert set(one.samples()) == {"put 7", "move 7", "put 8", "put 7 now", "put 7 later"}
    assert all(one.readings(phrase, phrase) for phrase in one.samples())


@given(st.text(max_size=60))
def test_lower_case_keeps_the_place_of_every_sign(text: str) -> None:
    assert len(lowered(text)) == len(text)


@given(st.text(max_size=40))
def test_any_text_is_read_without_error(text: str) -> None:
    for source in ("put {any} on {other}", "[a|b]{any}", "({number}|x)"):
        held(source, text)
