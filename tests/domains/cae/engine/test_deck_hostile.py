"""Whatever stands in a file: a refusal of the engine with its line, or a part without a fault. Nothing else, and never more than linear work."""

import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domains.cae.engine.drawn_parts import parts, told
from domains.cae.engine.plates import stiffened
from steadyhand.domains.cae.engine.deck.reading import read_deck
from steadyhand.domains.cae.engine.deck.report import Limits
from steadyhand.domains.cae.engine.deck.writing import deck_text, write_deck
from steadyhand.domains.cae.engine.errors import EngineRefusal

FUZZED = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
BOUNDS = Limits(lines=10_000, keywords=5_000, members=10_000)
PIECES = (
    "*NODE\n",
    "*NODE, NSET=A\n",
    "1, 0., 0., 0.\n2, 1., 0.\n3, 1., 1.,\n4, 0., 1e0, 0\n",
    "5, 1., 2., 3., 0., 0., 1.\n",
    "*ELEMENT, TYPE=S4, ELSET=E\n1, 1, 2, 3, 4\n",
    "*ELEMENT, TYPE=B31, ELSET=B\n2, 1, 2\n",
    "*ELEMENT, TYPE=B31\n3, 1, 2, 3\n",
    "*ELEMENT, TYPE=C3D4, ELSET=E\n4, 1, 2,\n3, 4\n",
    "*NSET, NSET=A\n1, 2\n",
    "*NSET, NSET=A, GENERATE\n1, 9, 2\n",
    "*NSET, NSET=B, ELSET=E\n",
    "*ELSET, ELSET=E\nE, 1\n",
    "*ELSET, ELSET=F\nE, B\n",
    "*ELSET, ELSET=F\n4, 1\n",
    "*MATERIAL, NAME=M\n*ELASTIC\n1., 0.3\n",
    "*MATERIAL, NAME=R\n*HYPERELASTIC\n1.\n",
    "*DENSITY\n1.\n",
    "** Section: S\n*SHELL SECTION, ELSET=E, MATERIAL=M\n2.\n",
    "*SHELL SECTION, ELSET=E, MATERIAL=R\n2.\n",
    "*BEAM SECTION, ELSET=B, MATERIAL=M, SECTION=RECT\n1., 2.\n0., 0., 1.\n",
    "*BOUNDARY\nA, 1, 3\n",
    "*BOUNDARY\n1, ENCASTRE\nA, XSYMM\n",
    "*STEP\n",
    "*STATIC\n",
    "*CLOAD\nA, 1, 2.\n3, 2, 1.\n",
    "*DLOAD\nE, P, 1.\n1, P, 2.\n",
    "*DLOAD\nF, GRAV, 9810., 0., 0., -1.\n, GRAV, 1., 0., 1., 0.\n",
    "*END STEP\n",
    "*PART, NAME=P\n",
    "*END PART\n",
    "*ASSEMBLY, NAME=Q\n*INSTANCE, NAME=I, PART=P\n1., 2., 3.\n*END INSTANCE\n",
    "*NSET, NSET=A, INSTANCE=I\nI.1\n",
    "*EQUATION\n2\n1, 1, 1., A, 1, -1.\n",
    "*FOO,\nBAR=1\nx\n** y\n",
    '** steadyhand: {"deck": 1, "own_sets": "_", "next_node": 9, "next_element": 9, "types": ["S4R", "X"]}\n',
    '** steadyhand: {"node_set": "A"}\n',
    '** steadyhand: {"section": "S", "material": "M", "thickness": 1, "offset": 0}\n',
    '** steadyhand: {"assignment": "S", "n1": [0, 0, 1], "elset": "E"}\n',
    '** steadyhand: {"support": "H", "set": "A", "dofs": [1, 2, 3], "symmetry": true}\n',
    '** steadyhand: {"force": "F", "set": "A", "components": [4, 0, 0], "total": true}\n',
    '** steadyhand: {"held_nodes": [1, 3]}\n',
    "\n",
)
MESH_PIECES = "".join(PIECES[place] for place in (1, 2, 4, 5, 7, 8, 14))
BEHIND = [piece for piece in PIECES if not piece.startswith(("*NODE", "*ELEMENT", "*MATERIAL, NAME=M", "*PART", "1,", "5,"))]


def attempt(act):
    """Return what *act* gives, and the code of a refusal, empty for none."""
    try:
        return act(), ""
    except EngineRefusal as refusal:
        return None, refusal.code


def reads_or_refuses(tmp_path, data):
    """Read *data*; what is read has no fault, can be written or is refused again, and is then read as the same."""
    deck, again = tmp_path / "deck.inp", tmp_path / "again.inp"
    deck.write_bytes(data)
    read, code = attempt(lambda: read_deck(deck, limits=BOUNDS))
    if read is None:
        assert code.startswith("deck_")
        return
    assert read.part.faults() == []
    digest, code = attempt(lambda: write_deck(read.part, again))
    if digest is None:
        assert code in {"deck_type_does_not_fit", "deck_not_finite"}
        return
    assert told(read_deck(again).part) == told(read.part)


@given(data=st.binary(max_size=400))
@FUZZED
def test_random_bytes(tmp_path, data):
    reads_or_refuses(tmp_path, data)


@given(pieces=st.lists(st.sampled_from(PIECES), max_size=25))
@settings(FUZZED, max_examples=300)
def test_pieces_of_decks_in_any_order(tmp_path, pieces):
    reads_or_refuses(tmp_path, "".join(pieces).encode())


@given(pieces=st.lists(st.sampled_from(BEHIND), unique=True, max_size=12))
@settings(FUZZED, max_examples=300)
def test_pieces_of_decks_behind_a_mesh(tmp_path, pieces):
    reads_or_refuses(tmp_path, (MESH_PIECES + "".join(pieces)).encode())


@given(
    part=parts(),
    cuts=st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 40), st.binary(max_size=6)), min_size=1, max_size=4),
)
@FUZZED
def test_decks_of_ours_that_were_damaged(tmp_path, part, cuts):
    text = "".join(deck_text(part)).encode()
    for at, length, put in cuts:
        begin = at % (len(text) + 1)
        text = text[:begin] + put + text[begin + length :]
    reads_or_refuses(tmp_path, text)


@given(at=st.integers(0, 10_000), swap=st.integers(0, 10_000))
@FUZZED
def test_decks_of_ours_whose_lines_were_exchanged(tmp_path, at, swap):
    lines = "".join(deck_text(stiffened())).splitlines(keepends=True)
    first, second = at % len(lines), swap % len(lines)
    lines[first], lines[second] = lines[second], lines[first]
    reads_or_refuses(tmp_path, "".join(lines).encode())


MESH = "*NODE\n1, 0.\n2, 1.\n*ELEMENT, TYPE=B31, ELSET=E\n1, 1, 2\n*MATERIAL, NAME=M\n*ELASTIC\n1.\n"
LARGE = {
    "stars in one line": lambda n: "*NODE\n" + "* " * (n // 10) + "\n",
    "keywords": lambda n: "*FOO\n" * n,
    "comments": lambda n: "*NODE\n" + "** c\n1, 0.\n" * n,
    "blank lines": lambda n: "\n" * n,
    "leading blanks": lambda n: "*NODE\n" + (" " * 1000 + "1, 0.\n") * (n // 100),
    "sets of the set before": lambda n: (
        "*NODE\n1, 0.\n*NSET, NSET=N0\n1\n" + "".join(f"*NSET, NSET=N{i + 1}\nN{i}\n" for i in range(n))
    ),
    "one set in itself": lambda n: "*NODE\n1, 0.\n*NSET, NSET=A\n1\n" + "*NSET, NSET=A\nA\n" * n,
    "sections of one name": lambda n: (
        MESH + "".join(f"** Section: S\n*SHELL SECTION, ELSET=E, MATERIAL=M\n{i}.\n" for i in range(n))
    ),
    "loads of one name": lambda n: MESH + "*STEP\n*STATIC\n" + "** Name: L Type: x\n*CLOAD\n1, 1, 1.\n" * n,
    "labels in one block": lambda n: MESH + "*BOUNDARY\n" + "1, 1\n2, 2\n" * n,
    "sets of one name inside and outside": lambda n: (
        "*PART, NAME=P\n*NODE\n1, 0.\n2, 1.\n"
        + "".join(f"*NSET, NSET={'x' * 70}{i}\n1\n" for i in range(n))
        + "*END PART\n"
        + "".join(f"*NSET, NSET={'x' * 70}{i}\n2\n" for i in range(n))
    ),
    "nodes of element sets": lambda n: (
        MESH + "".join(f"*ELEMENT, TYPE=X\n{i + 2}, 1, 2\n" for i in range(n)) + "*NSET, NSET=A, ELSET=E\n" * n
    ),
    "materials": lambda n: "".join(f"*MATERIAL, NAME=M{i}\n*ELASTIC\n1.\n*PLASTIC\n1.\n" for i in range(n)),
    "commas": lambda n: "*NSET, NSET=A\n" + ("," * 100 + "\n") * (n // 10),
    "quotes": lambda n: "*NSET, NSET=A\n" + ('"' * 101 + ",\n") * (n // 10),
    "a keyword that goes on": lambda n: "*FOO,\n" + "a,\n" * n,
    "parameters": lambda n: "*FOO" + ",\nA=B" * n + "\n",
    "elements of many nodes": lambda n: "*NODE\n1, 0.\n*ELEMENT, TYPE=X\n1," + "1,\n" * n,
}


@pytest.mark.parametrize("name", LARGE)
def test_ten_times_the_text_is_not_a_hundred_times_the_work(tmp_path, name):
    """Counts the lines that Python runs, so that nothing depends on a clock."""

    def work(count):
        (tmp_path / "deck.inp").write_text(LARGE[name](count))
        steps, before = 0, sys.gettrace()

        def trace(frame, event, argument):
            nonlocal steps
            steps += 1
            return trace

        sys.settrace(trace)
        try:
            attempt(lambda: read_deck(tmp_path / "deck.inp"))
        finally:
            sys.settrace(before)
        return steps

    assert work(3000) < 15 * work(300) + 5000
