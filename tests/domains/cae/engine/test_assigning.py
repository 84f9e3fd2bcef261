"""Materials, sections, loads and supports come to a part when they fit it; what does not leaves the part as it was."""

import copy

import pytest

from steadyhand.domains.cae.engine import assigning, loading
from steadyhand.domains.cae.engine.building import add_elements, add_nodes, grid
from steadyhand.domains.cae.engine.digests import regions
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import Assignment, BeamSection, Material, ShellSection
from steadyhand.domains.cae.engine.shapes import BEAM, BOX, CIRC, PIPE, RECT, X

STEEL = Material("steel", 210_000.0, 0.3)
SHELL = ShellSection("t2", "steel", 2.0)
BAR = BeamSection("bar", "steel", RECT, (10.0, 40.0))


@pytest.fixture
def part():
    """Four QUADs, labels 1 to 4, and a BEAM along x, label 5."""
    made = Part()
    grid(made, (0, 0, 0), (20, 0, 0), (0, 20, 0), (2, 2))
    add_elements(made, BEAM, [add_nodes(made, [[0, 0, 9], [10, 0, 9]])])
    assigning.put_material(made, STEEL)
    assigning.put_section(made, SHELL)
    assigning.put_section(made, BAR)
    return made


def refused(part, act, *given, **named):
    before = regions(part), copy.deepcopy(part.assignments)
    with pytest.raises(EngineRefusal) as raised:
        act(part, *given, **named)
    assert (regions(part), part.assignments) == before
    assert part.faults() == []
    return raised.value


def test_what_an_element_had_before_is_replaced(part):
    assigning.assign(part, [1, 2, 3, 4], "t2")
    assigning.put_section(part, ShellSection("t9", "steel", 9.0))
    assigning.assign(part, [2, 3], "t9")
    assigning.assign(part, [5], "bar", (0, 0, 1))
    names = [part.assignments[place] for place in part.mesh.assigned]
    t2, t9 = Assignment("t2"), Assignment("t9")
    assert names == [t2, t9, t9, t2, Assignment("bar", (0.0, 0.0, 1.0))]
    assert part.faults() == []


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (([1], "none"), "section_missing"),
        (([9], "t2"), "unknown_element"),
        (([1, 5], "t2"), "section_does_not_fit"),
        (([1], "bar", (0, 0, 1)), "section_does_not_fit"),
        (([5], "bar"), "n1_missing"),
        (([5], "bar", (0, 0, 0)), "n1_zero"),
        (([5], "bar", (-3, 0, 0)), "n1_parallel"),
    ],
)
def test_what_does_not_fit_is_refused(part, given, code):
    assert refused(part, assigning.assign, *given).code == code


@pytest.mark.parametrize(
    ("profile", "dimensions", "well"),
    [
        (RECT, (10.0, 40.0), True),
        (RECT, (10.0,), False),
        (CIRC, (5.0,), True),
        (PIPE, (5.0, 1.0), True),
        (PIPE, (5.0, 5.0), False),
        (BOX, (40.0, 20.0, 2.0, 3.0, 2.0, 3.0), True),
        (BOX, (4.0, 20.0, 2.0, 3.0, 2.0, 3.0), False),
        (BOX, (40.0, 6.0, 2.0, 3.0, 2.0, 3.0), False),
        (CIRC, (0.0,), False),
        (CIRC, (float("nan"),), False),
    ],
)
def test_a_profile_must_close(part, profile, dimensions, well):
    section = BeamSection("one", "steel", profile, dimensions)
    if well:
        assigning.put_section(part, section)
    else:
        assert refused(part, assigning.put_section, section).code == "bad_section"


@pytest.mark.parametrize(
    ("act", "given", "code"),
    [
        (assigning.put_section, ShellSection("new", "tin", 1.0), "material_missing"),
        (assigning.put_section, ShellSection("new", "steel", 0.0), "bad_section"),
        (assigning.put_section, ShellSection("T2", "steel", 1.0), "name_differs_in_case"),
        (assigning.put_section, ShellSection("2", "steel", 1.0), "bad_name"),
        (assigning.put_material, Material("STEEL", 1.0, 0.3), "name_differs_in_case"),
        (assigning.put_material, Material("tin", 0.0, 0.3), "bad_material"),
        (assigning.put_material, Material("tin", 1.0, 0.5), "bad_material"),
        (assigning.put_material, Material("tin", float("inf"), 0.3), "bad_material"),
    ],
)
def test_what_no_part_can_hold_is_refused(part, act, given, code):
    assert refused(part, act, given).code == code


def test_a_section_in_use_cannot_become_one_that_does_not_fit(part):
    assigning.assign(part, [1], "t2")
    assert refused(part, assigning.put_section, BeamSection("t2", "steel", CIRC, (5.0,))).code == "section_does_not_fit"
    assigning.put_section(part, ShellSection("t2", "steel", 4.0))


def test_loads_and_supports_keep_sets_of_their_own_and_take_them_along(part):
    loading.put_force(part, "pull", [1, 2], (0, 0, -10))
    loading.put_pressure(part, "push", [1, 2], 0.5)
    loading.put_symmetry(part, "middle", [1], X)
    assert (sorted(part.node_sets), sorted(part.element_sets)) == (["_load_pull", "_support_middle"], ["_load_push"])
    loading.put_pressure(part, "pull", [3], 1.0)
    assert (sorted(part.node_sets), sorted(part.element_sets)) == (["_support_middle"], ["_load_pull", "_load_push"])
    loading.remove_load(part, "pull")
    loading.remove_load(part, "push")
    loading.remove_support(part, "middle")
    assert (part.node_sets, part.element_sets, part.loads, part.supports) == ({}, {}, {}, {})


@pytest.mark.parametrize(
    ("act", "given", "code"),
    [
        (loading.put_force, ("pull", [], (0, 0, 1)), "region_empty"),
        (loading.put_force, ("pull", [99], (0, 0, 1)), "unknown_node"),
        (loading.put_force, ("pull", [1], (0, 0, float("nan"))), "bad_coordinates"),
        (loading.put_pressure, ("push", [1, 5], 1.0), "pressure_on_beam"),
        (loading.put_pressure, ("push", [1], float("inf")), "bad_load"),
        (loading.put_pressure, ("1", [1], 1.0), "bad_name"),
        (loading.put_fix, ("foot", [1], ()), "bad_support"),
        (loading.put_fix, ("foot", [1], (0, 7)), "bad_support"),
        (loading.remove_load, ("none",), "unknown_load"),
        (loading.remove_support, ("none",), "unknown_support"),
    ],
)
def test_what_no_case_can_be_is_refused(part, act, given, code):
    assert refused(part, act, *given).code == code
