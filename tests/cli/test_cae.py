"""Parts at the command line: proposed from calls, looked at, imported, written out, undone; and what cannot be is refused in words."""

import json
import shutil
from pathlib import Path

import pytest

from command_line.ground import EXAMPLES, Line
from command_line.terminal import Terminal

CALLS = str(EXAMPLES / "plate" / "calls.json")
DECK = str(EXAMPLES / "plate" / "bracket.inp")


@pytest.fixture(scope="session")
def _shelves() -> dict[str, Path]:
    return {}


@pytest.fixture
def shelf(
    line: Line, _shelves: dict[str, Path], tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Line:
    """The command line on a folder whose part ``plate`` was made from the example's calls."""
    monkeypatch.chdir(tmp_path_factory.mktemp("here"))
    if "plate" not in _shelves:
        line.ok("cae", "propose", "plate", CALLS)
        line.approve()
        _shelves["plate"] = tmp_path_factory.mktemp("shelf") / "data"
        shutil.copytree(line.data_dir, _shelves["plate"])
    else:
        shutil.copytree(_shelves["plate"], line.data_dir, dirs_exist_ok=True)
    return line


def refusal(line: Line, *words: str) -> str:
    """Return the code of the error that a command ends with, in words and as data, each in another language."""
    line.language = "zh-CN"
    told = line(*words)
    line.language = "en"
    data = line("--json", *words)
    assert told.code == data.code
    assert told.code in (1, 2), told
    assert len(told.err.strip().splitlines()) >= 3
    return data.data["error"]["code"]


# ---- what there is ---------------------------------------------------------------------------------------------------


def test_without_a_part_it_says_how_to_begin(line: Line) -> None:
    assert "steady cae propose plate" in line.ok("cae", "parts").out
    assert line.ok("--json", "cae", "parts").data == {"parts": []}
    line.language = "zh-CN"
    assert "平面板" in line.ok("cae", "parts").out


def test_a_file_of_calls_is_shown_first_with_its_counts_and_its_picture(line: Line) -> None:
    change = line.ok("--json", "cae", "propose", "plate", CALLS).data["change"]
    assert (change["state"], change["view"]["counts"]["element_count"]) == ("sealed", [0, 60])
    assert line.ok("--json", "cae", "parts").data == {"parts": []}, "nothing is done yet"
    shown = line.ok("change", "show", change["name"]).out
    assert "steady cae picture C-1" in shown
    done = line.approve()
    assert "plate is at version 1" in done.out
    assert "steady cae picture plate" in done.out


def test_parts_and_one_of_them_are_told_and_given_as_data(shelf: Line) -> None:
    (row,) = shelf.ok("--json", "cae", "parts").data["parts"]
    assert (row["part"], row["version"], row["summary"]["element_count"]) == ("main/plate", 1, 60)
    data = shelf.ok("--json", "cae", "show", "main/plate").data
    assert data["observation"]["summary"]["shape_counts"] == {"QUAD": 60, "TRI": 0, "BEAM": 0}
    assert [(one["version"], one["change"], one["base"]) for one in data["versions"]] == [(1, "C-1", 0)]
    assert data["results"] == {}
    told = shelf.ok("cae", "show", "plate").out
    for word in ("60 QUAD", "STEEL", "T2", "LOW", "P1", "1: C-1"):
        assert word in told


def test_looking_closer_tells_regions_and_rows_page_by_page(shelf: Line) -> None:
    regions = shelf.ok("--json", "cae", "observe", "plate").data
    assert regions["components"]["count"] == 1
    assert shelf.ok("--json", "cae", "observe", "plate", "--region").data == regions
    page = shelf.ok("--json", "cae", "observe", "plate", "--side", "ymin", "--nodes", "--limit", "3", "--offset", "2").data
    assert (page["kind"], page["total"], [row["label"] for row in page["rows"]]) == ("nodes", 7, [3, 4, 5])
    rows = shelf.ok("--json", "cae", "observe", "plate", "--labels", "1,3-4").data["rows"]
    assert [row["label"] for row in rows] == [1, 3, 4]
    inside = shelf.ok("--json", "cae", "observe", "plate", "--box", "-1", "-1", "-1", "11", "11", "1").data
    assert inside["total"] == 1
    assert shelf.ok("--json", "cae", "observe", "plate", "--plane", "x", "0", "--nodes").data["total"] == 11
    assert shelf.ok("--json", "cae", "observe", "plate", "--shape", "quad").data["total"] == 60
    assert "offset=50" in shelf.ok("cae", "observe", "plate", "--all").out


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--set", "NOWHERE"), "cae_refused"),
        (("--set", "NOWHERE", "--all"), "cae_region_twice"),
        (("--region", "--all"), "cae_region_twice"),
        (("--labels", "1,x"), "cae_region_unreadable"),
        (("--labels", "9-1"), "cae_region_unreadable"),
        (("--labels", "1-999999999"), "cae_region_unreadable"),
        (("--labels", "²"), "cae_region_unreadable"),
        (("--plane", "W", "0"), "cae_region_unreadable"),
        (("--plane", "X", "nan"), "cae_region_unreadable"),
        (("--set", "a b"), "cae_refused"),  # a name of a deck may hold a blank: there is just no such set
    ],
)
def test_a_region_that_is_none_is_told(shelf: Line, words: tuple[str, ...], code: str) -> None:
    assert refusal(shelf, "cae", "observe", "plate", *words) == code


@pytest.mark.parametrize(
    "words",
    [
        ("show", "other"),
        ("observe", "other"),
        ("solve", "other"),
        ("undo", "other"),
        ("picture", "other"),
        ("export", "other"),
    ],
)
def test_a_part_that_is_not_there_is_told(shelf: Line, words: tuple[str, ...]) -> None:
    assert refusal(shelf, "cae", *words) == "part_unknown"


@pytest.mark.parametrize("name", ["a/b/c", "..", "../x", "a b", "", "-", "é"])
def test_a_name_that_is_none_is_told_and_makes_nothing(line: Line, name: str) -> None:
    assert refusal(line, "cae", "show", "--", name) == "part_name_bad"
    assert not (line.data_dir / "cae").exists()


# ---- calls -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", "cae_calls_unreadable"),
        ('[{"name": "build_part", "arguments": {"x": NaN}}]', "cae_calls_unreadable"),
        ("[" * 100_000, "cae_calls_unreadable"),
        ('[{"name": "build_part", "arguments": {"u": [60, 0, 0], "u": [600, 0, 0]}}]', "cae_calls_key_twice"),
        ('{"calls": [], "calls": [{"name": "audit_part"}]}', "cae_calls_key_twice"),
        ("3", "cae_calls_shape"),
        ('{"calls": 3}', "cae_calls_shape"),
        ('{"module": "cake", "calls": []}', "cae_calls_shape"),
        ('{"module": "part", "calls": [], "more": 1}', "cae_calls_shape"),
        ("[3]", "cae_call_shape"),
        ('[{"name": 3}]', "cae_call_shape"),
        ('[{"name": "build_part", "arguments": []}]', "cae_call_shape"),
        ('[{"name": "build_part", "extra": 1}]', "cae_call_shape"),
        ('[{"name": "bake", "arguments": {}}]', "cae_call_unknown"),
        ('[{"name": "restore_version", "arguments": {"version": 1, "sha256": ""}}]', "cae_call_unknown"),
    ],
)
def test_a_file_that_holds_no_calls_is_told_and_opens_nothing(line: Line, tmp_path: Path, text: str, code: str) -> None:
    file = tmp_path / "calls.json"
    file.write_text(text)
    assert refusal(line, "cae", "propose", "plate", str(file)) == code
    assert line.ok("--json", "change", "list", "--all").data == {"changes": []}


def test_what_is_wrong_with_a_call_is_told_with_what_is_allowed(line: Line, tmp_path: Path) -> None:
    file = tmp_path / "calls.json"
    plate = {"id": "P", "origin": [0, 0, 0], "u": [60, 0, 0], "v": [0, 100, 0], "divisions": [3, 5]}
    build = {"name": "build_part", "arguments": {"nodes": [], "elements": [], "grids": [plate]}}
    fix = {"kind": "fix", "name": "FIX", "region": {"plane": {"axis": "Z", "at": 9}}}
    for place, said, zh in (
        ("Z", 'The region of "FIX" holds nothing', "“FIX”"),
        ("W", "must be one of X, Y, Z", "只能是 X, Y, Z 之一"),
    ):
        fix["region"] = {"plane": {"axis": place, "at": 9}}
        file.write_text(json.dumps([build, {"name": "apply_boundary", "arguments": {"supports": [fix]}}]))
        for language, words in (("en", said), ("zh-CN", zh)):
            line.language = language
            told = line("cae", "propose", "plate", str(file))
            assert told.code == 1
            assert words in told.out


def test_what_a_job_lacks_is_told_and_the_spec_is_not_put_up_as_if_it_was_fine(line: Line) -> None:
    line.ok("cae", "propose", "plate", "a flat plate 60 by 100, elements of 20, fix the short edges, pressure 0.1 MPa, solve")
    (change,) = line.ok("--json", "change", "list").data["changes"]
    told = line("change", "confirm", change["name"], change["spec_digest"][:8]).out
    if shutil.which("ccx"):
        assert "2 thick" in told
    assert "please review" not in told
    assert "could not be carried through" in told


@pytest.mark.parametrize(("language", "words"), [("en", "steady change approve C-1"), ("zh-CN", "先放着")])
def test_ctrl_c_at_the_question_leaves_the_change_waiting_and_says_how_it_is_decided(
    line: Line, language: str, words: str
) -> None:
    terminal = Terminal(line.data_dir, "--lang", language, "cae", "propose", "plate", CALLS)
    terminal.expect("[y/n]")
    terminal.interrupt()
    assert terminal.end() == 130
    assert words in terminal.shown.partition("[y/n]")[2]
    (change,) = line.ok("--json", "change", "list").data["changes"]
    assert (change["name"], change["state"]) == ("C-1", "sealed")


def test_no_open_change_says_how_ended_ones_are_listed(shelf: Line) -> None:
    assert "--all" in shelf.ok("change", "list").out
    assert "--all" not in shelf.ok("change", "list", "--state", "sealed").out


def test_an_empty_part_is_told_in_a_line_and_audit_reports_with_their_place(shelf: Line) -> None:
    (report,) = [word for word in shelf.ok("cae", "show", "plate").out.split() if word.endswith("part_audit.json")]
    assert json.loads(Path(report).read_text())
    shelf.ok("cae", "undo", "plate")
    shelf.approve()
    assert "version 2 and empty" in shelf.ok("cae", "show", "plate").out


def test_a_file_that_is_not_there_is_told(line: Line) -> None:
    assert refusal(line, "cae", "propose", "plate", "nowhere.json") == "file_unreadable"
    assert refusal(line, "cae", "propose", "plate", "nowhere.txt") == "file_unreadable"
    assert refusal(line, "cae", "propose", "plate", " ") == "cae_words_missing"
    assert refusal(line, "cae", "propose", "plate", "x" * 20_001) == "cae_words_too_many"


def test_the_module_of_a_file_and_of_the_command_must_agree(line: Line) -> None:
    assert refusal(line, "cae", "propose", "plate", CALLS, "--module", "part") == "cae_module_differs"


def test_a_call_of_another_module_ends_the_change_with_its_reason(line: Line, tmp_path: Path) -> None:
    file = tmp_path / "calls.json"
    file.write_text(json.dumps(json.loads(Path(CALLS).read_text())["calls"]))
    told = line("cae", "propose", "plate", str(file), "--module", "part")
    assert told.code == 1
    assert 'define_property is not part of the module "part"' in told.out
    assert line("--json", "cae", "propose", "plate", str(file), "--module", "part").data["change"]["state"] == "invalid"
    assert line.ok("--json", "cae", "parts").data == {"parts": []}


def test_without_a_solver_a_job_is_refused_before_anybody_is_asked(
    shelf: Line, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for language, words in (("en", "calculix-ccx"), ("zh-CN", "没有安装 CalculiX")):
        shelf.language = language
        told = shelf("cae", "solve", "plate")
        assert told.code == 1
        assert words in told.out
    assert shelf.ok("--json", "cae", "show", "plate").data["version"] == 1


def test_doctor_tells_whether_parts_can_be_solved(shelf: Line, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def looks() -> dict[str, str]:
        return {one["code"]: one["level"] for one in shelf("--json", "doctor").data["looks"] if one["topic"] == "parts"}

    solver = shutil.which("ccx")
    assert looks().get("solver") == ("ok" if solver else None)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert looks()["no_solver"] == "warn"
    shelf.language = "zh-CN"
    assert "calculix-ccx" in shelf("doctor").out
    shutil.rmtree(shelf.data_dir / "cae")
    assert looks()["no_solver"] == "ok", "who has no part is not warned"


# ---- undo ------------------------------------------------------------------------------------------------------------


def test_the_last_change_is_taken_back_as_a_change_and_that_one_too(shelf: Line) -> None:
    change = shelf.ok("--json", "cae", "undo", "plate").data["change"]
    assert (change["undo_of"], change["view"]["counts"]["element_count"]) == (1, [60, 0])
    shelf.approve()
    assert shelf.ok("--json", "cae", "show", "plate").data["observation"]["summary"]["element_count"] == 0
    assert shelf.ok("--json", "cae", "undo", "plate").data["change"]["undo_of"] == 2
    shelf.approve()
    assert shelf.ok("--json", "cae", "show", "plate").data["observation"]["summary"]["element_count"] == 60


def test_what_only_looked_is_passed_over(shelf: Line, tmp_path: Path) -> None:
    file = tmp_path / "audit.json"
    file.write_text('[{"name": "audit_part"}]')
    shelf.ok("cae", "propose", "plate", str(file))
    shelf.approve()
    assert shelf.ok("--json", "cae", "show", "plate").data["version"] == 2
    assert shelf.ok("--json", "cae", "undo", "plate").data["change"]["undo_of"] == 1


# ---- decks, files, pictures ------------------------------------------------------------------------------------------


def test_a_foreign_deck_comes_in_through_the_gate_and_what_was_not_understood_is_told(line: Line) -> None:
    opened = line.ok("--json", "cae", "import", "bracket", DECK).data
    assert [(one["keyword"], one["count"]) for one in opened["report"]["unknown"]] == [("AMPLITUDE", 1), ("NODE PRINT", 1)]
    assert opened["change"]["state"] == "sealed"
    told = line.ok("cae", "import", "bracket", DECK).out
    understood, idle = told.index("1 keyword is not understood"), told.index("1 keyword says nothing of the part")
    assert understood < told.index("*AMPLITUDE") < idle < told.index("*NODE PRINT")
    assert "Materials: ALUMINIUM (E 70000 MPa" in told
    assert "9 nodes" in told
    line.approve()
    detail = line.ok("--json", "cae", "show", "bracket").data["detail"]
    assert detail["kept"] == {"AMPLITUDE": 1, "NODE PRINT": 1}
    assert list(detail["materials"]) == ["ALUMINIUM"]
    assert refusal(line, "cae", "import", "bracket", DECK) == "cae_replace_needed"
    replaced = line.ok("--json", "cae", "import", "bracket", DECK, "--replace").data["change"]
    assert replaced["state"] == "sealed"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (None, "deck_unreadable"),
        ("nothing of a deck", "cae_refused"),
        ("*NODE\n1, x, 0, 0\n", "cae_refused"),
        ("*INCLUDE, INPUT=../../secret\n", "cae_refused"),
    ],
)
def test_a_deck_that_cannot_be_read_is_told_with_its_line(line: Line, tmp_path: Path, text: str | None, code: str) -> None:
    file = tmp_path / "bad.inp"
    if text is not None:
        file.write_text(text)
    assert refusal(line, "cae", "import", "bracket", str(file)) == code
    if text:
        assert "bad.inp, line 1" in line("cae", "import", "bracket", str(file)).err.replace("line 2", "line 1")
    assert line.ok("--json", "change", "list", "--all").data == {"changes": []}


def test_a_part_is_written_whole_in_three_forms_and_the_deck_comes_back_as_the_same(shelf: Line, tmp_path: Path) -> None:
    deck = tmp_path / "plate.inp"
    written = shelf.ok("--json", "cae", "export", "plate", "--out", str(deck)).data
    assert (written["format"], written["version"], written["bytes"]) == ("inp", 1, deck.stat().st_size)
    assert deck.stat().st_mode & 0o777 == 0o644
    assert refusal(shelf, "cae", "export", "plate", "--out", str(deck)) == "file_exists"
    for form, begin in (("vtu", b"<"), ("glb", b"glTF")):
        file = tmp_path / f"plate.{form}"
        shelf.ok("cae", "export", "plate", "--out", str(file))
        assert file.read_bytes().startswith(begin)
    assert sorted(one.name for one in tmp_path.iterdir() if one.name != "data") == ["plate.glb", "plate.inp", "plate.vtu"]
    shelf.ok("cae", "import", "again", str(deck))
    shelf.approve()
    one, two = (shelf.ok("--json", "cae", "show", name).data for name in ("plate", "again"))
    assert (one["observation"], one["detail"]["loads"]) == (two["observation"], two["detail"]["loads"])


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("export", "plate", "--out", "plate.stl"), "cae_format_unknown"),
        (("export", "plate", "--out", "nowhere/plate.inp"), "file_unwritable"),
        (("export", "plate", "--version", "7"), "version_unknown"),
        (("export", "plate", "--result", "static"), "job_results_missing"),
        (("export", "plate", "--result", "static", "--format", "glb"), "cae_results_are_vtu"),
        (("picture", "plate", "--result"), "job_results_missing"),
        (("picture", "plate", "--result", "static", "--version", "1"), "cae_picture_of_one"),
        (("picture", "C-1", "--result"), "cae_picture_of_one"),
        (("picture", "plate", "--out", "plate.gif"), "cae_picture_kind"),
        (("picture", "plate", "--out", "plate.svg", "--png"), "cae_picture_kind"),
        (("picture", "plate", "--version", "9"), "version_unknown"),
        (("picture", "C-99"), "change_unknown"),
    ],
)
def test_what_cannot_be_written_is_told_and_leaves_no_file(shelf: Line, words: tuple[str, ...], code: str) -> None:
    assert refusal(shelf, "cae", *words) == code
    assert list(Path.cwd().iterdir()) == []


def test_pictures_of_a_part_and_of_a_change_are_written(shelf: Line) -> None:
    drawn = shelf.ok("--json", "cae", "picture", "plate", "--svg").data
    assert (drawn["file"], drawn["format"], drawn["version"]) == ("plate.svg", "svg", 1)
    assert "60" in Path("plate.svg").read_text()
    change = shelf.ok("--json", "cae", "picture", "C-1", "--out", "before.svg").data
    assert change == {"change": "C-1", "file": "before.svg", "bytes": Path("before.svg").stat().st_size, "format": "svg"}
    assert refusal(shelf, "cae", "picture", "plate", "--svg") == "file_exists"
    shelf.ok("cae", "picture", "plate", "--svg", "--force")


def test_a_change_of_something_else_has_no_picture(line: Line) -> None:
    line.ok("schedule", "term", "2026-09-07")
    assert refusal(line, "cae", "picture", "C-1") == "cae_change_without_picture"


# ---- what lies beside the database -----------------------------------------------------------------------------------


def test_doctor_holds_the_parts_against_the_record(shelf: Line, tmp_path: Path) -> None:
    def looks() -> dict[str, str]:
        return {one["code"]: one["text"] for one in shelf("--json", "doctor").data["looks"] if one["topic"] == "parts"}

    file = tmp_path / "audit.json"
    file.write_text('[{"name": "audit_part"}]')
    shelf.ok("cae", "propose", "plate", str(file))
    shelf.approve()
    assert "1 part is" in looks()["parts_stand"]
    (deck,) = (shelf.data_dir / "cae").glob("*/main/plate/versions/1/part.inp")
    kept = deck.read_bytes()
    deck.chmod(0o600)
    deck.write_bytes(kept[:-1] + b"X")
    assert "part.inp" in looks()["part_changed"]
    deck.write_bytes(kept)
    assert "parts_stand" in looks()
    shelf.ok("cae", "undo", "plate")
    shelf.approve()
    current = deck.parents[2] / "current"
    later = current.read_bytes()
    shelf.ok("cae", "undo", "plate")
    shelf.approve()
    current.chmod(0o600)
    current.write_bytes(later)
    assert "at version" in looks()["part_other_version"]
    shutil.rmtree(shelf.data_dir / "cae")
    assert "steady restore" in looks()["part_gone"]
    shelf.language = "zh-CN"
    assert "不在了" in looks()["part_gone"]
    assert shelf("doctor").code != 0
