"""A plate from one sentence without a model: verified, solved, drawn and taken back, at a terminal and with pipes, in Chinese and in English."""

import json
import os
from pathlib import Path

import pytest

from command_line.ground import EXAMPLES, in_child, states
from command_line.terminal import Terminal
from steadyhand.domains.cae.solve.ccx import find_ccx

MAX_COMMANDS = 6
WORDS = {
    "en": {
        "confirm": "Confirm this spec?",
        "assumed": "Assumption: material STEEL",
        "approve": "Approve?",
        "yes": "y",
        "verified": "verified by reading back",
        "solved": "largest displacement 0.1792 mm at node 36",
        "head": " (S8R, ",
    },
    "zh-CN": {
        "confirm": "确认这份规格吗？",
        "assumed": "假设：材料 STEEL",
        "approve": "批准吗？",
        "yes": "是",
        "verified": "验证完成",
        "solved": "最大位移 0.1792 mm",
        "head": "（S8R，",
    },
}


@pytest.fixture(scope="module", autouse=True)
def _solver() -> None:
    if find_ccx() is None:
        absent = "no CalculiX on the PATH (package calculix-ccx)"
        if os.environ.get("STEADYHAND_REQUIRE_CCX") == "1":
            pytest.fail(absent)
        pytest.skip(absent)


def elements(data_dir: Path) -> int:
    told = in_child(data_dir, "--json", "cae", "show", "plate")
    return json.loads(told.stdout)["observation"]["summary"]["element_count"]


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_at_a_terminal_a_sentence_leads_to_a_solved_plate_and_back(data_dir: Path, tmp_path: Path, language: str) -> None:
    words, commands = WORDS[language], 0

    def say(*typed: str, questions: tuple[str, ...] = ("approve",)) -> str:
        nonlocal commands
        commands += 1
        terminal = Terminal(data_dir, "--lang", language, "cae", *typed)
        for question in questions:
            terminal.expect(words[question])
            terminal.type(words["yes"])
        assert terminal.end() == 0, terminal.shown
        return terminal.shown

    sentence = str(EXAMPLES / "plate" / f"sentence.{language}.txt")
    shown = say("propose", "plate", sentence, questions=("confirm", "approve"))
    assert words["assumed"] in shown
    assert shown.index(words["confirm"]) < shown.index(words["approve"]) < shown.index(words["verified"])
    assert words["solved"] in say("solve", "plate")
    picture = tmp_path / "plate.svg"
    say("picture", "plate", "--result", "--out", str(picture), questions=())
    assert "0.179" in picture.read_text()
    told = say("show", "plate", questions=())
    assert words["solved"] in told
    assert words["head"] in told, "the elements that the solver was given, not those of the part"
    assert elements(data_dir) == 60
    assert words["verified"] in say("undo", "plate")
    assert elements(data_dir) == 0
    assert commands <= MAX_COMMANDS
    assert states(data_dir / "steadyhand.db") == [(1, "verified"), (2, "verified"), (3, "verified")]


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_with_pipes_each_command_prints_the_next_one(data_dir: Path, language: str) -> None:
    def say(*typed: str) -> str:
        done = in_child(data_dir, "--lang", language, *typed)
        assert done.returncode == 0, (done.stdout, done.stderr)
        return done.stdout

    def following(shown: str) -> list[str]:
        return shown.strip().splitlines()[-1].partition("steady ")[2].split()

    sentence = (EXAMPLES / "plate" / f"sentence.{language}.txt").read_text().strip()
    confirm = following(say("cae", "propose", "plate", sentence))
    assert confirm[:3] == ["change", "confirm", "C-1"]
    approve = following(say(*confirm))
    assert approve[:3] == ["change", "approve", "C-1"]
    assert WORDS[language]["verified"] in say(*approve)
    assert "0.1792 mm" in say(*following(say("cae", "solve", "plate", "--accurate")))
    assert elements(data_dir) == 60


def test_a_no_to_the_spec_ends_it_and_anything_else_leaves_it_waiting(data_dir: Path) -> None:
    for answer, state in (("later", "in_review"), ("n", "rejected")):
        terminal = Terminal(data_dir, "--lang", "en", "cae", "propose", "plate", str(EXAMPLES / "plate" / "sentence.en.txt"))
        terminal.expect("Confirm this spec?")
        terminal.type(answer)
        terminal.end()
        assert states(data_dir / "steadyhand.db")[-1][1] == state
    assert json.loads(in_child(data_dir, "--json", "cae", "parts").stdout) == {"parts": []}


def test_what_is_not_read_whole_opens_nothing_and_is_told(data_dir: Path) -> None:
    for words, module, told in (
        ("a flat plate 60 by 100, 2 thick, elements of 10, and make it pretty", "analysis", "pretty"),
        ("a flat plate 60 by 100, 2 thick, elements of 10", "part", "2 thick"),
    ):
        done = in_child(data_dir, "--lang", "en", "cae", "propose", "plate", words, "--module", module)
        assert done.returncode == 2
        assert told in done.stderr
        assert states(data_dir / "steadyhand.db")[-1][1] == "withdrawn"


def test_ctrl_c_before_the_review_withdraws_the_change_and_leaves_no_part(data_dir: Path, tmp_path: Path) -> None:
    grid = {"id": "P", "origin": [0, 0, 0], "u": [3000, 0, 0], "v": [0, 3000, 0], "divisions": [700, 700]}
    large = tmp_path / "large.json"
    large.write_text(json.dumps([{"name": "build_part", "arguments": {"nodes": [], "elements": [], "grids": [grid]}}]))
    terminal = Terminal(data_dir, "--lang", "en", "cae", "propose", "large", str(large))
    terminal.expect("Trying it on a copy")
    terminal.interrupt()
    assert terminal.end() == 130
    assert states(data_dir / "steadyhand.db") == [(1, "withdrawn")]
    assert list((data_dir / "cae").rglob("*.inp")) == []
    assert json.loads(in_child(data_dir, "--json", "cae", "parts").stdout) == {"parts": []}
