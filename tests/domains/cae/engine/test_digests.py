"""A region's digest is of what the region holds: not of the order in memory, and not of what lies elsewhere."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.domains.cae.engine import assigning, loading, naming
from steadyhand.domains.cae.engine.building import grid
from steadyhand.domains.cae.engine.digests import NAMES, regions
from steadyhand.domains.cae.engine.part import Kept, Part
from steadyhand.domains.cae.engine.properties import Assignment, Material, ShellSection
from steadyhand.domains.cae.shelf.records import EMPTY_REGIONS


def plate() -> Part:
    part = Part()
    made = grid(part, (0, 0, 0), (40, 0, 0), (0, 30, 0), (4, 3))
    elements, nodes = made.elements.ravel(), made.nodes.ravel()
    assigning.put_material(part, Material("steel", 210_000.0, 0.3))
    for name in ("thin", "thick"):
        assigning.put_section(part, ShellSection(name, "steel", 2.0 if name == "thin" else 9.0))
    assigning.assign(part, elements[:6], "thin")
    assigning.assign(part, elements[6:], "thick")
    naming.put_element_set(part, "left", elements[:3])
    naming.put_node_set(part, "edge", nodes[:2])
    loading.put_fix(part, "foot", nodes[:4])
    loading.put_gravity(part, "weight", (0, 0, -9810))
    return part


def differing(one: Part, other: Part) -> list[str]:
    before, after = regions(one), regions(other)
    return [name for name in NAMES if before[name] != after[name]]


def test_the_digests_of_nothing_are_the_ones_that_are_written_down():
    assert regions(Part()) == EMPTY_REGIONS


def other_coordinates(part):
    part.mesh.xyz = part.mesh.xyz + 1.0


def other_labels(part):
    part.mesh.node_labels = part.mesh.node_labels + 1
    part.next_node += 1


def other_next(part):
    part.next_element += 1


def other_type(part):
    part.mesh.types = part.mesh.types + 0
    part.type_names.append("S4R")
    part.mesh.types[0] = len(part.type_names) - 1


def other_text(part):
    part.kept.append(Kept("model", "*ORIENTATION", "*ORIENTATION\n"))


def other_set(part):
    naming.put_element_set(part, "left", [1])


def other_kind_of_set(part):
    part.node_sets["left"], part.element_sets = part.element_sets["left"], {}


def other_thickness(part):
    assigning.put_section(part, ShellSection("thin", "steel", 3.0))


def other_assignment(part):
    assigning.assign(part, [1], "thick")


def other_force(part):
    loading.put_gravity(part, "weight", (0, 0, -1))


def other_nodes(part):
    loading.put_fix(part, "foot", [1])


@pytest.mark.parametrize(
    ("change", "region"),
    [
        (other_coordinates, "geometry"),
        (other_labels, "geometry"),
        (other_next, "geometry"),
        (other_type, "geometry"),
        (other_text, "geometry"),
        (other_set, "sets"),
        (other_kind_of_set, "sets"),
        (other_thickness, "properties"),
        (other_assignment, "properties"),
        (other_force, "cases"),
        (other_nodes, "cases"),
    ],
)
def test_a_change_shows_in_its_region_alone(change, region):
    part = plate()
    change(part)
    assert differing(plate(), part) == [region]


def test_what_only_lies_otherwise_in_memory_does_not_show():
    part = plate()
    part.sections = dict(reversed(part.sections.items()))
    part.element_sets = dict(reversed(part.element_sets.items()))
    part.assignments = [Assignment("thick"), Assignment("thin"), Assignment("thin", (1.0, 0.0, 0.0))]
    part.mesh.assigned = (1 - part.mesh.assigned).astype(np.int32)
    part.type_names = [*part.type_names, "S8"]
    part.mesh = replace(part.mesh, xyz=np.asfortranarray(part.mesh.xyz * -1.0 * -1.0), conn=part.mesh.conn.copy(order="F"))
    assert differing(plate(), part) == []


def test_a_new_element_without_a_section_leaves_the_properties_alone():
    part = plate()
    grid(part, (0, 0, 50), (40, 0, 0), (0, 30, 0), (1, 1))
    assert differing(plate(), part) == ["geometry"]


@given(st.lists(st.sampled_from(["a", "b", "ab", "b1", "_a"]), unique=True, max_size=4), st.data())
def test_sets_are_told_apart_whatever_their_names_and_members(names, data):
    part = plate()
    part.element_sets = {name: np.array(sorted(data.draw(st.sets(st.integers(1, 12), max_size=4))), np.int64) for name in names}
    other = plate()
    other.element_sets = {name: np.array(sorted(data.draw(st.sets(st.integers(1, 12), max_size=4))), np.int64) for name in names}
    same = all(np.array_equal(part.element_sets[name], other.element_sets[name]) for name in names)
    assert (differing(part, other) == []) == same
