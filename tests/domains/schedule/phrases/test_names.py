"""A loose name takes only what is the name of something: whatever else stands there is not understood, and nothing is done."""

import re

import pytest

from schedule_ground.spoken import RULES, Spoken
from steadyhand.core.language import LANGUAGES, Language
from steadyhand.llm.rules.book import ReadyRule
from steadyhand.llm.rules.pattern import Choice, Nodes, Slot

NAMES = {"name", "name2", "words"}
NEW_NAMES = {"schedule.add_task", "schedule.add_course", "schedule.habit"}
"""What is named there is new: it stands behind a word that names, or is what a habit is of."""
NOBODY: dict[Language, dict[str, str]] = {
    "zh-CN": {"论文": "提醒全", "写作": "蓝鲸"},
    "en": {"essay": "qux", "report": "zorp"},
}
REFUSED = {"zh-CN": re.compile("没看懂|没有叫|里有"), "en": re.compile(r"do not understand|There is|could mean|no category")}


def slots_of(nodes: Nodes) -> set[str]:
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, Slot):
            found.add(node.kind.name)
        elif isinstance(node, Choice):
            found |= {name for option in node.options for name in slots_of(option)}
    return found


def phrases(rule: ReadyRule, language: Language) -> list[str]:
    """Return a sample of each pattern with a name in it, the name being that of nothing."""
    made: list[str] = []
    for pattern in rule.patterns:
        if slots_of(pattern.nodes) & {"name", "name2"}:
            text = next(one for one in pattern.samples() if any(name in one for name in NOBODY[language]))
            for name, nobody in NOBODY[language].items():
                text = text.replace(name, nobody)
            made.append(text)
    return made


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_phrase_with_the_name_of_nothing_is_not_understood_and_does_nothing(language: Language, zh: Spoken, en: Spoken) -> None:
    spoken = {"zh-CN": zh, "en": en}[language]
    before = spoken.desk.draft().timetable.snapshot()
    rules = [rule for rule in RULES.rules[language] if rule.room == "schedule" and rule.rule.name not in NEW_NAMES]
    said = [text for rule in rules for text in phrases(rule, language)]
    assert len(said) > 40
    wrong = [
        f"{text} => {heard.acts} {heard.text}"
        for text in said
        if (heard := spoken.say(text)).acts
        or not REFUSED[language].search(heard.text)
        or re.search(r"steady schedule (?!tasks add examples)", heard.text)
    ]
    assert wrong == []
    assert spoken.desk.draft().timetable.snapshot() == before


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("zh-CN", "看看明天有什么课啊"),
        ("zh-CN", "把提醒全删了"),
        ("zh-CN", "删除所有旧的东西们"),
        ("en", "delete my old stuff"),
        ("en", "show tomorrow's classes please"),
    ],
)
def test_words_that_are_no_name_are_never_made_one(language: Language, text: str, zh: Spoken, en: Spoken) -> None:
    heard = {"zh-CN": zh, "en": en}[language].say(text)
    assert heard.acts == []
    assert "没有叫“" not in heard.text
    assert 'called "' not in heard.text
    assert "tasks remove" not in heard.text
