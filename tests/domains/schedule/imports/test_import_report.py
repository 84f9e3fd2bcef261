"""Everything that an import can say has words in both languages, and nothing has words that cannot be said."""

import ast
import string
from datetime import date
from functools import cache
from pathlib import Path

import pytest

from steadyhand.core.language import LANGUAGES, catalogue, say
from steadyhand.domains.schedule.imports import fit, in_child, reader, report, tables, task_list
from steadyhand.domains.schedule.imports.report import VERDICT_OF, VERDICTS, entry, sentence
from steadyhand.domains.schedule.term.records import Term

ROOT = Path(__file__).parents[4]
SOURCES = Path(report.__file__).parents[3]
EXAMPLES = ROOT / "examples"


def placeholders(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@cache
def said_codes():
    """Every code that the sources say: first arguments of `entry` and `Dropped`, and string constants that are codes."""
    constants = {
        node.value
        for path in SOURCES.rglob("*.py")
        if path != Path(report.__file__)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return constants | {f"zone_{how}" for how in ("named", "offset", "described", "contradicted", "unknown")}


@pytest.mark.parametrize("code", sorted(VERDICT_OF))
def test_every_code_is_used_and_has_words_with_equal_places_in_both_languages(code):
    assert code in said_codes()
    chinese, english = (catalogue(language)[f"import.{code}"] for language in LANGUAGES)
    assert placeholders(chinese) == placeholders(english)


def test_no_text_is_left_over_and_verdicts_have_names():
    for language in LANGUAGES:
        texts = {key.removeprefix("import.") for key in catalogue(language) if key.startswith("import.")}
        assert texts == set(VERDICT_OF) | {"at_line"} | {f"verdict.{verdict}" for verdict in VERDICTS}


def test_errors_have_three_parts_in_both_languages():
    for language in LANGUAGES:
        for code in ("too_large", "no_events", "empty", "columns_missing", "too_many_rows"):
            for part in ("summary", "detail", "next"):
                assert say(language, f"error.import_{code}.{part}", size=1, limit=1, columns="x", count=1)


def test_a_sentence_names_its_line_and_uses_the_words_of_its_language():
    told = entry("overlap", 7, name="甲", other="乙", weeks="1-15 odd", day=3, sections="1-2")
    assert (
        sentence("zh-CN", told)
        == "第7行：“甲”第1-15单周周三第1-2节：该处已有“乙”，这次不导入。若要“甲”，请先移走或移除“乙”，再导入一次。"
    )
    assert sentence("en", told).startswith("Line 7: “甲”, weeks 1-15 odd, Wed, slots 1-2")


def test_entries_survive_the_way_through_json_and_are_counted():
    told = [entry("all_day", 3, name="x", date="2026-10-01"), entry("duplicate", name="y"), entry("uid_made", name="z")]
    assert [report.Entry.from_json(one.to_json()) for one in told] == told
    assert sorted(one.verdict for one in told) == ["changed", "dropped", "dropped"]


def test_the_examples_give_a_term_without_a_question():
    found = in_child.read_courses_here((EXAMPLES / "term.ics").read_bytes(), "Asia/Shanghai")
    assert (found.first_monday, found.weeks) == (date(2026, 9, 7), 18)
    term = Term(1, "秋", "Asia/Shanghai", found.first_monday, found.weeks)
    fitted = fit.fit(found.events, term)
    assert sum(event.kind == "course" for event in fitted.events) == 11
    taken = {row.cell: event.name for event in fitted.events for row in event.rows}
    more = tables.read_table((EXAMPLES / "courses.csv").read_bytes(), term.weeks).fitted(term, taken)
    todo = task_list.read_task_list((EXAMPLES / "tasks.md").read_bytes(), term, "任务")
    assert (len(more.events), [len(one.tasks) for one in todo.categories]) == (3, [5, 4, 4, 2])
    told = [*found.entries, *fitted.entries, *more.entries, *todo.entries]
    assert not any(one.verdict == "asked" for one in told)
    assert {one.code for one in told if one.verdict != "kept"} == {"all_day", "time_fitted", "item_done", "times_of_scale"}


def test_every_sentence_of_the_saved_files_can_be_said():
    for path in sorted((ROOT / "tests" / "cases" / "calendars").glob("*.ics")):
        found = reader.read(path.read_bytes(), "Asia/Shanghai")
        fitted = fit.fit(found.events, Term(1, "t", "Asia/Shanghai", found.first_monday, found.weeks))
        for one in (*found.entries, *fitted.entries):
            assert all(sentence(language, one) for language in LANGUAGES)
