"""Decks of other programs: what is read, what is kept as text and reported, what is refused with its line."""

import itertools
from dataclasses import asdict

import numpy as np
import pytest

from domains.cae.engine.drawn_parts import told
from steadyhand.core.language import LANGUAGES, say
from steadyhand.domains.cae.engine.deck.reading import read_deck
from steadyhand.domains.cae.engine.deck.report import Limits
from steadyhand.domains.cae.engine.deck.writing import write_deck
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.properties import BeamSection, Force, Gravity, Material, Pressure, ShellSection, Support
from steadyhand.domains.cae.engine.shapes import RECT

SQUARE = "*NODE\n1, 0, 0\n2, 1, 0\n3, 1, 1\n4, 0, 1\n"
SHELL = SQUARE + "*ELEMENT, TYPE=S4, ELSET=E\n1, 1, 2, 3, 4\n"
STEEL = "*MATERIAL, NAME=STEEL\n*ELASTIC\n210000., 0.3\n"


@pytest.fixture
def read(tmp_path):
    """Read a deck from its text; what is written from it must be read back as the same part."""

    def _read(text, **files):
        data = text if isinstance(text, bytes) else text.encode()
        (tmp_path / "deck.inp").write_bytes(data)
        for name, content in files.items():
            (tmp_path / name.replace("__", ".")).write_text(content)
        found = read_deck(tmp_path / "deck.inp")
        assert found.part.faults() == []
        write_deck(found.part, tmp_path / "written.inp")
        again = read_deck(tmp_path / "written.inp")
        assert told(again.part) == told(found.part)
        for language, note in itertools.product(LANGUAGES, found.report.notes):
            assert "deck.inp" in say(language, f"deck_note.{note.code}", **asdict(note))
        return found

    return _read


@pytest.fixture
def refused(tmp_path):
    """Read a deck from its text, which must be refused; return code and parameters."""

    def _refused(text, **files):
        (tmp_path / "deck.inp").write_bytes(text if isinstance(text, bytes) else text.encode())
        for name, content in files.items():
            (tmp_path / name.replace("__", ".")).write_text(content)
        with pytest.raises(EngineRefusal) as caught:
            read_deck(tmp_path / "deck.inp")
        for language in LANGUAGES:
            assert "deck.inp" in say(language, f"refusal.{caught.value.code}", **caught.value.params)
        return caught.value.code, caught.value.params

    return _refused


def rows(part):
    """The elements by label: the labels of their nodes."""
    mesh = part.mesh
    return {
        int(label): mesh.node_labels[conn[:size]].tolist()
        for label, conn, size in zip(mesh.element_labels, mesh.conn, mesh.sizes, strict=True)
    }


def test_case_spacing_comments_and_blank_lines_do_not_matter(read):
    found = read(
        "** a comment\n\n  *Node , nset = All\n** in between\n  1,0.,0.\n\n2,\t1. , 0.\n3,1,1,\n 4 , 0, 1,0\n"
        "*element,Type=s4r,\n  ELSET=deck\n7, 1, 2,\n3, 4\n** last\n*nset, NSET=all\n"
    )
    part = found.part
    assert part.mesh.node_labels.tolist() == [1, 2, 3, 4]
    assert part.mesh.xyz.tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    assert rows(part) == {7: [1, 2, 3, 4]}
    assert part.type_names[part.mesh.types[0]] == "S4R"
    assert {name: labels.tolist() for name, labels in part.node_sets.items()} == {"All": [1, 2, 3, 4]}
    assert {name: labels.tolist() for name, labels in part.element_sets.items()} == {"deck": [7]}
    assert (part.next_node, part.next_element) == (5, 8)
    assert found.report.unknown == ()


@pytest.mark.parametrize(
    "change", [lambda t: t.replace(b"\n", b"\r\n"), lambda t: t.replace(b"\n", b"\r"), lambda t: b"\xef\xbb\xbf" + t]
)
def test_line_ends_and_a_byte_order_mark_do_not_matter(read, change):
    assert rows(read(change(SHELL.encode())).part) == {1: [1, 2, 3, 4]}


def test_text_in_latin_1_is_read(read):
    found = read("*HEADING\nTräger\n*ELSET, ELSET=Spant ü\n".encode("latin-1"))
    assert found.part.heading == "Träger"
    assert list(found.part.element_sets) == ["Spant ü"]


def test_labels_out_of_order_are_put_in_order(read):
    part = read(
        "*NODE\n9, 9, 0\n4, 4, 0\n*NODE\n1, 1, 0\n*ELEMENT, TYPE=B31\n20, 9, 4\n*ELEMENT, TYPE=S3\n10, 1, 4, 9\n*ELEMENT, TYPE=B31\n15, 1, 9\n"
    ).part
    assert part.mesh.xyz[:, 0].tolist() == [1, 4, 9]
    assert rows(part) == {10: [1, 4, 9], 15: [1, 9], 20: [9, 4]}


def test_numbers_of_fortran_are_read(read):
    assert read("*NODE\n1, 1.5D+02, -.5d-1, +2.\n").part.mesh.xyz.tolist() == [[150.0, -0.05, 2.0]]


def test_sets_of_labels_ranges_and_sets_are_put_together(read):
    nodes = "*NODE\n" + "".join(f"{label}, {label}\n" for label in range(1, 41))
    part = read(
        nodes
        + "*NSET, NSET=A, GENERATE\n1, 9, 4\n20, 21\n*NSET, NSET=B\n"
        + ", ".join(str(label) for label in range(40, 20, -1))
        + "\n"
        "*NSET, NSET=C\na, 2,\n3, B,\n*NSET, NSET=a\n40\n*NSET, NSET=GAPS, GENERATE\n35, 2000000000\n"
    )
    sets = {name: labels.tolist() for name, labels in part.part.node_sets.items()}
    assert sets["A"] == [1, 5, 9, 20, 21, 40]
    assert sets["B"] == list(range(21, 41))
    assert sets["C"] == [1, 2, 3, 5, 9, 20, *range(21, 41)]
    assert sets["GAPS"] == [35, 36, 37, 38, 39, 40]
    assert [(note.code, note.count) for note in part.report.notes] == [("labels_skipped", 1)]


def test_the_nodes_of_an_element_set_can_be_a_set(read):
    text = SHELL + "5, 1, 2, 3, 4\n*NODE\n9, 9\n*NSET, NSET=N, ELSET=E\n"
    assert read(text).part.node_sets["N"].tolist() == [1, 2, 3, 4]


def test_one_set_may_come_in_several_blocks_of_elements(read):
    part = read(SQUARE + "*ELEMENT, TYPE=S4, ELSET=E\n3, 1, 2, 3, 4\n*ELEMENT, TYPE=S3, ELSET=e\n1, 1, 2, 3\n").part
    assert {name: labels.tolist() for name, labels in part.element_sets.items()} == {"E": [1, 3]}


def test_properties_are_read_and_given_to_their_elements(read):
    part = read(
        SHELL + "*ELEMENT, TYPE=B31, ELSET=R\n2, 1, 2\n" + STEEL + "*DENSITY\n7.85E-9,\n"
        "** Section: Deck plate\n*Shell Section, elset=E, material=Steel, OFFSET=SNEG\n2., 5\n"
        "** Section: Rib  Profile: Profile-1\n*Beam Section, elset=R, material=STEEL, section=RECT\n10., 20.\n0., 0., -1.\n"
    ).part
    assert part.materials == {"STEEL": Material("STEEL", 210000.0, 0.3, 7.85e-9)}
    assert part.sections == {
        "Deck plate": ShellSection("Deck plate", "STEEL", 2.0, -0.5),
        "Rib": BeamSection("Rib", "STEEL", RECT, (10.0, 20.0)),
    }
    assert [part.assignments[place] for place in part.mesh.assigned] == part.assignments
    assert part.assignments[1].n1 == (0.0, 0.0, -1.0)


def test_one_name_for_two_different_sections_becomes_two_names(read):
    part = read(
        SHELL
        + "*ELEMENT, TYPE=S3, ELSET=F\n2, 1, 2, 3\n"
        + STEEL
        + "** Section: S\n*SHELL SECTION, ELSET=E, MATERIAL=STEEL\n2.\n** Section: S\n*SHELL SECTION, ELSET=F, MATERIAL=STEEL\n3.\n"
    ).part
    assert {name: section.thickness for name, section in part.sections.items()} == {"S": 2.0, "S-2": 3.0}


def test_supports_and_loads_are_read(read):
    part = read(
        SHELL + "*NSET, NSET=LEFT\n1, 4\n*BOUNDARY\nLEFT, 1, 3\nLEFT, 6\n2, 3\n3, 3, 3, 0.\n"
        "** Name: Mirror Type: Symmetry/Antisymmetry/Encastre\n*BOUNDARY\nleft, XSYMM\n"
        "*STEP\n*STATIC\n** Name: Pull   Type: Concentrated force\n*CLOAD\nLEFT, 1, 5.\nLEFT, 3, -1.\n2, 2, 4.\n3, 2, 4.\n"
        "*DLOAD\nE, P, 0.5\n*DLOAD\n, GRAV, 9810., 0., 0., -2.\n*END STEP\n"
    ).part
    held = part.supports
    assert held["Support"] == Support("Support", "LEFT", (1, 2, 3, 6))
    assert held["Mirror"] == Support("Mirror", "LEFT", (1, 5, 6), symmetry=True)
    assert part.node_sets[held["Support-2"].node_set].tolist() == [2, 3]
    assert part.loads["Pull"] == Force("Pull", "LEFT", (5.0, 0.0, -1.0), total=False)
    second = part.loads["Pull-2"]
    assert isinstance(second, Force)
    assert (part.node_sets[second.node_set].tolist(), second.components) == ([2, 3], (0.0, 4.0, 0.0))
    assert part.loads["Load"] == Pressure("Load", "E", -0.5)
    assert part.loads["Load-2"] == Gravity("Load-2", (0.0, 0.0, -9810.0))


def test_unknown_keywords_are_reported_and_kept_as_they_stand(read, tmp_path):
    found = read(
        "*PREPRINT, ECHO=NO\n"
        + SHELL
        + "*SURFACE, TYPE=ELEMENT, NAME=Top\n E,   SPOS\n** about the next\n*AMPLITUDE, NAME=A\n0., 0.\n\n1.,1.\n"
        "*SURFACE, NAME=Low\nE, SNEG\n*STEP, NLGEOM=YES\n*STATIC\n0.1, 1.\n*DSLOAD\nTop, P, 1.\n*NODE FILE\nU\n*END STEP\n*STEP\n*STATIC\n*END STEP\n"
    )
    told_keywords = {unknown.keyword: (unknown.line, unknown.count) for unknown in found.report.unknown}
    assert told_keywords["PREPRINT"] == (1, 1)
    assert told_keywords["SURFACE"] == (9, 2)
    assert told_keywords["AMPLITUDE"] == (12, 1)
    assert told_keywords["STEP"] == (18, 2)
    texts = {kept.keyword: (kept.place, kept.text) for kept in found.part.kept}
    assert texts["AMPLITUDE"] == ("model", "*AMPLITUDE, NAME=A\n0., 0.\n\n1.,1.")
    assert texts["DSLOAD"] == ("step", "*DSLOAD\nTop, P, 1.")
    assert texts["END STEP"][0] == "after"
    written = (tmp_path / "written.inp").read_text()
    assert "*SURFACE, TYPE=ELEMENT, NAME=Top\n E,   SPOS\n*AMPLITUDE" in written
    assert written.count("*STEP") == 2
    assert (
        written.index("*STEP, NLGEOM=YES")
        < written.index("*STATIC\n0.1, 1.")
        < written.index("*DSLOAD")
        < written.index("*END STEP")
    )


def test_elements_of_other_types_stay_text_and_hold_their_nodes_and_labels(read, tmp_path):
    cube = "".join(f"{label}, {label % 2}, {label // 2 % 2}, {label // 4}\n" for label in range(11, 21))
    found = read(
        SHELL + "*NODE\n" + cube + "*ELEMENT, TYPE=C3D8, ELSET=SOLID\n50, 11, 12, 13, 14, 15,\n16, 17, 18\n"
        "*ELSET, ELSET=MIXED\n50, 1\n*ELSET, ELSET=ALL\nMIXED\n" + STEEL + "*SOLID SECTION, ELSET=SOLID, MATERIAL=STEEL\n"
        "*SHELL SECTION, ELSET=E, MATERIAL=STEEL\n2.\n*SHELL SECTION, ELSET=MIXED, MATERIAL=STEEL\n3.\n"
    )
    part = found.part
    assert rows(part) == {1: [1, 2, 3, 4]}
    assert part.held_nodes.tolist() == list(range(11, 19))
    assert part.next_element == 51
    assert {name: labels.tolist() for name, labels in part.element_sets.items()} == {"E": [1], "MIXED": [1], "ALL": [1]}
    assert [kept.text for kept in part.kept if kept.keyword == "ELSET"] == ["*ELSET, ELSET=MIXED\n50", "*ELSET, ELSET=ALL\n50"]
    assert [kept.keyword for kept in part.kept] == ["ELEMENT", "ELSET", "ELSET", "SOLID SECTION", "SHELL SECTION"]
    assert part.mesh.assigned.tolist() == [0]


def test_nodes_that_kept_constraints_name_are_held(read):
    part = read(
        "*NODE\n" + "".join(f"{label}, {label}\n" for label in range(1, 10)) + "*NSET, NSET=S\n7, 8\n"
        "*EQUATION\n2\n3, 1, 1., 4, 1, -1.\n*RIGID BODY, NSET=S, REF NODE=9\n*BOUNDARY\n5, 1, 1, 0.5\n"
    ).part
    assert part.held_nodes.tolist() == [2, 3, 4, 5, 7, 8, 9]


def test_a_material_that_is_not_linear_stays_text_with_what_refers_to_it(read):
    found = read(
        SHELL + "*MATERIAL, NAME=RUBBER\n*HYPERELASTIC, N=1\n1., 0.\n*DENSITY\n1e-9\n" + STEEL + "*PLASTIC\n235., 0.\n"
        "*SHELL SECTION, ELSET=E, MATERIAL=rubber\n2.\n"
    )
    part = found.part
    assert list(part.materials) == ["STEEL"]
    assert part.mesh.assigned.tolist() == [-1]
    assert [(kept.place, kept.keyword, kept.owner) for kept in part.kept] == [
        ("material", "PLASTIC", "STEEL"),
        ("model", "MATERIAL", ""),
        ("model", "SHELL SECTION", ""),
    ]
    assert part.kept[1].text == "*MATERIAL, NAME=RUBBER\n*HYPERELASTIC, N=1\n1., 0.\n*DENSITY\n1e-9"


@pytest.mark.parametrize(
    "block",
    [
        "*SHELL SECTION, ELSET=E, MATERIAL=STEEL, COMPOSITE\n1., 3, STEEL\n",
        "*SHELL SECTION, ELSET=E, MATERIAL=STEEL\n2., 7\n",
        "*BEAM SECTION, ELSET=E, MATERIAL=STEEL, SECTION=I\n1., 2., 3., 4., 5., 6., 7.\n",
        "*BOUNDARY, OP=NEW\n1, 1\n",
        "*BOUNDARY\n1, 1, 1, 0.25\n",
        "*BOUNDARY\n1, 11, 11\n",
    ],
)
def test_a_known_keyword_in_a_form_that_is_not_held_stays_text(read, block):
    found = read(SHELL + STEEL + block)
    assert [kept.text + "\n" for kept in found.part.kept] == [block]
    assert found.part.supports == {}
    assert found.part.mesh.assigned.tolist() == [-1]


@pytest.mark.parametrize(
    "block",
    ["*CLOAD\n1, 5, 2.\n", "*CLOAD, AMPLITUDE=A\n1, 1, 2.\n", "*DLOAD\nE, HP, 1., 0., 1.\n", "*CLOAD\n1, 1, 2.\n1, 1, 3.\n"],
)
def test_a_load_in_a_form_that_is_not_held_stays_text(read, block):
    found = read(f"{SHELL}*STEP\n*STATIC\n{block}*END STEP\n")
    assert [kept.text + "\n" for kept in found.part.kept] == [block]
    assert found.part.loads == {}


ASSEMBLY = (
    "*Heading\nTwo sets of one name\n*Part, name=P\n*Node\n1, 0., 0.\n2, 1., 0.\n3, 1., 1.\n4, 0., 1.\n*Element, type=S4R\n1, 1, 2, 3, 4\n"
    "*Nset, nset=Set-1, generate\n1, 4, 1\n*Elset, elset=Set-1\n1\n** Section: Plate\n*Shell Section, elset=Set-1, material=STEEL\n2., 5\n*End Part\n"
    "*Assembly, name=A\n*Instance, name=P-1, part=P\n{placement}*End Instance\n*Nset, nset=Set-1, instance=P-1\n1, 4\n"
    "*Elset, elset=_Top_SPOS, internal, instance=P-1\n1\n*Surface, type=ELEMENT, name=Top\n_Top_SPOS, SPOS\n*End Assembly\n"
    "*Material, name=STEEL\n*Elastic\n210000., 0.3\n*Boundary\nSet-1, ENCASTRE\nP-1.3, 3\nP-1.Set-1, 2, 2\n"
    "*Step, name=S\n*Static\n*Output, field\n*Node Output, nset=P-1.Set-1\nU\n*End Step\n"
)


def test_an_assembly_of_one_part_is_flattened(read):
    found = read(ASSEMBLY.format(placement="10., 0., 0.\n0., 0., 0., 0., 0., 1., 90.\n"))
    part = found.part
    assert np.allclose(part.mesh.xyz, [[0, 10, 0], [0, 11, 0], [-1, 11, 0], [-1, 10, 0]])
    assert {name: labels.tolist() for name, labels in part.node_sets.items()} == {
        "Set-1": [1, 2, 3, 4],
        "Set-1-2": [1, 4],
        "_boundary-2": [3],
    }
    assert [(support.node_set, support.dofs) for support in part.supports.values()] == [
        ("Set-1-2", (1, 2, 3, 4, 5, 6)),
        ("Set-1", (2,)),
        ("_boundary-2", (3,)),
    ]
    assert part.sections["Plate"].thickness == 2.0
    assert part.mesh.assigned.tolist() == [0]
    assert {note.code for note in found.report.notes} == {"flattened", "set_renamed", "comments_dropped"}
    assert "*Node Output, nset=Set-1\nU" in [kept.text for kept in part.kept]


def test_more_than_one_part_is_refused(refused):
    assert refused("*PART, NAME=A\n*END PART\n*PART, NAME=B\n*END PART\n")[0] == "deck_many_parts"
    two = "*PART, NAME=A\n*END PART\n*ASSEMBLY, NAME=X\n*INSTANCE, NAME=A-1, PART=A\n*END INSTANCE\n*INSTANCE, NAME=A-2, PART=A\n"
    assert refused(two) == ("deck_many_parts", {"file": "deck.inp", "line": 6})
    assert refused("*ASSEMBLY, NAME=X\n*NODE\n1, 0., 0.\n")[0] == "deck_assembly_mesh"


def test_normals_of_nodes_are_not_held_and_that_is_told(read):
    found = read("*NODE\n1, 0., 0., 0., 0., 0., 1.\n")
    assert [(note.code, note.line, note.count) for note in found.report.notes] == [("node_normals", 1, 1)]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("*NODE\n1, 0., x\n", "deck_bad_number", 2),
        ("*NODE\n1, 0., nan\n", "deck_bad_number", 2),
        ("*NODE\n1, 0., 1e999\n", "deck_bad_number", 2),
        ("*NODE\n1, 0., 0x10\n", "deck_bad_number", 2),
        ("*NODE\n1, 0., 1_0\n", "deck_bad_number", 2),
        ("*NODE\n1.5, 0., 0.\n", "deck_bad_number", 2),
        ("*NODE\n1, 1 2, 0.\n", "deck_bad_number", 2),
        ("*NODE\n0, 0., 0.\n", "deck_bad_label", 2),
        ("*NODE\n-1, 0., 0.\n", "deck_bad_label", 2),
        ("*NODE\n2147483648, 0., 0.\n", "deck_bad_label", 2),
        ("*NODE\n** so\n1, 0.\n\n2, 1.\n1, 5.\n", "deck_label_twice", 6),
        (SHELL + "*ELEMENT, TYPE=S3\n2, 1, 2, 3\n1, 1, 2, 3\n", "deck_label_twice", 10),
        (SHELL + "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n", "deck_label_twice", 9),
        (SHELL + "2, 1, 2, 3, 9\n", "deck_unknown_node", 8),
        (SHELL + "2, 1, 2, 3\n", "deck_bad_count", 8),
        (SHELL + "2, 1, 2, 3, 4, 1\n", "deck_bad_count", 8),
        (SHELL + "99999999999999999999, 1, 2, 3, 4\n", "deck_bad_label", 8),
        (SQUARE + "*ELEMENT\n1, 1, 2, 3, 4\n", "deck_without", 6),
        (SHELL + "*ELSET, ELSET=A\nB\n", "deck_unknown_set", 9),
        (SHELL + "*NSET\n1\n", "deck_without", 8),
        (SHELL + "*NSET, NSET=\n1\n", "deck_bad_name", 8),
        (SHELL + "*NSET, NSET=A, GENERATE\n1\n", "deck_bad_count", 9),
        (SHELL + "*SHELL SECTION, ELSET=E, MATERIAL=X\n2.\n", "deck_unknown_material", 8),
        (SHELL + STEEL + "*SHELL SECTION, ELSET=X, MATERIAL=STEEL\n2.\n", "deck_unknown_set", 11),
        (SHELL + "*BOUNDARY\nX, 1\n", "deck_unknown_set", 9),
        (SHELL + "*BOUNDARY\n9, 1\n", "deck_unknown_node", 9),
        (STEEL + STEEL, "deck_name_twice", 4),
        ("*MATERIAL\n*ELASTIC\n1., 0.\n", "deck_bad_name", 1),
        ("1, 2, 3\n", "deck_without_keyword", 1),
        ("*NODE, SYSTEM=C\n1, 0., 0.\n", "deck_coordinate_system", 1),
        ("*NGEN\n1, 5\n", "deck_makes_mesh", 1),
        (STEEL + "*HEADING\n*PLASTIC\n", "deck_option_alone", 5),
        ("*STEP\n*STEP\n", "deck_step_open", 2),
        ('** steadyhand: {"deck": 2}\n', "deck_too_new", 1),
        ('** steadyhand: {"deck": 1\n', "deck_bad_comment", 1),
        ("** steadyhand: " + "[" * 20000 + "\n", "deck_bad_comment", 1),
        ('** steadyhand: {"force": "F", "set": "X", "components": [1, 2, 3], "total": true}\n', "deck_bad_comment", 1),
        ("*NODE\n" + "1" * 70000 + "\n", "deck_line_too_long", 2),
    ],
)
def test_what_is_wrong_is_refused_with_its_line(refused, text, code, line):
    found, params = refused(text)
    assert (found, params["line"], params["file"]) == (code, line, "deck.inp")


def test_a_node_that_is_told_twice_at_one_place_is_one_node(read):
    assert read("*NODE\n1, 0.5\n2, 1.\n*NODE\n1, 0.5, 0.\n").part.mesh.node_labels.tolist() == [1, 2]


def test_a_beam_that_names_a_third_node_stays_text(read):
    part = read(SQUARE + "*ELEMENT, TYPE=B31\n1, 1, 2, 3\n").part
    assert (part.mesh.element_count, part.held_nodes.tolist(), part.next_element) == (0, [1, 2, 3], 2)


def test_limits_are_refused(tmp_path):
    deck = tmp_path / "deck.inp"
    deck.write_text(SHELL + "*FOO\n*NSET, NSET=A\n1, 2\n*NSET, NSET=B\nA, A\n")
    for limits, code in [
        (Limits(file_bytes=20), "deck_too_large"),
        (Limits(lines=5), "deck_too_many_lines"),
        (Limits(keywords=3), "deck_too_many_keywords"),
        (Limits(members=4), "deck_too_many_members"),
    ]:
        with pytest.raises(EngineRefusal) as caught:
            read_deck(deck, limits=limits)
        assert caught.value.code == code
    assert read_deck(deck).part.node_sets["B"].tolist() == [1, 2]


def test_what_is_no_deck_file_is_refused(tmp_path):
    (tmp_path / "wide.inp").write_bytes(b"*NODE\n1, 0., 0.\n\0\1\2")
    (tmp_path / "other.inp").write_bytes("*NSET, NSET=\u5074\u677f\u306e\u7aef\n".encode("shift_jis"))
    cases = [
        ("absent.inp", "deck_file_missing"),
        (".", "deck_file_unreadable"),
        ("wide.inp", "deck_not_text"),
        ("other.inp", "deck_encoding"),
    ]
    for name, code in cases:
        with pytest.raises(EngineRefusal) as caught:
            read_deck(tmp_path / name)
        assert caught.value.code == code


@pytest.mark.parametrize(
    "words", ["한국어 모델입니다 판재", "강재", "선박 구조 해석 모델 갑판", "하중 조건: 압력 10", "보의 단면 두께"]
)
def test_korean_is_refused_by_name_and_never_read_as_chinese(tmp_path, words):
    (tmp_path / "korean.inp").write_bytes(f"*HEADING\n{words}\n*NODE\n1, 0., 0.\n".encode("euc-kr"))
    with pytest.raises(EngineRefusal) as caught:
        read_deck(tmp_path / "korean.inp")
    assert caught.value.code == "deck_encoding"


@pytest.mark.parametrize("words", ["甲板", "钢", "底板单元集合", "判断部件甲板", "节点集合：左端固定", "载荷工况一"])
def test_chinese_whose_bytes_are_korean_letters_too_is_read_as_chinese(tmp_path, words):
    (tmp_path / "chinese.inp").write_bytes(f"** {words}\n*NODE\n1, 0., 0.\n".encode("gb18030"))
    assert "encoding_gb18030" in [note.code for note in read_deck(tmp_path / "chinese.inp").report.notes]


def test_what_only_steers_output_or_names_a_step_is_told_apart(read):
    step = (
        "*STEP, NAME=Pull\n*STATIC\n*NODE FILE\nU\n*EL PRINT, ELSET=E\nS\n*OUTPUT, FIELD\n*AMPLITUDE, NAME=A\n0., 0.\n*END STEP\n"
    )
    found = read(SHELL + step)
    told_apart = {one.keyword: one.idle for one in found.report.unknown}
    assert told_apart == {"STEP": True, "NODE FILE": True, "EL PRINT": True, "OUTPUT": True, "AMPLITUDE": False}
    assert not read(SHELL + "*STEP, NLGEOM\n*STATIC\n*END STEP\n").report.unknown[0].idle


def test_comments_of_others_are_told_as_gone_unless_they_stand_in_kept_text(read):
    kept = "*AMPLITUDE, NAME=A\n** stays\n0., 0.\n"
    assert [note.code for note in read(SHELL + kept).report.notes] == []
    found = read(SHELL + kept + "** goes\n" + STEEL)
    assert [(note.code, note.line) for note in found.report.notes] == [("comments_dropped", SHELL.count("\n") + 4)]
    assert "** stays" in found.part.kept[0].text


NAMED = "*NSET, NSET=左边\n1, 4\n*ELSET, ELSET=甲板\n1\n"


@pytest.mark.parametrize(
    ("encoding", "code"),
    [
        ("gb18030", "encoding_gb18030"),
        ("gbk", "encoding_gb18030"),
        ("utf-16", "encoding_utf16"),
        ("utf-16-le", "encoding_utf16"),
        ("utf-16-be", "encoding_utf16"),
        ("utf-32", "encoding_utf16"),
        ("utf-8-sig", None),
        ("utf-8", None),
    ],
)
def test_encodings_are_told_apart_and_told(read, encoding, code):
    found = read((SHELL + NAMED).encode(encoding))
    assert {name: labels.tolist() for name, labels in found.part.node_sets.items()} == {"左边": [1, 4]}
    assert list(found.part.element_sets) == ["E", "甲板"]
    assert [note.code for note in found.report.notes] == ([code] if code else [])


def test_western_letters_are_not_taken_for_chinese_ones(read):
    for name in ("Träger", "Größe", "Tôle d'épaisseur 5°", "Längsspant über ±3"):
        found = read((SHELL + f"*ELSET, ELSET={name}\n1\n").encode("cp1252"))
        assert list(found.part.element_sets) == ["E", name]
        assert [note.code for note in found.report.notes] == ["encoding_cp1252"]


def test_what_stays_text_or_does_not_exist_does_not_keep_a_deck_from_being_read(read):
    network = read(SHELL + "*ELEMENT, TYPE=D, ELSET=INLET\n7, 0, 1, 2\n")
    assert (network.part.held_nodes.tolist(), rows(network.part)) == ([1, 2], {1: [1, 2, 3, 4]})
    absent = read(SHELL + "*NSET, NSET=A\n1,\n7, 2\n*ELSET, ELSET=B\n2, 1\n*ELEMENT, TYPE=C3D4\n5, 1, 2, 3, 99\n")
    assert absent.part.node_sets["A"].tolist() == [1, 2]
    assert absent.part.element_sets["B"].tolist() == [1]
    assert absent.part.held_nodes.tolist() == [1, 2, 3]
    assert [(note.code, note.count) for note in absent.report.notes] == [("labels_absent", 3)]
    stray = read("\n> written by another program\n" + SHELL)
    assert [(note.code, note.line) for note in stray.report.notes] == [("prelude", 2)]


FULL_ROWS = {
    "C3D4": 4, "C3D6": 6, "C3D8": 8, "C3D8R": 8, "C3D8I": 8, "C3D10": 10, "C3D10M": 10, "C3D15": 15, "C3D20": 20, "C3D20R": 20,
    "C3D27": 27, "CPS3": 3, "CPS4R": 4, "CPS6": 6, "CPE8": 8, "CAX4": 4, "CAX8R": 8, "S4": 4, "S6": 6, "STRI65": 6, "S8": 8, "S8R": 8,
    "S8R5": 8, "S9R5": 9, "SC6R": 6, "SC8R": 8, "M3D3": 3, "M3D4R": 4, "M3D8": 8, "B31": 2, "B32": 3, "B32R": 3, "B33": 2, "B22": 3,
    "PIPE31": 2, "T3D2": 2, "T3D3": 3, "R3D4": 4, "DC3D8": 8, "F3D8": 8, "COH3D8": 8, "SPRINGA": 2, "DASHPOTA": 2, "GAPUNI": 2, "MASS": 1,
}  # fmt: skip


@pytest.mark.parametrize(("kind", "size"), FULL_ROWS.items())
@pytest.mark.parametrize("comma", ["", ",", " , "])
def test_a_row_that_is_full_ends_whatever_comma_follows(read, kind, size, comma):
    nodes = list(range(1, size + 1))
    text = "*NODE\n" + "".join(f"{node}, {node}.\n" for node in nodes) + f"*ELEMENT, TYPE={kind}, ELSET=E\n"
    for label in (3, 4, 9):
        row = [label, *nodes]
        text += ",\n".join(", ".join(map(str, row[at : at + 16])) for at in range(0, len(row), 16)) + f"{comma}\n"
    part = read(text + "*NSET, NSET=N, ELSET=E\n*ELSET, ELSET=ALL, GENERATE\n3, 9\n").part
    assert part.next_element == 10
    assert part.node_sets["N"].tolist() == nodes
    written = [kept.text for kept in part.kept if kept.keyword == "ELSET"]
    assert (part.mesh.element_labels.tolist() == [3, 4, 9]) != any("3, 4, 9" in one for one in written)


def test_a_row_of_many_nodes_needs_no_comma_to_go_on(read):
    text = "*NODE\n" + "".join(f"{node}, {node}.\n" for node in range(1, 21)) + "*ELEMENT, TYPE=C3D20\n"
    row = list(range(1, 21))
    for label in (1, 2):
        text += ", ".join(map(str, [label, *row[:10]])) + "\n" + ", ".join(map(str, row[10:])) + "\n"
    assert read(text).part.next_element == 3


def test_text_keeps_its_place_against_what_it_matters_to(read, tmp_path):
    material = "*MATERIAL, NAME=M\n*USER MATERIAL, CONSTANTS=1\n7.\n*ELASTIC\n1., 0.3\n*EXPANSION\n1e-5\n"
    behind = "*BOUNDARY\n1, 1\n*EQUATION\n2\n3, 1, 1., 4, 1, -1.\n*BOUNDARY\n2, 1\n"
    found = read(SHELL + material + behind + "*STEP\n*STATIC\n*CLOAD, AMPLITUDE=A\n3, 1, 1.\n*CLOAD\n4, 1, 1.\n*END STEP\n")
    assert [(kept.place, kept.keyword) for kept in found.part.kept] == [
        *(("material_first", "USER MATERIAL"), ("material", "EXPANSION")),
        *(("model_last", "EQUATION"), ("model_last", "BOUNDARY"), ("step", "CLOAD"), ("step", "CLOAD")),
    ]
    text = (tmp_path / "written.inp").read_text()
    places = [
        text.index(word) for word in ("*USER MATERIAL", "*ELASTIC", "*EXPANSION", "*BOUNDARY", "*EQUATION", "\n2, 1\n", "*STEP")
    ]
    assert places == sorted(places)


def test_a_deck_of_ours_from_before_keeps_its_supports_and_its_force_in_total(read):
    text = SHELL + "*NSET, NSET=F\n1, 4\n*NSET, NSET=R\n2, 3, 4\n"
    supports = '** steadyhand: {"support": "S", "set": "F", "dofs": [1, 2, 3], "symmetry": false}\n*BOUNDARY\nF, 1, 3\n'
    force = '** steadyhand: {"force": "P", "set": "R", "components": [10.0, 0.0, 0.0], "total": true}\n*CLOAD\nR, 1, 3.3333333333333335\n'
    head = '** steadyhand: {"deck": 1, "units": "N-mm-MPa-t", "own_sets": "_deck-", "next_node": 9, "next_element": 9}\n'
    part = read(f"{head}{text}{supports}*STEP\n*STATIC\n{force}*Boundary, op=New\n*Cload, op=New\n*END STEP\n").part
    assert part.supports == {"S": Support("S", "F", (1, 2, 3))}
    assert part.loads == {"P": Force("P", "R", (10.0, 0.0, 0.0), total=True)}
    assert part.kept == []
