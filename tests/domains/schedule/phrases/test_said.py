"""Everything that people say, and what comes of it on a real draft: the calls with their arguments, or why nothing is done.

A line is ``phrase => outcome``: the calls beside the first look at the tasks; ``!why`` when it was not understood; the commands that
are named; else, behind ``~``, the beginning of the answer.
"""

import re
from pathlib import Path

import pytest

from schedule_ground.spoken import Spoken, close_changes, draft_two, on_one_line
from steadyhand.core.language import LANGUAGES, Language
from steadyhand.domains.schedule.tools.arguments import TOOLS
from steadyhand.gate.claims import claims_done

HERE = Path(__file__).parent
LEAST = 200


def table(language: Language) -> list[tuple[str, str]]:
    lines = (HERE / f"said.{language}.txt").read_text(encoding="utf-8").splitlines()
    pairs = [line.rpartition(" => ") for line in lines if line and not line.startswith("# ")]
    return [(phrase, outcome) for phrase, _, outcome in pairs]


RECORD = re.compile(r"^ *\d+\. C-\d+\b.*$|^.*(?:nothing was changed|没有改动)\W*$", re.MULTILINE)
"""Lines of the record itself in a list of changes, and what says in its own words that nothing was changed."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_is_long_and_says_nothing_twice(language: Language) -> None:
    phrases = [phrase for phrase, _ in table(language)]
    assert len(phrases) >= LEAST
    assert sorted(set(phrases)) == sorted(phrases)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_phrase_comes_to_what_the_table_says_and_no_answer_sounds_as_if_it_were_done(
    language: Language, zh: Spoken, en: Spoken
) -> None:
    spoken = {"zh-CN": zh, "en": en}[language]
    differing: list[str] = []
    for phrase, expected in table(language):
        heard = spoken.say(phrase)
        found = on_one_line(heard, phrase, language)
        if found != expected:
            differing.append(f"{phrase} => {found}")
        if heard.end != "asked" and not heard.text.strip():
            differing.append(f"{phrase}: no answer")
        if claims_done(RECORD.sub("", heard.text)):
            differing.append(f"{phrase}: sounds done: {heard.text}")
        spoken.last_list = None
        if heard.acts:
            close_changes(spoken.desk)
            draft_two(spoken.desk, language)
    assert differing == []


TOOLS_TALKED_TO = {
    *TOOLS,
    *("resolve_time", "arrange", "undo", "redo", "show_week", "propose", "ask_user"),
    *("list_changes", "show_change", "propose_undo", "list_sessions", "rename_session", "remember", "forget", "list_preferences"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_tool_of_the_timetable_the_changes_and_the_sessions_is_reached_by_some_phrase(language: Language) -> None:
    reached = {name for _, outcome in table(language) for name in re.findall(r"\b[a-z_]+\b", outcome)}
    elsewhere = {
        "list_tasks",
        "find_first_free",
    }  # the first look of every plan; and see test_talking: a window that begins today
    assert TOOLS_TALKED_TO - reached == elsewhere
