"""What limits, excepts, corrects or doubles a request is read or refused by its words; what only looks so stays the person's text.

A line is ``phrase => outcome``: when it comes and what is said then; ``refused:`` and the words that are not understood; ``asked:`` and
the question; ``!why`` where the whole is not understood.
"""

import re
from pathlib import Path

import pytest

from steadyhand.core.language import LANGUAGES, Language, catalogue, say
from steadyhand.llm.rules.book import Asked
from steadyhand.llm.rules.matching import Unmet
from steadyhand.llm.rules.riders import rider
from wakeups.phrases.ground import NOW, RULES, ZONE, Table, hear

HERE = Path(__file__).parent
TOOLS = frozenset({"schedule_private_followup", "cron"})
LEAST = 60


def table(language: Language) -> list[tuple[str, str]]:
    lines = (HERE / f"riders.{language}.txt").read_text(encoding="utf-8").splitlines()
    return [(phrase, outcome) for phrase, _, outcome in (line.partition(" => ") for line in lines)]


def outcome(text: str, language: Language) -> str:
    spoken, meant = RULES.understand(text, language)
    if isinstance(meant, Unmet):
        return f"!{meant.why}"
    context = {"now": NOW.isoformat(), "zone": ZONE, "language": language, "origin": "person"}
    return " | ".join(_of(Asked(spoken, text, one.readings, TOOLS, context), one.rule.plan) for one in meant)


def _of(asked: Asked, plan) -> str:
    try:
        (call,) = next(plan(asked))
    except StopIteration as end:
        told = end.value.text
        before, _, after = catalogue(asked.language)["rules.rider"].partition("{words}")
        found = re.fullmatch(f"{re.escape(before)}(.*){re.escape(after)}", told)
        return f"refused: {found[1]}" if found else f"asked: {told.splitlines()[0][:60]}"
    held = call.arguments
    if call.name == "cron":
        return f"{held.get('cron') or held.get('every')}: {held['text']}"
    return f"{held['send_at']}: {held['assistant_commitment_text']}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_request_swallows_what_changes_it_and_none_is_refused_for_what_it_is_about(language: Language) -> None:
    rows = table(language)
    assert len({phrase for phrase, _ in rows}) == len(rows) >= LEAST
    assert [f"{phrase} => {found}" for phrase, wanted in rows if (found := outcome(phrase, language)) != wanted] == []


@pytest.mark.parametrize(
    ("language", "words", "named"),
    [
        ("zh-CN", "每天早上8点提醒我吃药，到下周五为止", "到下周五为止"),
        ("en", "remind me every day at 8am to take the pill for a week", "for a week"),
    ],
)
def test_a_real_turn_names_the_words_and_books_nothing(
    tables: dict[Language, Table], language: Language, words: str, named: str
) -> None:
    bed = tables[language].bed()
    heard = hear(bed, words)
    bed.store.close()
    assert (heard.calls, heard.rows) == ([], [])
    assert heard.shown == [say(language, "rules.rider", words=named)]


def test_what_stands_in_quotes_is_never_taken_for_more_than_text() -> None:
    for language, words in (("zh-CN", "“吃药，到下周五为止”"), ("en", '"to run, no, I mean 9, until friday"')):
        assert rider(words, language, again=True) == ""  # type: ignore[arg-type]  # one of the languages


def test_long_words_are_looked_at_in_no_time() -> None:
    for language in LANGUAGES:
        for sign in ("，", " ", "再", "for a ", "until ", "除", "and "):
            rider(sign * 200, language, again=True)
