"""Everything that people say about reminders and jobs, and what comes of it in a real turn; where nothing is to come of it, nothing does.

A line is ``phrase => outcome``: the calls that do more than look, with what they left in brackets; ``?`` and the answers that are
offered; ``!why`` when it was not understood; else, behind ``~``, the beginning of the answer.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from steadyhand.core.clock import from_text
from steadyhand.core.language import LANGUAGES, Language
from steadyhand.gate.lines import claims_done
from steadyhand.llm.rules.said import QUOTED
from steadyhand.wakeups.times import read_moment
from wakeups.phrases.ground import NOW, ZONE, Heard, Table, hear, on_one_line

HERE = Path(__file__).parent
LEAST = 120
NOTHING = {"zh-CN": "# 什么也不发生", "en": "# nothing is booked, changed or cancelled"}


def lines(language: Language) -> Iterator[tuple[str, str, str]]:
    """Return each phrase with its heading and its outcome."""
    heading = ""
    for line in (HERE / f"said.{language}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            heading = line
        elif line:
            phrase, _, outcome = line.rpartition(" => ")
            yield heading, phrase, outcome


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_is_long_and_says_nothing_twice(language: Language) -> None:
    phrases = [phrase for _, phrase, _ in lines(language)]
    assert len(phrases) >= LEAST
    assert sorted(set(phrases)) == sorted(phrases)


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_nothing_is_to_come_of_words_the_table_holds_no_act(language: Language) -> None:
    outcomes = [outcome for heading, _, outcome in lines(language) if heading == NOTHING[language]]
    assert len(outcomes) > 40
    assert [outcome for outcome in outcomes if not re.match(r"[!~?]", outcome)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_phrase_comes_to_what_the_table_says(language: Language, tables: dict[Language, Table]) -> None:
    differing: list[str] = []
    bed = tables[language].bed()
    for _, phrase, expected in lines(language):
        heard = hear(bed, phrase)
        found = on_one_line(heard, phrase, language)
        if found != expected:
            differing.append(f"{phrase} => {found}")
        differing += [f"{phrase}: {fault}" for fault in _faults(heard)]
        if heard.called:  # what a turn has changed, asked or shown is not there for the next
            bed.store.close()
            bed = tables[language].bed()
    bed.store.close()
    assert differing == []


def _faults(heard: Heard) -> Iterator[str]:
    """Say what no turn may do: be silent, sound as if a change were done, change what its calls do not name, or come at another time."""
    if not heard.shown:
        yield "no answer"
    elif claims_done(QUOTED.sub("", heard.shown[-1])) and "cancel_job" not in {name for name, _ in heard.calls}:
        yield f"sounds done: {heard.shown[-1]}"
    named = {given["number"] for _, given in heard.calls if "number" in given}
    booked = [given["send_at"] for name, given in heard.calls if name == "schedule_private_followup"]
    new = [row for row in heard.rows if row.number > 3]
    if {row.number for row in heard.rows} - named != {row.number for row in new} or len(new) > len(heard.calls):
        yield "changed what was not named"
    times = {from_text(row.meant_at) for row in new if row.family == "followup"}
    if times != {read_moment(at, ZONE, NOW).at for at in booked}:
        yield "booked for another time"
