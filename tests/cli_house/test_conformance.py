"""`steady conformance schedule` runs tables, a line for each case, and opens no database."""

import json
from pathlib import Path

import pytest

CASES = Path(__file__).parents[1] / "cases" / "schedule_cases.json"
TABLE = json.loads(CASES.read_text(encoding="utf-8"))


@pytest.fixture
def failing(tmp_path):
    """A table of one good and one failing case."""
    good = TABLE["cases"][0]
    file = tmp_path / "two.json"
    file.write_text(json.dumps({"cases": [good, {**good, "id": "off", "outcome": "error:locked"}]}), encoding="utf-8")
    return file


def test_all_handed_cases_pass_with_a_line_each(steady, data_dir):
    done = steady("conformance", "schedule", CASES)
    assert done.code == 0
    lines = done.out.splitlines()
    assert len(lines) == len(TABLE["cases"]) + 1
    assert lines[-1] == f"{len(TABLE['cases'])} passed, 0 failed"
    assert all(case["id"] in line for case, line in zip(TABLE["cases"], lines, strict=False))
    assert list(data_dir.iterdir()) == []


@pytest.mark.parametrize("language", ["zh-CN", "en"])
def test_a_failed_case_is_counted_and_told_and_the_run_goes_on(steady, failing, language):
    done = steady("--lang", language, "conformance", "schedule", failing, CASES)
    assert done.code == 1
    assert done.out.splitlines()[-1] == f"{len(TABLE['cases']) + 1} passed, 1 failed"
    assert "off" in done.out.splitlines()[1]


def test_as_json_every_case_has_its_outcome(steady, failing):
    done = steady("conformance", "schedule", failing, "--json")
    assert done.code == 1
    assert (done.data["passed"], done.data["failed"]) == (1, 1)
    assert [case["passed"] for case in done.data["cases"]] == [True, False]
    assert done.data["cases"][1]["reason"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cases": 3}', "[" * 100_000, None, b"\xff\xfe"])
def test_a_file_that_is_no_table_is_one_error_and_no_case_is_run(steady, tmp_path, text):
    file = tmp_path / "bad.json"
    if text is not None:
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
    done = steady("conformance", "schedule", CASES, file)
    assert (done.code, done.out) == (2, "")
    assert str(file) in done.err
    assert 1 <= len(done.err.splitlines()) <= 3


def test_a_folder_of_tables_is_run_by_name(steady, failing):
    (failing.parent / "one.json").write_text(json.dumps({"cases": TABLE["cases"][:1]}), encoding="utf-8")
    done = steady("conformance", "schedule", failing.parent)
    assert done.out.splitlines()[-1] == "2 passed, 1 failed"


def test_without_a_file_there_is_nothing_to_run(steady):
    done = steady("conformance", "schedule")
    assert (done.code, done.out) == (2, "")
