"""A part that was written is read back as the same part, to the bit, and written again as the same bytes."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domains.cae.engine.drawn_parts import meshes, parts, told
from domains.cae.engine.plates import stiffened
from steadyhand.domains.cae.engine.deck.reading import read_deck
from steadyhand.domains.cae.engine.deck.writing import write_deck
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import Force, Material, Support

IN_ONE_FOLDER = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@given(part=parts())
@IN_ONE_FOLDER
def test_every_field_comes_back_and_the_same_part_gives_the_same_bytes(tmp_path, part):
    assert part.faults() == []
    first, second = tmp_path / "first.inp", tmp_path / "second.inp"
    digest = write_deck(part, first)
    read = read_deck(first)
    assert told(read.part) == told(part)
    assert read.part.faults() == []
    assert write_deck(read.part, second) == digest
    assert first.read_bytes() == second.read_bytes()
    assert read.report.notes == ()


@given(drawn=meshes(), size=st.integers(1, 400))
@settings(IN_ONE_FOLDER, max_examples=30)
def test_long_sets_come_back_as_lists_and_as_runs(tmp_path, drawn, size):
    part = Part(next_node=size * 3 + 1)
    part.mesh.node_labels = np.arange(1, size * 3 + 1, dtype=np.int64)
    part.mesh.xyz = np.zeros((size * 3, 3))
    part.node_sets = {"odd": part.mesh.node_labels[::2], "all": part.mesh.node_labels, "few": part.mesh.node_labels[size:]}
    write_deck(part, tmp_path / "sets.inp")
    text = (tmp_path / "sets.inp").read_text()
    assert all(line.count(",") <= 15 for line in text.splitlines() if not line.startswith("*"))
    assert ("GENERATE" in text) == (size > 1)
    assert told(read_deck(tmp_path / "sets.inp").part) == told(part)


def test_a_force_that_was_changed_by_hand_is_what_its_keyword_says(tmp_path):
    part = stiffened()
    part.loads = {"PULL": part.loads["PULL"]}
    deck = tmp_path / "part.inp"
    write_deck(part, deck)
    text = deck.read_text()
    shared = "4, 3, 2.5\n8, 3, 5.0\n12, 3, 2.5\n"  # by length: the ends of the edge have one neighbour
    assert text.count(f"*CLOAD\n{shared}*END STEP") == 1
    deck.write_text(text.replace(shared, "_TIP, 2, -7.5\n"))
    assert read_deck(deck).part.loads == {"PULL": Force("PULL", "_TIP", (0.0, -7.5, 0.0), total=False)}
    deck.write_text(text.replace(shared, "4, 3, 2.5\n8, 3, 2.5\n12, 3, 5.0\n"))
    assert all(not load.total for load in read_deck(deck).part.loads.values())
    deck.write_text(text.replace(f"*CLOAD\n{shared}", ""))
    assert read_deck(deck).part.loads == {}


def test_a_support_that_was_changed_by_hand_is_what_its_keyword_says(tmp_path):
    part = stiffened()
    deck = tmp_path / "part.inp"
    write_deck(part, deck)
    deck.write_text(deck.read_text().replace("LEFT, 1, 3", "LEFT, 2, 2\nLEFT, 6"))
    assert read_deck(deck).part.supports == {"HELD": Support("HELD", "LEFT", (2, 6))}


def test_a_section_and_a_material_that_were_changed_by_hand_are_what_their_keywords_say(tmp_path):
    part = stiffened()
    deck = tmp_path / "part.inp"
    write_deck(part, deck)
    deck.write_text(deck.read_text().replace("OFFSET=0.5\n10.0", "OFFSET=0.25\n12.0").replace("210000.0, 0.3", "2.1e5, 0.25"))
    read = read_deck(deck).part
    assert (read.sections["PLATE"].thickness, read.sections["PLATE"].offset) == (12.0, 0.25)
    assert read.materials["STEEL"] == Material("STEEL", 210000.0, 0.25, 7.85e-9)
    assert read.sections["RIB"] == part.sections["RIB"]
    assert list(read.sections) == list(part.sections)
    assert np.array_equal(read.mesh.assigned, part.mesh.assigned)


def test_the_deck_says_its_units_and_needs_none_of_our_comments(tmp_path):
    part = stiffened()
    deck = tmp_path / "part.inp"
    write_deck(part, deck)
    first, *rest = deck.read_text().splitlines()
    assert json.loads(first.removeprefix("** steadyhand: "))["units"] == "N-mm-MPa-t"
    deck.write_text("".join(f"{line}\n" for line in rest if not line.startswith("**")))
    plain = read_deck(deck).part
    assert plain.faults() == []
    assert plain.mesh.xyz.tobytes() == part.mesh.xyz.tobytes()
    given, found = ([p.sections[p.assignments[at].section] for at in p.mesh.assigned] for p in (part, plain))
    assert [(type(s), s.material) for s in found] == [(type(s), s.material) for s in given]
    pushed = [load for load in plain.loads.values() if isinstance(load, Force)]
    assert sum(load.components[2] * len(plain.node_sets[load.node_set]) for load in pushed) == part.loads["PULL"].components[2]
    assert len(plain.loads) - len(pushed) == len(part.loads) - 1


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda part: part.materials.update(X=Material("X", float("nan"), 0.3)), "deck_not_finite"),
        (lambda part: part.node_sets.update({'a"b': part.node_sets["LEFT"]}), "deck_bad_name"),
        (lambda part: part.element_sets.update({"": part.element_sets["DECK"]}), "deck_bad_name"),
        (lambda part: part.node_sets.update({"x" * 81: part.node_sets["LEFT"]}), "deck_bad_name"),
        (lambda part: part.supports.update({"a\nb": Support("a\nb", "LEFT", (1,))}), "deck_bad_name"),
        (lambda part: part.loads.update(X=Force("X", "LEFT", (0.0, float("inf"), 0.0))), "deck_not_finite"),
        (lambda part: part.supports.update(X=Support("X", "LEFT", (1, 7))), "deck_bad_dofs"),
        (lambda part: part.mesh.xyz.__setitem__((3, 1), float("nan")), "deck_not_finite"),
        (lambda part: setattr(part, "next_node", 2**70), "deck_bad_label"),
        (lambda part: setattr(part, "heading", "x" * 100_000), "deck_text_too_long"),
        (lambda part: part.mesh.types.__setitem__(0, 0), "deck_type_does_not_fit"),
    ],
)
def test_what_could_not_be_read_back_is_refused_before_a_file_is_made(tmp_path, change, code):
    part = stiffened()
    change(part)
    with pytest.raises(EngineRefusal) as refused:
        write_deck(part, tmp_path / "part.inp")
    assert refused.value.code == code
    assert list(tmp_path.iterdir()) == []


def test_reading_and_writing_need_nothing_but_numpy(tmp_path):
    write_deck(stiffened(), tmp_path / "part.inp")
    program = (
        "import sys; from pathlib import Path\n"
        "from steadyhand.domains.cae.engine.deck.reading import read_deck\n"
        "from steadyhand.domains.cae.engine.deck.cache import load_cache\n"
        "read_deck(Path(sys.argv[1]))\n"
        "print([name for name in sys.modules if name.startswith('steadyhand.core') or name in ('pydantic', 'scipy', 'meshio')])"
    )
    done = subprocess.run(
        [
            sys.executable,
            "-I",
            "-c",
            f"sys=__import__('sys'); sys.path.insert(0, {str(Path(__file__).parents[4] / 'src')!r})\n{program}",
            str(tmp_path / "part.inp"),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
