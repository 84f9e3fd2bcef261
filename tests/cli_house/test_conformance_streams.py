"""`steady conformance streams` plays recorded responses to the adapter, counts, and opens no database."""

import json
import shutil
from pathlib import Path

import pytest

CASES = Path(__file__).parents[1] / "cases"
HANDED = CASES / "streams"
OWN = CASES / "streams_more"
ONE = HANDED / "003-baseline-text-then-call.json"


def count(folder):
    return len(list(folder.glob("[0-9][0-9][0-9]-*.json")))


@pytest.fixture
def folder(tmp_path):
    """A folder with one good case and one that expects something else."""
    shutil.copy(HANDED / "tools.json", tmp_path)
    shutil.copy(ONE, tmp_path)
    case = json.loads(ONE.read_text(encoding="utf-8"))
    case["id"] = "900-off"
    case["expect"]["text"] = "something else"
    (tmp_path / "900-off.json").write_text(json.dumps(case), encoding="utf-8")
    (tmp_path / "notes.json").write_text("no case", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("cases", [HANDED, OWN], ids=["handed", "own"])
def test_every_case_passes_on_the_wire(steady, data_dir, cases):
    done = steady("conformance", "streams", cases)
    assert (done.code, done.out) == (0, f"{count(cases)} passed, 0 failed\n"), done.out
    assert list(data_dir.iterdir()) == []


@pytest.mark.parametrize("language", ["zh-CN", "en"])
def test_a_failure_has_a_line_and_the_exit_code_says_so(steady, folder, language):
    done = steady("--lang", language, "conformance", "streams", folder)
    *failures, last = done.out.splitlines()
    assert (done.code, last, len(failures)) == (1, "1 passed, 1 failed", 1)
    assert "900-off" in failures[0]
    assert "something else" in failures[0]


def test_as_json_every_case_has_its_outcome(steady, folder):
    done = steady("conformance", "streams", folder, "--json")
    assert (done.code, done.data["passed"], done.data["failed"]) == (1, 1, 1)
    good, bad = done.data["cases"]
    assert (good["id"], good["passed"], bad["passed"]) == (ONE.stem, True, False)
    assert good["found"]["tool_calls"] == [{"id": "call_t", "name": "move", "arguments": {"part": "C", "dx": 0, "dy": 9}}]


def test_one_file_is_run_with_the_tools_beside_it(steady):
    assert steady("conformance", "streams", ONE).out == "1 passed, 0 failed\n"


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"id":"x","http":{"status":200,"chunks":[{"b64":"!"}]},"expect":{"outcome":"ok"}}', b"\xff"]
)
def test_a_file_that_is_no_case_is_refused_before_any_is_run(steady, folder, text):
    file = folder / "001-bad.json"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    done = steady("conformance", "streams", folder)
    assert (done.code, done.out) == (2, "")
    assert str(file) in done.err


def test_a_folder_without_tools_or_cases_is_refused(steady, folder, tmp_path):
    (folder / "tools.json").unlink()
    assert "tools.json" in steady("conformance", "streams", folder).err
    (tmp_path / "empty").mkdir()
    done = steady("conformance", "streams", tmp_path / "empty")
    assert (done.code, done.out) == (2, "")
    assert steady("conformance", "streams", tmp_path / "none").code == 2
