"""Rules that keep a person's own words, or that are a no by themselves: what those words hold is none of the request, all else still is."""

import pytest

from steadyhand.core.language import Language
from steadyhand.llm.rules.book import Asked, PhraseBook, ReadyRule, Rule, Steps, finished, ready
from steadyhand.llm.rules.matching import Unmet, understand
from steadyhand.llm.rules.pattern import Kind


def plan(asked: Asked) -> Steps:
    return finished("-")


BOOK = PhraseBook(
    "room",
    "en",
    (
        Rule("note", ("note {what}",), plan, "draft", speaks="words"),
        Rule("wonder", ("ask {what}",), plan, "draft", speaks="question"),
        Rule("stop", ("no more", "forget {thing}"), plan, "draft", speaks="no"),
        Rule("take", ("take {thing}",), plan, "draft"),
        Rule("show", ("friday",), plan),
    ),
    (
        Kind("what", lambda words: words if not set(words) & set(".;") else None, ("bread",), loose=True),
        Kind("thing", lambda words: words if words.isalpha() else None, ("box",), loose=True),
    ),
)
RULES: dict[Language, tuple[ReadyRule, ...]] = {"en": ready(BOOK), "zh-CN": ()}


def meant(text: str) -> str:
    _, found = understand(text, "en", RULES)
    return found.why if isinstance(found, Unmet) else ", ".join(one.rule.name for one in found)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("note do not be late", "note"),
        ("note what to do if it rains", "note"),
        ("could you note bread?", "note"),
        ("note bread?", "asked"),
        ("do not note bread", "negated"),
        ("suppose you note bread", "supposed"),
        ("note bread; do not", "unknown"),
        ("note bread. no more", "negated"),
        ("no more. note bread", "negated"),
        ("forget box. note bread", "stop, note"),
        ("ask whether it is not late?", "wonder"),
        ("do not ask whether it is late", "negated"),
        ("no more", "stop"),
        ("no more?", "asked"),
        ("no more, if it rains", "supposed"),
        ("take box, forget box", "two_meanings"),
        ("forget box, friday", "two_meanings"),
        ("forget box. friday", "stop, show"),
        ("note bread, take box", "two_meanings"),
        ("note bread; take box", "note, take"),
        ("note bread, note milk", "note, note"),
    ],
)
def test_own_words_are_not_judged_and_all_else_is(text: str, what: str) -> None:
    assert meant(text) == what
