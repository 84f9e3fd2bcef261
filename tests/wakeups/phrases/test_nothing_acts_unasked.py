"""No phrase of any room means two things, and whatever negates, supposes, asks, quotes or takes back books, changes and cancels nothing."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.core.language import LANGUAGES, Language
from steadyhand.llm.rules.matching import Meant, Unmet
from steadyhand.wakeups.phrases import ROOM, wakeup_phrases
from wakeups.phrases.ground import RULES


def samples(language: Language, *, acting: bool = False) -> list[tuple[str, str]]:
    """Return (rule, phrase) for phrases that show each alternative of every rule; of the acting ones of this room if so wanted."""
    return [
        (ready.rule.name, phrase)
        for ready in RULES.rules[language]
        if not acting or (ready.room == ROOM and ready.rule.acts)
        for pattern in ready.patterns
        for phrase in pattern.samples()
    ]


ACTING = {language: [phrase for name, phrase in samples(language, acting=True)] for language in LANGUAGES}
TELLING = {
    language: [phrase for name, phrase in samples(language, acting=True) if name.endswith((".remind", ".ask"))]
    for language in LANGUAGES
}
ENDS = ("交作业", "跑完了没", "to hand in the report", "whether it ran")
"""So end those phrases whose last words are the person's own."""


def meant(text: str, language: Language) -> Sequence[Meant]:
    _, found = RULES.understand(text, language)
    return () if isinstance(found, Unmet) else found


def acts(text: str, language: Language) -> list[str]:
    return [one.rule.name for one in meant(text, language) if one.rule.acts]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_phrase_of_any_room_means_two_things_beside_those_of_reminders(language: Language) -> None:
    wrong: list[str] = []
    for name, phrase in samples(language):
        found = [one.rule.name for one in meant(phrase, language)]
        if found != [name]:
            wrong.append(f"{phrase}: {name} != {found}")
    assert wrong == []
    assert len(ACTING[language]) > 200


@pytest.mark.parametrize("book", wakeup_phrases(), ids=lambda book: book.language)
def test_every_example_is_understood(book) -> None:
    for example in book.examples:
        assert [one.rule.name.partition(".")[0] for one in meant(example, book.language)] == [ROOM]


BEFORE = {
    "zh-CN": ("请不要", "先别", "我不想", "如果", "假如", "他说“", "要不要", "你会不会", "为什么", "等我回来再"),
    "en": (
        "don't ",
        "please do not ",
        "never ",
        "if it rains ",
        "suppose I ",
        'he said "',
        "should I ",
        "did you ",
        "why ",
        "maybe ",
    ),
}
AFTER = {
    "zh-CN": ("，算了", "，等等", "，开玩笑的", "，如果不下雨", "。不用了", "的话会怎么样", "，取消", "？不要", "，还是不要了", "，不过别真的做"),
    "en": (", never mind", ", no wait", ", just kidding", ", if it rains", ". don't", " and forget it", "; cancel", ", actually don't", ", but not really"),
}  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_what_negates_supposes_asks_or_quotes_before_a_phrase_lets_nothing_happen(
    language: Language, data: st.DataObject
) -> None:
    said = data.draw(st.sampled_from(BEFORE[language])) + data.draw(st.sampled_from(ACTING[language]))
    assert acts(said, language) == [], said


@pytest.mark.parametrize("language", LANGUAGES)
@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_what_takes_a_request_back_behind_it_lets_nothing_happen(language: Language, data: st.DataObject) -> None:
    said = data.draw(st.sampled_from(ACTING[language])) + data.draw(st.sampled_from(AFTER[language]))
    assert acts(said, language) == [], said


@pytest.mark.parametrize("language", LANGUAGES)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_what_follows_a_reminder_may_be_more_of_it_and_is_not_carried_out(language: Language, data: st.DataObject) -> None:
    joint = data.draw(st.sampled_from(("，", "然后", "，并且") if language == "zh-CN" else (", ", " and ", " and then ")))
    other = "取消3号提醒" if language == "zh-CN" else "cancel reminder 3"
    said = data.draw(st.sampled_from([one for one in TELLING[language] if one.endswith(ENDS)])) + joint + other
    assert [name for name in acts(said, language) if name.endswith("cancel")] == [], said


@pytest.mark.parametrize(
    "said",
    [
        "don't remind me to hand in the report tomorrow at 8am except sundays",
        "stop reminding me about homework but not on weekdays",
        "cancel the reminder about homework except on the weekends",
        "取消关于作业的提醒，除了周日",
        "别再提醒我交作业了，周末除外",
        "不用提醒我除了周末以外交作业",
    ],
)
def test_what_is_cancelled_by_its_words_swallows_no_exception(said: str) -> None:
    for language in LANGUAGES:
        assert acts(said, language) == [], said


@given(st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_chance_books_nothing(text: str) -> None:
    for language in LANGUAGES:
        assert acts(text, language) == []
