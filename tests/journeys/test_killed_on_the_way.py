"""A kill -9 at every named point of an import, a direct act, a draft write and a proposal: after the next command nothing is lost or doubled."""

import shutil
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from command_line.ground import COURSE_FILE, TASK_FILE, TERM_FILE, content, dump, in_child, in_here, states
from steadyhand.core.faults import POINTS

pytestmark = [pytest.mark.usefixtures("september"), pytest.mark.crash]

OPENING = ("gate.opened", "gate.observed", "gate.compiled", "gate.rehearsed", "gate.sealed")
APPROVING = (
    "gate.before_decision",
    "gate.approved",
    "gate.before_intent",
    "gate.intent",
    "gate.before_effect",
    "gate.in_effect",
    "gate.after_effect",
    "gate.receipt",
    "gate.read_back",
    "gate.verified",
)

DRAFTING = ("draft.before_step", "draft.after_step")
KILLED = -9


def _run(data_dir: Path, *words: str, fault: str = "") -> str:
    """Run a command that must succeed, or with a *fault* one that must be killed there: that one in a process of its own."""
    if fault:
        done = in_child(data_dir, "--lang", "en", *words, STEADYHAND_FAULT=fault)
        assert done.returncode == KILLED, (words, fault, done.returncode, done.stdout, done.stderr)
        return done.stdout
    answer = in_here(data_dir, "--lang", "en", *words)
    assert answer.code == 0, (words, answer)
    return answer.out


def _approve_newest(data_dir: Path, fault: str = "") -> None:
    with sqlite3.connect(data_dir / "steadyhand.db") as connection:
        number, digest = connection.execute("SELECT number, seal_digest FROM changes ORDER BY number DESC").fetchone()
    connection.close()
    _run(data_dir, "change", "approve", f"C-{number}", digest, fault=fault)


@pytest.fixture(scope="module")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the examples in it and a draft whose window is the whole term."""
    folder = tmp_path_factory.mktemp("seed") / "data"
    folder.mkdir()
    _run(folder, "schedule", "import", TERM_FILE)
    _approve_newest(folder)
    _run(folder, "schedule", "tasks", "add", TASK_FILE)
    _approve_newest(folder)
    _run(folder, "schedule", "window", "2026-09-07")
    return folder


@pytest.fixture
def folder(seed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(seed, tmp_path / "data"))


def _import(folder: Path, fault: str = "") -> None:
    _run(folder, "schedule", "import", COURSE_FILE, fault=fault)


def _place_and_propose(folder: Path, fault: str = "") -> None:
    _run(folder, "schedule", "propose", fault=fault)


PROPOSALS: dict[str, Callable[..., None]] = {"import": _import, "propose": _place_and_propose}


def _clean(seed: Path, folder: Path, steps: Sequence[Callable[..., None]]) -> dict[str, Any]:
    """Return what the timetable holds when nobody kills anything."""
    fresh = Path(shutil.copytree(seed, folder.parent / "clean"))
    for step in steps:
        step(fresh)
    return content(fresh / "steadyhand.db")


@pytest.mark.parametrize("kind", PROPOSALS)
@pytest.mark.parametrize("point", OPENING)
def test_killed_while_it_is_proposed(folder: Path, kind: str, point: str) -> None:
    propose = PROPOSALS[kind]
    if kind == "propose":
        _run(folder, "schedule", "place", "体测准备", "2026-09-12", "9")
    before = content(folder / "steadyhand.db")
    propose(folder, fault=point)
    _run(folder, "schedule", "show")
    assert content(folder / "steadyhand.db") == before
    assert states(folder / "steadyhand.db")[-1] == (3, "sealed")
    propose(folder)
    assert states(folder / "steadyhand.db")[-2:] == [(3, "withdrawn"), (4, "sealed")]
    _approve_newest(folder)
    held = content(folder / "steadyhand.db")
    added = {"import": 3, "propose": 1}[kind]
    assert len(held["events"]) == len(before["events"]) + added
    assert len(set(held["cells"])) == len(held["cells"])


@pytest.mark.parametrize("point", APPROVING)
def test_killed_while_it_is_approved(seed: Path, folder: Path, point: str) -> None:
    _import(folder)
    before, clean = content(folder / "steadyhand.db"), _clean(seed, folder, [_import, _approve_newest])
    _approve_newest(folder, fault=point)
    assert content(folder / "steadyhand.db") in (before, clean)
    _run(folder, "schedule", "show")
    number, state = states(folder / "steadyhand.db")[-1]
    assert (number, state) == (3, "sealed" if point == "gate.before_decision" else state)
    if state == "sealed":
        assert content(folder / "steadyhand.db") == before
        _approve_newest(folder)
    else:
        assert state == ("verified" if content(folder / "steadyhand.db") == clean else "failed")
        if state == "failed":
            _run(folder, "change", "repair", "C-3")
            _approve_newest(folder)
    assert content(folder / "steadyhand.db") == clean


ACT = ("schedule", "course", "add", "Chess", "--day", "6", "--slots", "5-6", "--weeks", "1-8")


@pytest.mark.parametrize("point", [*OPENING, *APPROVING])
def test_killed_in_a_direct_act(seed: Path, folder: Path, point: str) -> None:
    database = folder / "steadyhand.db"
    before, clean = content(database), _clean(seed, folder, [lambda made: _run(made, *ACT)])
    _run(folder, *ACT, fault=point)
    assert content(database) in (before, clean)
    _run(folder, "schedule", "show")
    assert content(database) in (before, clean)
    if content(database) == before:
        _run(folder, *ACT)
    else:
        assert in_here(folder, *ACT).code == 2  # its slots are taken: by itself
    assert content(database) == clean
    assert [state for _, state in states(database)].count("verified") == 3
    assert not [state for _, state in states(database) if state in ("sealed", "unknown", "submitting", "executed")]


@pytest.mark.parametrize("point", DRAFTING)
def test_killed_in_a_draft_write(folder: Path, point: str) -> None:
    _run(folder, "schedule", "place", "体测准备", "2026-09-12", "9", fault=point)
    shown = _run(folder, "schedule", "tasks", "list", "--status", "suggested")
    assert ("体测准备" in shown) == (point == "draft.after_step")
    if point == "draft.after_step":
        _run(folder, "schedule", "undo")
    _run(folder, "schedule", "place", "体测准备", "2026-09-12", "9")
    before = dump(folder / "steadyhand.db")
    assert in_here(folder, "schedule", "place", "体测准备", "2026-09-12", "9").code == 2
    assert dump(folder / "steadyhand.db") == before
    _run(folder, "schedule", "undo")
    assert in_here(folder, "schedule", "undo").code == 2


@pytest.mark.parametrize("point", DRAFTING)
def test_killed_while_arranging(folder: Path, point: str) -> None:
    _run(folder, "schedule", "arrange", fault=point)
    _run(folder, "schedule", "arrange")
    _run(folder, "schedule", "propose")
    _approve_newest(folder)
    held = content(folder / "steadyhand.db")
    assert len(held["events"]) == 12 + 15
    assert len({cell[:4] for cell in held["cells"]}) == len(held["cells"])


def test_every_point_that_a_command_passes_is_covered() -> None:
    elsewhere = {"gate.spec_stored", "gate.confirmed", "gate.call_stored", "gate.step_begun", "gate.step_ended"}
    mine = {point for point in POINTS if point.startswith(("gate.", "draft."))} - elsewhere
    assert mine == {*OPENING, *APPROVING, *DRAFTING}
