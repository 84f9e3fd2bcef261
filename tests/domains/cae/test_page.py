"""What docs/cae.md says can be done so: its sentences are read, its calls run, its keys are all there are."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from domains.cae.compiling.desk import Desk
from steadyhand.domains.cae.calls import analysis, geometry
from steadyhand.domains.cae.calls import property as properties
from steadyhand.domains.cae.phrases.matching import Unread
from steadyhand.domains.cae.phrases.sentence import understood

PAGE = (Path(__file__).parents[3] / "docs" / "cae.md").read_text(encoding="utf-8")
READ = PAGE.partition("### What the rules read")[2].partition("\n## ")[0]
SENTENCES = [said for row in READ.splitlines() if row.startswith("|") for said in re.findall(r"`([^`]+)`", row)]
FILES: list[Any] = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]
ENTRIES = {
    "nodes": geometry.NodeEntry,
    "elements": geometry.ElementEntry,
    "grids": geometry.GridEntry,
    "element_sets": geometry.ElementSetEntry,
    "translate": geometry.Translate,
    "rotate": geometry.Rotate,
    "mirror": geometry.Mirror,
    "linear_array": geometry.LinearArray,
    "polar_array": geometry.PolarArray,
    "materials": properties.MaterialEntry,
    "shell_sections": properties.ShellSectionEntry,
    "beam_sections": properties.BeamSectionEntry,
    "assignments": properties.AssignmentEntry,
    "fix": analysis.FixEntry,
    "symmetry": analysis.SymmetryEntry,
    "force": analysis.ForceEntry,
    "pressure": analysis.PressureEntry,
    "gravity": analysis.GravityEntry,
}


@pytest.mark.parametrize("said", SENTENCES)
def test_every_sentence_of_the_list_is_read_whole(said):
    assert not isinstance(understood(said), Unread)


def test_the_list_tells_of_both_languages():
    assert len(SENTENCES) > 100
    assert 0.3 < sum(not said.isascii() for said in SENTENCES) / len(SENTENCES) < 0.7


def test_the_files_of_calls_run_one_after_the_other():
    first, second = FILES
    desk = Desk("analysis")
    for file in (first, second):
        desk.module = file["module"]
        desk.do(*[(call["name"], call.get("arguments", {})) for call in file["calls"]])
    assert desk.part.mesh.element_count == 16
    assert set(desk.part.element_sets) >= {"ARM", "DECK"}


@pytest.mark.parametrize("name", ENTRIES)
def test_every_key_of_an_entry_is_named(name):
    row = next(line for line in PAGE.partition("| entry | keys |")[2].splitlines() if line.startswith(f"| `{name}`"))
    assert set(re.findall(r"`([a-z_0-9]+)`", row.split("|")[2])) == set(ENTRIES[name].model_fields)
