"""Whatever negates, supposes, asks, quotes or is only half understood changes nothing; and no phrase means two things."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedule_ground.spoken import RULES
from steadyhand.core.language import LANGUAGES, Language
from steadyhand.domains.schedule.phrases.tasks import Task, matches
from steadyhand.llm.rules.matching import Meant, Unmet

NAMES = ("论文", "写作", "essay", "report")


def samples(language: Language, *, acting: bool) -> list[tuple[str, str]]:
    """Return (rule, phrase) for every phrase that shows an alternative of a rule."""
    return [
        (ready.rule.name, phrase)
        for ready in RULES.rules[language]
        for pattern in ready.patterns
        for phrase in pattern.samples()
        if bool(ready.rule.acts) == acting
    ]


ACTING = {language: [phrase for _, phrase in samples(language, acting=True)] for language in LANGUAGES}


def meant(text: str, language: Language) -> Sequence[Meant]:
    _, found = RULES.understand(text, language)
    return () if isinstance(found, Unmet) else found


def acts(text: str, language: Language) -> list[str]:
    """Return the rules that would act on *text* if there were tasks of the samples' names."""
    return [one.rule.name for one in meant(text, language) if one.rule.acts and any(named(slots) for slots in one.readings)]


TASKS = tuple(Task(number, name, "", "pending", (), 2, None, course=False) for number, name in enumerate(NAMES, 1))


def named(slots: Mapping[str, str]) -> bool:
    return "words" not in slots and all(matches(slots[slot], TASKS)[1] for slot in ("name", "name2") if slot in slots)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_phrase_means_two_things_and_each_is_understood_as_its_own_rule(language: Language) -> None:
    wrong: list[str] = []
    for acting in (True, False):
        for name, phrase in samples(language, acting=acting):
            found = [one.rule.name for one in meant(phrase, language)]
            if found != [name]:
                wrong.append(f"{phrase}: {name} != {found}")
    assert wrong == []
    assert len(ACTING[language]) > 300


BEFORE = {
    "zh-CN": (
        "不要",
        "别",
        "请不要",
        "先别",
        "不用",
        "千万别",
        "我不想",
        "不能",
        "不许",
        "禁止",
        "不准",
        "请别",
        "可别",
        "你别",
        "不必",
        "勿",
    ),
    "en": (
        *("don't ", "do not ", "please don't ", "never ", "do not ever ", "don’t ", "you must not ", "I don't want to ", "no, "),
        *("stop, don't ", "cannot ", "not ", "please do not ", "instead of that, don't ", "without asking, "),
    ),
}
SUPPOSING = {
    "zh-CN": (
        ("如果", "会怎样"),
        ("假如", ""),
        ("要是", "呢"),
        ("万一", ""),
        ("", "的话"),
        ("等我回来再", ""),
        ("我在考虑", ""),
        ("也许", ""),
    ),
    "en": (
        ("what if I ", ""),
        ("if it rains ", ""),
        ("suppose I ", ""),
        ("maybe ", ""),
        ("I wonder whether to ", ""),
        ("once I am back ", ""),
    ),
}
ASKING = {
    "zh-CN": (
        ("要不要", ""),
        ("是不是该", ""),
        ("该不该", ""),
        ("", "？"),
        ("", "吗"),
        ("", "吗？"),
        ("谁", ""),
        ("为什么要", ""),
    ),
    "en": (
        ("should I ", ""),
        ("did you ", ""),
        ("", "?"),
        ("why did you ", "?"),
        ("who will ", ""),
        ("when do I ", "?"),
        ("shall we ", "?"),
    ),
}
QUOTING = {
    "zh-CN": (("“", "”"), ("「", "」"), ("他说：“", "”"), ("> ", ""), ("老师说", ""), ("不知道怎么", "")),
    "en": (('"', '"'), ("“", "”"), ('he said "', '"'), ("> ", ""), ("my teacher said ", ""), ("I was told to ", "")),
}
TRAILING = {
    "zh-CN": (
        "，然后飞起来",
        "；顺便跳个舞",
        "。忽略以上",
        "，除了周三",
        "，但是先别",
        "，别忘了香蕉",
        "，算了",
        "。取消吧",
        "，等等",
        "；没事了",
    ),
    "en": (
        ", then fly away",
        "; and dance",
        ". Ignore the above",
        ", except on Wednesday",
        ", but not yet",
        " and sing",
        ", cancel that",
        ". Never mind.",
        ", drop it",
        ", just kidding",
    ),
}


def phrases(language: Language) -> st.SearchStrategy[str]:
    return st.sampled_from(ACTING[language])


@pytest.mark.parametrize("language", LANGUAGES)
@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_a_negated_phrase_never_acts(language: Language, data: st.DataObject) -> None:
    negated = data.draw(st.sampled_from(BEFORE[language])) + data.draw(phrases(language))
    assert acts(negated, language) == [], negated


@pytest.mark.parametrize("language", LANGUAGES)
@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_what_is_supposed_quoted_or_followed_by_what_nobody_understands_never_acts(
    language: Language, data: st.DataObject
) -> None:
    phrase = data.draw(phrases(language))
    before, after = data.draw(st.sampled_from([*SUPPOSING[language], *QUOTING[language]]))
    said = before + phrase + after
    assert acts(said, language) == [], said
    tail = data.draw(st.sampled_from(TRAILING[language]))
    assert acts(phrase + tail, language) == [], phrase + tail


@pytest.mark.parametrize("language", LANGUAGES)
@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_a_question_without_the_form_of_a_request_never_acts(language: Language, data: st.DataObject) -> None:
    before, after = data.draw(st.sampled_from(ASKING[language]))
    said = before + data.draw(phrases(language)) + after
    assert acts(said, language) == [], said


@given(st.sampled_from([phrase for phrase in ACTING["zh-CN"] if "“" not in phrase]), st.integers(0, 40))
@settings(max_examples=150, deadline=None)
def test_a_negation_put_anywhere_into_a_chinese_phrase_never_lets_it_do_what_it_would_have(phrase: str, at: int) -> None:
    place = at % (len(phrase) + 1)
    said = f"{phrase[:place]}不要{phrase[place:]}"
    assert acts(said, "zh-CN") == [], said


@given(
    st.sampled_from([phrase for phrase in ACTING["en"] if '"' not in phrase]),
    st.integers(0, 12),
    st.sampled_from(["not", "don't", "never"]),
)
@settings(max_examples=150, deadline=None)
def test_a_negation_put_anywhere_into_an_english_phrase_never_lets_it_act(phrase: str, at: int, word: str) -> None:
    words = phrase.split(" ")
    words.insert(at % (len(words) + 1), word)
    said = " ".join(words)
    assert acts(said, "en") == [], said


@given(st.text(max_size=400))
@settings(max_examples=150, deadline=None)
def test_any_text_at_all_is_answered_and_chance_never_acts(text: str) -> None:
    for language in LANGUAGES:
        assert acts(text, language) == []
