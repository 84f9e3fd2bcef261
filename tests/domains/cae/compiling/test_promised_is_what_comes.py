"""Whatever is compiled, what the engine makes of it lies within what the program promised; and a program of the same operations is the same."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.cae.compiling.desk import DEFINED, Desk, element, furnished, mixed, node, plate
from steadyhand.core.canonical import canonical
from steadyhand.domains.cae.compiling.accepting import operations
from steadyhand.domains.cae.compiling.composing import compile_program
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.gate.contract import Given, Program, Refusal

coordinate = st.sampled_from([0.0, 10.0, 20.0, 30.0, 40.0, 1 / 3, 25.5])
point = st.tuples(coordinate, coordinate, coordinate).map(list)
shapes = st.sampled_from([[], [], [], ["QUAD"], ["TRI", "QUAD"], ["BEAM"]])


@st.composite
def region(draw):
    where = draw(
        st.sampled_from(
            [
                {"all": True},
                {"all": True},
                {"all": True},
                {"side": "xmin"},
                {"side": "zmax"},
                {"set": "S"},
                {"plane": {"axis": "z", "at": 0}},
            ]
        )
        | st.lists(st.integers(1, 8), min_size=1, max_size=3).map(lambda labels: {"labels": labels})
        | st.tuples(point, point).map(lambda ends: {"box": {"minimum": list(map(min, *ends)), "maximum": list(map(max, *ends))}})
    )
    return {**where, "shapes": draw(shapes)}


@st.composite
def additions(draw, key):
    points = draw(st.lists(point, max_size=6))
    nodes = [node(f"n{place}", *at) for place, at in enumerate(points)]
    sizes = {"BEAM": 2, "TRI": 3, "QUAD": 4}
    made = []
    for place in range(draw(st.integers(0, 4))):
        shape = draw(st.sampled_from(sorted(sizes)))
        if len(nodes) >= sizes[shape]:
            chosen = draw(st.permutations(range(len(nodes))))[: sizes[shape]]
            made.append(element(f"e{place}", shape, *(f"n{one}" for one in chosen)))
    grids = draw(st.lists(st.tuples(point, st.integers(1, 3), st.integers(1, 3)), max_size=2))
    plates = [plate(f"g{place}", one, two, origin=at) for place, (at, one, two) in enumerate(grids)]
    names = [one["id"] for one in (*made, *plates)]
    sets = [{"name": draw(st.sampled_from("ST")), "element_ids": names[: draw(st.integers(1, len(names)))]}] if names else []
    return {"nodes": nodes, key: made, "grids": plates, "element_sets": sets if draw(st.booleans()) else []}


transforms = st.one_of(
    st.tuples(region(), point, st.booleans()).map(
        lambda one: {"kind": "translate", "region": one[0], "vector": one[1], "copy_elements": one[2]}
    ),
    st.tuples(region(), st.sampled_from([90, 180, 33.5]), st.booleans()).map(
        lambda one: {
            "kind": "rotate",
            "region": one[0],
            "point": [0, 0, 0],
            "direction": [0, 0, 2],
            "degrees": one[1],
            "copy_elements": one[2],
        }
    ),
    st.tuples(region(), st.booleans()).map(
        lambda one: {"kind": "mirror", "region": one[0], "point": [0, 0, 0], "normal": [1, 0, 0], "copy_elements": one[1]}
    ),
    st.tuples(region(), point, st.integers(1, 3)).map(
        lambda one: {"kind": "linear_array", "region": one[0], "vector": one[1], "count": one[2]}
    ),
    st.tuples(region(), st.integers(1, 3)).map(
        lambda one: {
            "kind": "polar_array",
            "region": one[0],
            "point": [5, 5, 0],
            "direction": [0, 0, 1],
            "degrees": 90,
            "count": one[1],
        }
    ),
)
labels = st.lists(st.integers(1, 12), max_size=3)
edits = st.tuples(additions("add_elements"), labels, labels, st.none() | region(), st.booleans()).map(
    lambda one: {
        **one[0],
        "delete_element_labels": one[1],
        "delete_node_labels": one[2],
        "delete_region": one[3],
        "clear_all": one[4] and not (one[1] or one[2] or one[3]),
    }
)
repairs = st.fixed_dictionaries(
    {
        "merge_tolerance": st.none() | st.sampled_from([1e-6, 0.01, 1.0]),
        "remove_duplicate_elements": st.booleans(),
        "remove_free_nodes": st.booleans(),
    }
)
refinements = st.fixed_dictionaries({"levels": st.integers(1, 2), "shapes": shapes, "region": st.none() | region()})
audit = st.just({})
sections = st.sampled_from(
    [("T2", ["QUAD", "TRI"], None), ("T2", ["QUAD"], None), ("Bar", ["BEAM"], [1, 0, 0]), ("Bar", ["BEAM"], [0, 0, 1])]
)


def steps(**kinds):
    return st.fixed_dictionaries({}, optional=kinds).map(lambda found: list(found.items()))


reshaping = steps(
    edit_part=edits,
    transform_part=st.lists(transforms, min_size=1, max_size=3).map(lambda found: {"operations": found}),
    repair_part=repairs,
    refine_mesh=refinements,
    audit_part=audit,
)


def holds(desk, items):
    """Compile and run *items*; nothing to say when they are refused, at whatever point, since then the part is as it was."""
    found = desk.compiled(*items)
    if isinstance(found, Refusal):
        return None
    try:
        part, read = desk.after(found)
    except EngineRefusal:
        return None
    verdict = desk.verdict(found, read)
    assert verdict.matched, (verdict.differences, found.text)
    assert part.faults() == []
    return part


@settings(max_examples=120, deadline=None)
@given(additions("elements"), reshaping)
def test_what_is_built_and_reshaped_lies_within_what_was_promised(first, items):
    desk = Desk("analysis")
    made = holds(desk, [("build_part", first)])
    if made is None:
        return
    desk.part, desk.there = made, True
    holds(desk, items)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(sections, region()), min_size=1, max_size=2),
    steps(
        apply_boundary=region().map(
            lambda where: {"supports": [{"kind": "fix", "name": "F", "region": where, "dofs": [3, 1, 1]}]}
        ),
        apply_load=region().map(
            lambda where: {
                "loads": [
                    {"kind": "force", "name": "P", "region": where, "components": [0, 0, -5]},
                    {"kind": "gravity", "name": "G", "components": [0, 0, -9810]},
                ]
            }
        ),
        run_job=audit,
    ),
)
def test_what_is_given_lies_within_what_was_promised_and_leaves_the_geometry(assignments, items):
    desk = furnished("analysis")
    entries = [
        {"section": section, "region": {**where, "shapes": where["shapes"] or wanted}, "n1": n1}
        for (section, wanted, n1), where in assignments
    ]
    before = desk.seen().footprint["geometry"]
    part = holds(desk, [DEFINED, ("assign_property", {"assignments": entries}), *items])
    if part is not None:
        desk.part = part
        assert desk.seen().footprint["geometry"] == before


def shuffled(value, draw):
    if isinstance(value, dict):
        keys = list(value)
        draw.shuffle(keys)
        return {key: shuffled(value[key], draw) for key in keys}
    return [shuffled(inner, draw) for inner in value] if isinstance(value, list) else value


@settings(max_examples=60, deadline=None)
@given(additions("elements"), st.integers(0, 10**6))
def test_the_same_operations_in_another_order_of_keys_are_the_same_bytes(first, seed):
    desk = Desk("analysis")
    items = [("build_part", first), DEFINED]
    one = desk.compiled(*items)
    other = desk.compiled(*[(tool, shuffled(arguments, random.Random(seed))) for tool, arguments in items])
    if isinstance(one, Refusal):
        assert one == other
        return
    assert isinstance(other, Program)
    assert (one.text, canonical(one.evidence)) == (other.text, canonical(other.evidence))


@settings(max_examples=40, deadline=None)
@given(additions("elements"))
def test_operations_that_were_stored_and_read_again_compile_to_the_same_bytes(first):
    desk = Desk("part")
    taken = desk.given(("build_part", first))
    if isinstance(taken, Refusal):
        return
    stored = json.loads(canonical(list(taken.items)))
    again = operations(Given(tuple(stored)), desk.seen(), "")
    assert again == taken
    one, other = (compile_program(each, desk.program, desk.seen()) for each in (taken, again))
    assert one == other


def test_labels_and_names_stand_once_in_order_and_a_zero_has_no_sign():
    desk = Desk("part")
    desk.do(("build_part", {"nodes": [], "elements": [], "grids": [plate()]}))
    edit = {"delete_element_labels": [5, 2, 5], "delete_node_labels": [], "nodes": [node("a", -0.0, 5)]}
    taken = desk.given(("edit_part", edit))
    assert taken.items[0]["arguments"]["delete_element_labels"] == [2, 5]
    program = desk.program(("edit_part", edit))
    assert "-0.0" not in program.text
    assert "labels=(2, 5)" in program.text


@pytest.mark.parametrize("word", ["quad", "Quad", "QUAD"])
def test_a_shape_may_be_written_in_any_case_and_is_an_enumeration_in_the_script(word):
    nodes = [node("A", 0, 0), node("B", 1, 0), node("C", 1, 1), node("D", 0, 1)]
    program = Desk().program(("build_part", {"nodes": nodes, "elements": [element("e", word, "A", "B", "C", "D")]}))
    assert "elemShape=QUAD" in program.text


def test_a_part_that_is_cleared_is_promised_to_be_empty_but_for_what_the_same_call_adds():
    desk = mixed()
    program = desk.do(("edit_part", {"clear_all": True}))
    assert set(map(tuple, program.evidence["ranges"].values())) == {(0, 0)}
    desk.do(("build_part", {"nodes": [], "elements": [], "grids": [plate()]}))
    program = desk.do(("edit_part", {"clear_all": True, "grids": [plate(along=2, across=2)]}))
    assert program.evidence["ranges"]["node_count"] == [9, 9]
