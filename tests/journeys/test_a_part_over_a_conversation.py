"""A part, changed over a conversation with a scripted model: the person picks part and module, confirms the spec, approves the program."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cli_chat.ground import Sitting
from steadyhand.core.clock import FakeClock
from steadyhand.core.config import Settings
from steadyhand.core.ids import LOCAL_USER
from steadyhand.core.wire import Completion, Request, ToolCall
from steadyhand.domains.cae.choosing import named
from steadyhand.domains.cae.shelf.doors import Shelf
from steadyhand.store.changes import changes
from steadyhand.wiring.app import App, open_app

PLATE = {
    "nodes": [],
    "elements": [],
    "grids": [{"id": "P", "origin": [0, 0, 0], "u": [60, 0, 0], "v": [0, 100, 0], "divisions": [6, 10]}],
}
COPY = {"operations": [{"kind": "translate", "region": {"all": True}, "vector": [60, 0, 0], "copy_elements": True}]}
MERGE = {"merge_tolerance": 0.001, "remove_free_nodes": True}
OPEN = ("propose_part_change", {})


def asking(*wanted: tuple[str, dict]) -> Completion:
    made = tuple(ToolCall(f"call_{place}", name, json.dumps(arguments)) for place, (name, arguments) in enumerate(wanted, 1))
    return Completion(tool_calls=made, finish="tool_calls")


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    made = open_app(Settings(data_dir=tmp_path), "en", FakeClock(datetime(2026, 9, 1, 1, 0, tzinfo=UTC)))
    yield made
    made.store.close()


def counts(app: App) -> tuple[int, int]:
    shelf = Shelf(app.settings.data_dir / "cae")
    _, manifest = shelf.version(LOCAL_USER, named("plate"))
    facts = json.loads((shelf.folder(LOCAL_USER, named("plate")).version(manifest.version) / "summary.json").read_text())
    summary = facts["observation"]["summary"]
    return summary["node_count"], summary["element_count"]


def state(app: App, number: int) -> str:
    row = app.store.read_now(lambda tx: changes.by_number(tx, LOCAL_USER, number))
    assert row is not None
    return row.state


def test_from_words_to_a_verified_part_over_two_rounds_of_calls(app: App) -> None:
    def collecting_the_rest(request: Request) -> Completion:
        assert [tool.name for tool in request.tools] == ["repair_part", "audit_part"]
        assert json.loads(request.messages[-1].content)["collected_tool_calls"] == ["transform_part"]
        assert counts(app) == (77, 60)  # nothing is run before all are in
        return asking(("repair_part", MERGE), ("audit_part", {}))

    here = Sitting(
        app,
        (
            asking(OPEN),
            Completion("Choose a part first, please."),
            asking(OPEN),
            Completion("Create a plate of 60 x 100 mm.\nPlanned Part operations: build"),
            asking(("build_part", PLATE)),
            asking(OPEN),
            Completion("Copy the plate beside itself, merge the seam, audit.\nPlanned Part operations: transform, repair, audit"),
            asking(("transform_part", COPY)),
            collecting_the_rest,
        ),
    )
    here.says("Build a plate", "/module part plate", "Build a plate of 60 by 100")
    assert "C-1: please review the spec" in here.face.texts[-1]
    assert state(app, 1) == "in_review"
    here.says("yes")
    assert "6 × 10 QUAD" in here.face.texts[-1]
    assert state(app, 1) == "sealed"
    here.says("yes")
    assert here.face.texts[-1].startswith("C-1: verified by reading back")
    assert counts(app) == (77, 60)
    here.says("Put a copy beside it and clean the seam", "yes", "yes")
    assert here.face.texts[-1].startswith("C-2: verified by reading back")
    assert counts(app) == (2 * 77 - 11, 120)
    assert here.provider.left == 0
    here.says("/undo C-2", "yes")
    assert here.face.texts[-1].startswith("C-3: verified by reading back")
    assert counts(app) == (77, 60)


def test_a_spec_without_a_capability_waits_until_the_person_says_go_on(app: App) -> None:
    spec = Completion("Create a plate.\nPlanned Part operations: build")
    here = Sitting(
        app,
        (
            asking(OPEN),
            Completion("A plate, surely."),
            spec,
            asking(("build_part", {"nodes": []})),
            asking(("build_part", PLATE)),
        ),
    )
    here.says("/module part plate", "I would like a plate of 60 by 100")
    assert state(app, 1) == "drafting"
    here.says("continue")
    assert state(app, 1) == "in_review"
    here.says("yes")
    assert state(app, 1) == "in_review"  # the arguments did not fit: the calls are dropped, the reason is shown
    assert "elements" in here.face.texts[-1]
    here.says("/confirm C-1")
    assert state(app, 1) == "sealed"
    assert here.provider.left == 0
