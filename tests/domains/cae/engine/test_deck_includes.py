"""Includes are read from inside the folder alone, put in place, and written flattened."""

import os

import pytest

from steadyhand.domains.cae.engine.deck.reading import read_deck
from steadyhand.domains.cae.engine.deck.report import Limits
from steadyhand.domains.cae.engine.deck.writing import write_deck
from steadyhand.domains.cae.engine.errors import EngineRefusal

NODES = "1, 0., 0.\n2, 1., 0.\n3, 1., 1.\n4, 0., 1."


@pytest.fixture
def folder(tmp_path):
    inside = tmp_path / "inside"
    (inside / "sub").mkdir(parents=True)
    (tmp_path / "outside.inc").write_text("*NODE\n1, 0., 0.\n")
    (inside / "nodes.inc").write_text(NODES)
    return inside


def refused(folder, text, **limits):
    (folder / "deck.inp").write_text(text)
    with pytest.raises(EngineRefusal) as caught:
        read_deck(folder / "deck.inp", inside=folder, limits=Limits(**limits))
    return caught.value


def test_an_include_stands_in_place_even_among_the_rows_of_a_keyword(folder):
    (folder / "sub" / "mesh.inc").write_text("*ELEMENT, TYPE=S4, ELSET=E\n1, 1, 2, 3, 4\n")
    (folder / "deck.inp").write_text(
        "*NODE, NSET=N\n*INCLUDE, INPUT=nodes.inc\n9, 9., 9.\n*include,\nINPUT=sub\\mesh.inc\n*FOO\n"
    )
    found = read_deck(folder / "deck.inp", inside=folder)
    assert found.part.node_sets["N"].tolist() == [1, 2, 3, 4, 9]
    assert found.part.element_sets["E"].tolist() == [1]
    assert found.report.files == ("deck.inp", "nodes.inc", "sub/mesh.inc")
    assert [(unknown.keyword, unknown.file, unknown.line) for unknown in found.report.unknown] == [("FOO", "deck.inp", 6)]
    write_deck(found.part, folder / "flat.inp")
    assert "INCLUDE" not in (folder / "flat.inp").read_text().upper()
    assert read_deck(folder / "flat.inp").part.mesh.node_labels.tolist() == [1, 2, 3, 4, 9]


def test_a_keyword_may_name_the_file_of_its_rows(folder):
    (folder / "deck.inp").write_text("*NODE, INPUT=nodes.inc\n*NSET, NSET=A\n4\n")
    assert read_deck(folder / "deck.inp").part.mesh.node_count == 4


def test_a_fault_in_an_included_file_is_told_with_that_file(folder):
    (folder / "bad.inc").write_text("1, 0.\n2, zero\n")
    refusal = refused(folder, "*NODE\n*INCLUDE, INPUT=bad.inc\n")
    assert (refusal.code, refusal.params["file"], refusal.params["line"]) == ("deck_bad_number", "bad.inc", 2)


@pytest.mark.parametrize(
    "name", ["../outside.inc", "sub/../../outside.inc", "/etc/passwd", "C:\\deck.inc", "link.inc", "linked/outside.inc", ""]
)
def test_nothing_outside_of_the_folder_is_read(folder, name):
    (folder / "link.inc").symlink_to(folder.parent / "outside.inc")
    (folder / "linked").symlink_to(folder.parent)
    refusal = refused(folder, f"*HEADING\nx\n*INCLUDE, INPUT={name}\n")
    assert (refusal.code, refusal.params["line"]) == ("deck_include_outside", 3)


def test_a_link_that_stays_inside_is_followed(folder):
    (folder / "sub" / "link.inc").symlink_to(folder / "nodes.inc")
    (folder / "deck.inp").write_text("*NODE\n*INCLUDE, INPUT=sub/link.inc\n")
    assert read_deck(folder / "deck.inp", inside=folder).part.mesh.node_count == 4


def test_a_pipe_or_a_folder_in_the_place_of_a_file_is_refused(folder):
    os.mkfifo(folder / "pipe.inc")
    for name in ("pipe.inc", "sub"):
        assert refused(folder, f"*INCLUDE, INPUT={name}\n").code == "deck_file_unreadable"
    assert refused(folder, "*INCLUDE, INPUT=absent.inc\n").code == "deck_file_missing"


def test_files_that_include_each_other_are_refused(folder):
    (folder / "a.inc").write_text("*INCLUDE, INPUT=b.inc\n")
    (folder / "b.inc").write_text("*INCLUDE, INPUT=a.inc\n")
    assert refused(folder, "*INCLUDE, INPUT=a.inc\n").code == "deck_include_cycle"
    assert refused(folder, "*INCLUDE, INPUT=deck.inp\n").code == "deck_include_cycle"


def test_depth_number_and_size_of_includes_are_bounded(folder):
    for level in range(12):
        (folder / f"{level}.inc").write_text(f"*INCLUDE, INPUT={level + 1}.inc\n" * 2)
    (folder / "12.inc").write_text("** nothing\n" * 100)
    assert refused(folder, "*INCLUDE, INPUT=0.inc\n").code == "deck_include_limit"
    assert refused(folder, "*INCLUDE, INPUT=5.inc\n", includes=100).code == "deck_include_limit"
    assert refused(folder, "*INCLUDE, INPUT=8.inc\n", file_bytes=5000).code == "deck_too_large"
