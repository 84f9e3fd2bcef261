"""Refining halves what was chosen, and what a part says about its elements and nodes holds for what they became."""

import copy
import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from domains.cae.engine.meshes import STEP, numbers, part_of, parts, plate
from domains.cae.engine.plates import normals, state, stiffened
from steadyhand.domains.cae.engine.audit import audit
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.mesh import Labels, Mesh
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import Force
from steadyhand.domains.cae.engine.refining import refine
from steadyhand.domains.cae.engine.shapes import BEAM, QUAD, TRI, Shape

FAN = {2: 2, 3: 4, 4: 4}


def edges_of(mesh: Mesh, rows: range | None = None) -> set[tuple[int, int]]:
    """The different edges, as pairs of rows."""
    found = set()
    for row in rows if rows is not None else range(mesh.element_count):
        nodes = mesh.conn[row, : mesh.sizes[row]].tolist()
        found |= {(min(side), max(side)) for side in itertools.pairwise([*nodes, nodes[0]])}
    return found


def extent(part: Part, labels: Labels) -> list[float]:
    """The sum of the area vectors of TRI and QUAD, and of the vectors along BEAMs: halving changes neither, however warped they are."""
    mesh, total = part.mesh, np.zeros(6)
    for row in mesh.element_rows(labels):
        points = mesh.xyz[mesh.conn[row, : mesh.sizes[row]]]
        if len(points) == 2:
            total[3:] += points[1] - points[0]
        else:
            total[:3] += 0.5 * np.cross(points, np.roll(points, -1, axis=0)).sum(axis=0)
    return total.tolist()


def counted(part: Part) -> list[int]:
    return [int((part.mesh.sizes == size).sum()) for size in (4, 3, 2)]


@pytest.mark.parametrize(("levels", "nodes", "elements"), [(1, 25, 16), (2, 81, 64), (3, 289, 256)])
def test_a_plate_gets_the_nodes_of_a_finer_one(levels, nodes, elements):
    part = plate()
    made = refine(part, levels)
    assert (part.mesh.node_count, part.mesh.element_count) == (nodes, elements)
    assert numbers(made.parents) == [1, 2, 3, 4]
    assert numbers(made.elements) == list(range(5, 5 + elements)) == numbers(part.mesh.element_labels)
    assert numbers(made.nodes) == list(range(10, nodes + 1))
    assert len(made.hanging) == 0
    finer = plate(2 * 2**levels, 2 * 2**levels, STEP / 2**levels)
    assert {tuple(point) for point in part.mesh.xyz.tolist()} == {tuple(point) for point in finer.mesh.xyz.tolist()}
    assert audit(part).found == ("free_edges", "unassigned_elements")


def test_a_quad_a_tri_and_a_beam_become_what_they_are_made_of():
    part = part_of([(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (4, 0, 0)], [(0, 1, 2, 3), (1, 4, 2), (1, 4)])
    refine(part)
    labels = part.mesh.node_labels
    at = {tuple(point): int(label) for point, label in zip(part.mesh.xyz.tolist(), labels, strict=True)}
    rows = [[int(labels[place]) for place in row if place >= 0] for row in part.mesh.conn]
    a, b, c, d, e = 1, 2, 3, 4, 5
    ab, bc, cd, da, mid = at[1, 0, 0], at[2, 1, 0], at[1, 2, 0], at[0, 1, 0], at[1, 1, 0]
    be, ec = at[3, 0, 0], at[3, 1, 0]
    assert rows == [
        [a, ab, mid, da],
        [b, bc, mid, ab],
        [c, cd, mid, bc],
        [d, da, mid, cd],
        [b, be, bc],
        [e, ec, be],
        [c, bc, ec],
        [be, ec, bc],
        [b, be],
        [be, e],
    ]
    assert part.mesh.types.tolist() == [2] * 4 + [1] * 4 + [0] * 2


@given(parts(), st.integers(1, 2))
@settings(max_examples=60, deadline=None)
def test_counts_extents_sections_and_sets_hold(part, levels):
    assume(part.mesh.element_count)
    counts, old = counted(part), copy.deepcopy(part)
    made = refine(part, levels)
    assert part.faults() == []
    assert counted(part) == [count * fan**levels for count, fan in zip(counts, (4, 4, 2), strict=True)]
    assert len(made.hanging) == 0
    for name in ("SOME", "OTHERS"):
        assert extent(part, part.element_sets[name]) == pytest.approx(extent(old, old.element_sets[name]))
    for assigned in (-1, 0, 1):
        before = old.mesh.element_labels[old.mesh.assigned == assigned]
        after = part.mesh.element_labels[part.mesh.assigned == assigned]
        assert extent(part, after) == pytest.approx(extent(old, before))
    assert part.mesh.xyz[: old.mesh.node_count].tolist() == old.mesh.xyz.tolist()
    assert numbers(part.held_nodes) == numbers(old.held_nodes)


@given(parts())
@settings(max_examples=60, deadline=None)
def test_every_edge_has_one_node_in_its_middle_and_every_quad_one(part):
    assume(part.mesh.element_count)
    edges, quads = edges_of(part.mesh), part.mesh.conn[part.mesh.sizes == 4]
    nodes, xyz = part.mesh.node_count, part.mesh.xyz
    sets = {name: set(part.mesh.node_rows(labels).tolist()) for name, labels in part.node_sets.items()}
    refine(part)
    middles = sorted(edges)
    assert part.mesh.node_count == nodes + len(middles) + len(quads)
    wanted = [(xyz[low] + xyz[high]) / 2 for low, high in middles] + [xyz[quad].mean(axis=0) for quad in quads]
    assert part.mesh.xyz[nodes:] == pytest.approx(np.array(wanted).reshape(-1, 3))
    assert not edges & edges_of(part.mesh)
    for name, rows in sets.items():
        joined = {nodes + place for place, side in enumerate(middles) if set(side) <= rows}
        joined |= {nodes + len(middles) + place for place, quad in enumerate(quads.tolist()) if set(quad) <= rows}
        assert set(part.mesh.node_rows(part.node_sets[name]).tolist()) == rows | joined


@given(parts())
@settings(max_examples=30, deadline=None)
def test_two_levels_are_one_level_twice_but_for_labels_that_nobody_saw(part):
    assume(part.mesh.element_count)
    twice = copy.deepcopy(part)
    refine(part, 2)
    refine(twice)
    refine(twice)
    assert part.mesh.xyz.tobytes() == twice.mesh.xyz.tobytes()
    assert part.mesh.conn.tolist() == twice.mesh.conn.tolist()
    assert {name: numbers(labels) for name, labels in part.node_sets.items()} == {
        name: numbers(labels) for name, labels in twice.node_sets.items()
    }
    for name, labels in part.element_sets.items():
        assert part.mesh.element_rows(labels).tolist() == twice.mesh.element_rows(twice.element_sets[name]).tolist()
    assert part.next_element < twice.next_element or part.mesh.element_count == 0


@given(parts(), st.data())
@settings(max_examples=60, deadline=None)
def test_what_was_not_chosen_stays_as_it_is_and_hanging_nodes_are_told(part, data):
    shapes = data.draw(st.lists(st.sampled_from([QUAD, TRI, BEAM]), unique=True))
    chosen = data.draw(st.lists(st.sampled_from(numbers(part.mesh.element_labels) or [1])))
    mesh = part.mesh
    sizes = [shape.value for shape in shapes]
    rows = [row for row in range(mesh.element_count) if row + 1 in chosen and int(mesh.sizes[row]) in sizes]
    assume(rows)
    kept = [row for row in range(mesh.element_count) if row not in rows]
    halved, whole = edges_of(mesh, rows), edges_of(mesh, kept)
    nodes = mesh.node_count
    made = refine(part, 1, shapes, chosen)
    assert part.faults() == []
    assert numbers(made.parents) == [row + 1 for row in rows]
    assert part.mesh.conn[: len(kept)].tolist() == mesh.conn[kept].tolist()
    assert numbers(part.mesh.element_labels[: len(kept)]) == [row + 1 for row in kept]
    places = {side: nodes + place for place, side in enumerate(sorted(halved))}
    assert part.mesh.node_rows(made.hanging).tolist() == [places[side] for side in sorted(halved & whole)]


@pytest.mark.parametrize(("levels", "hanging"), [(1, 1), (2, 3), (3, 7)])
def test_nodes_that_hang_on_an_edge_of_a_neighbour_are_counted_on_every_level(levels, hanging):
    part = plate(2, 1)
    made = refine(part, levels, elements=[1])
    assert len(made.hanging) == hanging
    assert {point[0] for point in part.mesh.xyz[part.mesh.node_rows(made.hanging)].tolist()} == {STEP}
    assert audit(part).findings["hanging_nodes"].count == 1


def test_a_beam_that_stays_whole_on_a_finer_plate_hangs():
    part = stiffened()
    ribs = edges_of(part.mesh, [row for row in range(part.mesh.element_count) if part.mesh.sizes[row] == 2])
    made = refine(part, 1, (QUAD, TRI))
    assert len(made.hanging) == len(ribs)
    assert audit(part).findings["hanging_nodes"].shown == tuple(numbers(made.hanging))


def test_elements_keep_the_side_that_is_up():
    part = stiffened()
    deck = part.element_sets["DECK"]
    up = normals(part.mesh, deck)[:, 2]
    refine(part, 2)
    assert (up > 0).all()
    assert (normals(part.mesh, part.element_sets["DECK"])[:, 2] > 0).all()
    assert audit(part).findings["flipped_edges"].count == 0


def test_a_held_edge_stays_held_on_all_its_nodes():
    part = plate(3, 2)
    part.node_sets["LEFT"] = part.mesh.node_labels[part.mesh.xyz[:, 0] == 0]
    refine(part, 3)
    assert numbers(part.node_sets["LEFT"]) == numbers(part.mesh.node_labels[part.mesh.xyz[:, 0] == 0])


def test_a_shared_force_is_shared_by_more_nodes_and_a_force_on_each_is_refused():
    part = plate()
    part.node_sets = {"EDGE": part.mesh.node_labels[part.mesh.xyz[:, 0] == 0], "TIP": np.array([9])}
    part.loads = {"PULL": Force("PULL", "EDGE", (1.0, 0.0, 0.0), total=False)}
    before = state(part)
    with pytest.raises(EngineRefusal) as refusal:
        refine(part)
    assert refusal.value.code == "force_would_multiply"
    assert refusal.value.params == {"load": "PULL", "nodes": 3}
    assert state(part) == before
    part.loads = {
        "PULL": Force("PULL", "EDGE", (1.0, 0.0, 0.0)),
        "PUSH": Force("PUSH", "TIP", (0.0, 0.0, 1.0), total=False),
    }
    refine(part)
    assert (len(part.node_sets["EDGE"]), len(part.node_sets["TIP"])) == (5, 1)


def test_the_size_is_refused_before_anything_is_made():
    part = plate()
    before = state(part)
    with pytest.raises(EngineRefusal) as refusal:
        refine(part, 3, limit=255)
    assert refusal.value.code == "too_many_elements"
    assert refusal.value.params == {"count": 256, "limit": 255}
    assert state(part) == before
    refine(part, 3, limit=256)


@pytest.mark.parametrize("levels", [0, 4, -1])
def test_levels_are_one_to_three(levels):
    with pytest.raises(EngineRefusal, match="bad_levels"):
        refine(plate(), levels)


@pytest.mark.parametrize(("shapes", "elements"), [((TRI,), None), ((), None), ((QUAD, TRI, BEAM), [])])
def test_refining_nothing_is_refused(shapes, elements):
    with pytest.raises(EngineRefusal, match="nothing_to_refine"):
        refine(plate(), 1, shapes, elements)


def test_what_has_collapsed_is_refused_where_it_would_be_halved():
    part = part_of([(0, 0, 0), (10, 0, 0), (10, 10, 0), (20, 0, 0)], [(0, 1, 2, 2), (1, 3)])
    with pytest.raises(EngineRefusal) as refusal:
        refine(part)
    assert refusal.value.params == {"element": 1, "count": 1}
    refine(part, 1, (BEAM,))
    assert part.faults() == []


def test_a_shape_is_an_object_and_a_string_in_its_place_raises():
    with pytest.raises(TypeError, match="expecting enum Shape"):
        refine(plate(), 1, ("QUAD",))  # type: ignore[arg-type]  # the wrong kind is the test


def test_unknown_elements_are_refused():
    with pytest.raises(EngineRefusal, match="unknown_element"):
        refine(plate(), 1, elements=[5])


def test_three_plates_on_one_edge_share_the_node_in_its_middle():
    points = [(0, 0, 0), (0, 10, 0), (10, 0, 0), (10, 10, 0), (-10, 0, 0), (-10, 10, 0), (0, 0, 10), (0, 10, 10)]
    part = part_of(points, [(0, 2, 3, 1), (4, 0, 1, 5), (0, 6, 7, 1), (0, 1)])
    refine(part)
    middle = [row for row, point in enumerate(part.mesh.xyz.tolist()) if point == [0, 5, 0]]
    assert len(middle) == 1
    assert int((part.mesh.conn == middle[0]).sum()) == 8
    assert audit(part).findings["non_manifold_edges"].count == 2


def test_the_same_part_gives_the_same_bytes():
    one, other = stiffened(), stiffened()
    refine(one, 2, tuple(Shape))
    refine(other, 2, tuple(Shape)[::-1])
    assert state(one) == state(other)
