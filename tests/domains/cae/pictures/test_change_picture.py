"""The picture of a change: each element is marked as what becomes of it, in the panel where it is, also when something hides it."""

from copy import deepcopy

import numpy as np

from domains.cae.pictures.drawn import (
    SVG,
    count_after,
    girder,
    group,
    loaded,
    looks_of,
    plate,
    root_of,
    texts_of,
    without,
)
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import Assignment, Force, Material, ShellSection
from steadyhand.domains.cae.pictures.changes import State, compare
from steadyhand.domains.cae.pictures.paper import Fill
from steadyhand.domains.cae.pictures.svg import STATE_LOOKS, before_after_svg
from steadyhand.domains.cae.pictures.words import words_in

EN = words_in("en")


def marked(svg: str, panel: str) -> dict[int, State]:
    """The state that each element shows in a panel."""
    strokes = {look.edge: state for state, look in STATE_LOOKS.items()}
    return {label: strokes[look["stroke"]] for label, look in looks_of(group(root_of(svg), data_panel=panel)).items()}


def test_what_goes_is_marked_before_and_what_comes_after():
    whole = plate(3, 1)
    svg = before_after_svg(without(whole, [1]), without(whole, [3]), EN, title="change")
    assert marked(svg, "before") == {2: State.SAME, 3: State.DELETED}
    assert marked(svg, "after") == {1: State.ADDED, 2: State.SAME}
    texts = texts_of(root_of(svg))
    for text in (EN.added, EN.deleted, EN.same):
        assert count_after(texts, f"{EN.elements}: {text}") == "1"


def test_states_differ_by_colour_and_by_hatch():
    fills = [look.fill for state, look in STATE_LOOKS.items() if state not in {State.SAME, State.JOINED}]
    assert len({fill.colour for fill in fills}) == len({fill.hatch for fill in fills}) == 4
    assert all(isinstance(fill, Fill) and fill.hatch for fill in fills)
    assert len({look.dashes for look in STATE_LOOKS.values()}) >= 4


def test_a_moved_node_marks_its_elements_and_its_way():
    before = plate(3, 1)
    after = deepcopy(before)
    after.mesh.xyz = after.mesh.xyz + np.where(after.mesh.node_labels == 1, 4.0, 0.0)[:, None]
    svg = before_after_svg(before, after, EN, title="move")
    assert marked(svg, "after") == {1: State.MOVED, 2: State.SAME, 3: State.SAME}
    assert set(marked(svg, "before").values()) == {State.SAME}
    tree = root_of(svg)
    assert len(group(tree, data_part="node-moved").findall(f"{SVG}circle")) == 1
    assert any(node.get("data-part") == "node-ways" for node in tree.iter(f"{SVG}path"))
    assert count_after(texts_of(tree), EN.nodes_moved) == "1"


def test_another_section_or_material_is_a_change_of_the_element():
    before = plate(2, 1)
    before.materials = {"S": Material("S", 210000.0, 0.3)}
    before.sections = {"P": ShellSection("P", "S", 5.0)}
    after = deepcopy(before)
    after.mesh.assigned = np.array([after.assignment(Assignment("P")), -1], np.int32)
    assert marked(before_after_svg(before, after, EN, title="given"), "after") == {1: State.CHANGED, 2: State.SAME}
    stiffer = deepcopy(after)
    stiffer.materials["S"] = Material("S", 70000.0, 0.3)
    assert compare(after, stiffer).after.tolist() == [State.CHANGED, State.SAME]
    assert compare(after, deepcopy(after)).after.tolist() == [State.SAME, State.SAME]


def test_a_merged_node_joins_elements_and_is_crossed_out_where_it_was():
    before = plate(2, 1)
    mesh = before.mesh
    mesh.xyz = np.vstack([mesh.xyz, mesh.xyz[[1, 4]]])
    mesh.node_labels = np.arange(1, 9)
    mesh.conn = np.array([[0, 1, 4, 3], [6, 2, 5, 7]], np.int32)
    before.next_node = 9
    after = plate(2, 1)
    after.next_node = 9
    svg = before_after_svg(before, after, EN, title="merge")
    assert marked(svg, "after") == {1: State.SAME, 2: State.JOINED}
    tree = root_of(svg)
    assert len(group(tree, data_part="node-deleted").findall(f"{SVG}line")) == 4
    assert count_after(texts_of(tree), EN.nodes_deleted) == "2"


def test_a_changed_element_shines_through_what_hides_it():
    after = plate(3, 1)
    tree = group(root_of(before_after_svg(without(after, [2]), after, EN, title="hidden")), data_panel="after")
    again = group(tree, data_part="shining-through")
    assert float(again.get("opacity")) < 1
    assert len(list(again.iter(f"{SVG}path"))) == 1


def test_a_load_that_changes_is_told_as_gone_and_come_and_one_that_stays_is_grey():
    before, after = loaded(plate(2, 1)), loaded(plate(2, 1))
    after.loads["A-pull"] = Force("A-pull", "_PULLED", (-30.0, 0.0, 0.0))
    tree = root_of(before_after_svg(before, after, EN, title="load"))
    told = " ".join(texts_of(tree))
    assert f"{EN.deleted}: force A-pull" in told
    assert f"{EN.added}: force A-pull" in told
    assert "A-press" not in told
    assert EN.nothing in texts_of(tree)
    for panel, state in (("before", State.DELETED), ("after", State.ADDED)):
        here = group(tree, data_panel=panel)
        assert {node.get("fill") for node in group(here, data_load="A-pull").iter(f"{SVG}polygon")} == {STATE_LOOKS[state].line}
        colours = {node.get("fill") for node in group(here, data_support="A-fix").iter(f"{SVG}polygon")}
        assert colours.isdisjoint({look.line for look in STATE_LOOKS.values()})


def test_from_nothing_and_to_nothing():
    for before, after in ((Part(), plate()), (plate(), Part()), (Part(), Part())):
        svg = before_after_svg(before, after, EN, title="all")
        assert "nan" not in svg
        assert EN.empty in texts_of(root_of(svg))


def test_a_large_change_stays_small_and_marks_what_changes():
    whole = girder(77)
    svg = before_after_svg(whole, without(whole, range(1, 1001)), EN, title="cut")
    assert len(svg) < 2_000_000
    assert set(marked(svg, "before").values()) == {State.DELETED}
    assert sorted(marked(svg, "before")) == list(range(1, 1001))
    assert svg == before_after_svg(whole, without(whole, range(1, 1001)), EN, title="cut")
