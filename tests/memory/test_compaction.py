"""What is too long is cut by rule: results first, oldest first, whole sentences, the question's words last; nothing is cut in half."""

import re
from collections import Counter
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.ground import histories, pairs_are_whole, said
from steadyhand.core.language import LANGUAGES, say
from steadyhand.memory.compaction import compact, cut, length, pieces, words
from steadyhand.memory.short_term import steps

MARK = say("en", "memory.cut")
LISTING = "".join(f"{number}. course {number}, week {number}, slots {number}-{number + 1}\n" for number in range(1, 41))


def turn(name, result, answer="It is there."):
    return [
        said(f"{name}q", content=f"question of {name}", turn=name),
        said(f"{name}c", "assistant", "", turn=name, calls=["c"]),
        said(f"{name}r", "tool", result, turn=name, call="c"),
        said(f"{name}a", "assistant", answer, turn=name),
    ]


def content(entries, entry):
    return next(one.content for one in entries if one.id == entry)


def test_what_fits_is_left_as_it_is():
    entries = turn("one", LISTING)
    assert compact(entries, length(entries), "week 7", "en") == entries


def test_the_oldest_result_is_cut_first_and_no_further_than_needed():
    entries = [*turn("one", LISTING), *turn("two", LISTING), *turn("three", "ok")]
    less = compact(entries, length(entries) - 300, "", "en")
    assert len(LISTING) > len(content(less, "oner")) > len(LISTING) - 420
    assert content(less, "twor") == LISTING
    assert length(less) <= length(entries) - 300


def test_what_shares_words_with_the_question_stays():
    entries = [*turn("one", LISTING), *turn("two", "ok")]
    told = content(compact(entries, length(entries) - 700, "which course is in week 17?", "en"), "oner")
    assert "17. course 17, week 17, slots 17-18\n" in told
    assert MARK in told


def test_in_chinese_too():
    lines = [f"第{number}周：高等数学在第{number}节。\n" for number in range(1, 40)] + ["体育课改到操场。\n"]
    entries = [*turn("one", "".join(lines)), *turn("two", "ok")]
    told = content(compact(entries, length(entries) - 400, "体育课在哪里上？", "zh-CN"), "oner")
    assert told.endswith("体育课改到操场。\n")
    assert say("zh-CN", "memory.cut") in told


def test_assistants_texts_are_cut_after_results():
    long_answer = " ".join(f"Sentence number {word} ends here." for word in "abcdefghijklmnopqrstuvwxyz")
    entries = [*turn("one", LISTING, long_answer), *turn("two", "ok")]
    only_results = compact(entries, length(entries) - 200, "", "en")
    assert content(only_results, "onea") == long_answer
    both = compact(entries, length(entries) - len(LISTING) * 7 // 10 - 200, "", "en")
    assert MARK in content(both, "onea")


def test_steps_are_left_out_whole_where_cutting_is_not_enough_and_a_line_says_so():
    entries = [*turn("one", LISTING), *turn("two", LISTING), *turn("three", "ok")]
    less = compact(entries, 300, "", "en")
    assert [one.content for one in less if one.source == "compaction"] == [say("en", "memory.left_out", n=n) for n in (2, 1)]
    assert [one.content for one in less if one.role == "user"] == [f"question of {name}" for name in ("one", "two", "three")]
    assert less[-4:] == entries[-4:]


def test_neighbours_that_were_left_out_are_told_of_in_one_line():
    entries = [
        said("q", turn="t"),
        *(said(number, "assistant", "word " * 40, turn="t") for number in range(5)),
        *turn("two", "ok"),
    ]
    less = compact(entries, 60, "", "en")
    assert [one.content for one in less if one.source == "compaction"] == [say("en", "memory.left_out", n=5)]


def test_the_newest_turn_and_a_persons_words_are_never_cut():
    long = LISTING * 3
    entries = [said("old", content=long, turn="one"), *turn("two", long, long)]
    assert compact(entries, 10, "", "en") == entries


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_shortened_below_three_pieces_and_three_tenths(language):
    told = cut(LISTING, 0, words("week"), say(language, "memory.cut"))
    kept = told.replace(say(language, "memory.cut"), "")
    assert len(kept.strip()) >= 0.3 * len(LISTING) - 50
    assert len(pieces(kept)) >= 3
    assert cut("One. Two. Three.", 0, frozenset(), MARK) == "One. Two. Three."


@pytest.mark.parametrize(
    "text",
    [
        "2. C-42 is open; see C-43. It was made 3.5 hours ago. " * 6,
        "第3.5节。C-42 已批准！“好的。”下一句？（完。）" * 12,
        "id in_0a1b2c3d. Next: chg_ffee; done (really). 2. second point. " * 5,
        "http://localhost/?a=1&b=2 is open. It stays so! Really? " * 6,
    ],
)
def test_pieces_cut_no_number_name_or_address_and_join_to_the_text(text):
    parts = pieces(text)
    assert "".join(parts) == text
    assert len(parts) > 3
    whole = re.findall(r"C-\d+|\d+\.\d+|\w+_[0-9a-f]+|\?a=1&b=2|\d+\. \w+", text)
    assert Counter(
        found for part in parts for found in re.findall(r"C-\d+|\d+\.\d+|\w+_[0-9a-f]+|\?a=1&b=2|\d+\. \w+", part)
    ) == Counter(whole)


def test_a_line_that_is_not_long_is_one_piece():
    assert pieces("Week 3. Slots 1-2. Room 101.\nnext") == ["Week 3. Slots 1-2. Room 101.\n", "next"]


TOLD = st.lists(
    st.sampled_from(
        ["第3周周一第1-2节有课。", "C-42 is waiting. ", "空闲\n", "3.5 hours left\n", "Nothing else! ", "x" * 130 + ". "]
    ),
    max_size=25,
).map("".join)


@settings(max_examples=150, deadline=None)
@given(histories(TOLD), st.integers(0, 4000), st.sampled_from(["", "周一 C-42", "hours"]), st.sampled_from(LANGUAGES))
def test_whatever_is_cut_pairs_stay_whole_and_people_and_the_newest_turn_untouched(entries, budget, query, language):
    read = [entry for step in steps(entries) for entry in step]
    less = compact(entries, budget, query, language)
    assert less == compact(entries, budget, query, language)
    assert pairs_are_whole(less)
    assert length(less) <= max(length(read), budget)
    newest = read[-1].turn_id
    for untouched in (lambda one: one.role == "user", lambda one: one.turn_id == newest):
        assert [one for one in less if untouched(one)] == [one for one in read if untouched(one)]
    before = {one.id: one.content for one in read}
    mark = say(language, "memory.cut")
    for one in less:
        if one.source != "compaction" and one.content != before[one.id]:
            assert mark in one.content
            assert all(is_of_whole_pieces(run, before[one.id]) for run in runs_of(one.content, mark))
            assert sum(map(len, runs_of(one.content, mark))) >= 0.3 * len(before[one.id])


def runs_of(text, mark):
    return re.split(re.escape(mark) + "[ \n]?", text)


def is_of_whole_pieces(run, text):
    ends = [0, *accumulate(map(len, pieces(text)))]
    return any(text[begin : begin + len(run)] == run and begin + len(run) in ends for begin in ends)
