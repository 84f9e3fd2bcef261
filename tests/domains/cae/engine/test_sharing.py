"""A force in total is shared by the area or the length that belongs to each node."""

import numpy as np
import pytest

from steadyhand.domains.cae.engine import building
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.shapes import BEAM, TRI
from steadyhand.domains.cae.engine.sharing import carriers, shares


def plate(along: int, across: int) -> Part:
    part = Part()
    building.grid(part, (0, 0, 0), (along, 0, 0), (0, across, 0), (along, across))
    return part


def of(part: Part, where) -> list[float]:
    rows = np.flatnonzero(where).astype(np.int32)
    found = shares(part.mesh, rows)
    assert found.sum() == pytest.approx(1.0)
    return found.tolist()


def test_by_length_along_an_edge_also_where_its_pieces_differ_and_inside_of_a_plate():
    part = plate(3, 4)
    x = part.mesh.xyz[:, 0]
    assert of(part, x == 3) == pytest.approx([1 / 8, 1 / 4, 1 / 4, 1 / 4, 1 / 8])
    assert of(part, x == 1) == pytest.approx([1 / 8, 1 / 4, 1 / 4, 1 / 4, 1 / 8])
    part.mesh.xyz[:, 1] **= 2  # pieces of 1, 3, 5 and 7
    assert of(part, x == 3) == pytest.approx([1 / 32, 4 / 32, 8 / 32, 12 / 32, 7 / 32])


def test_by_area_over_a_face_of_quads_and_triangles():
    part = plate(2, 1)
    assert sorted(of(part, np.ones(6, bool))) == pytest.approx([1 / 8] * 4 + [1 / 4] * 2)
    (corner,) = building.add_nodes(part, [(3.0, 0.5, 0.0)])
    ends = part.mesh.node_labels[(part.mesh.xyz[:, 0] == 2)]
    building.add_elements(part, TRI, [[ends[0], corner, ends[1]]])
    assert of(part, np.ones(7, bool))[-1] == pytest.approx(0.5 / 3 / 2.5)
    assert len(carriers(part.mesh, np.arange(7, dtype=np.int32)).faces) == 3


def test_a_square_that_is_no_rectangle_is_shared_as_its_area_lies():
    part = Part()
    labels = building.add_nodes(part, [(0, 0, 0), (4, 0, 0), (4, 2, 0), (0, 6, 0)])
    building.add_elements(part, building.QUAD, [labels])
    height = np.array([6.0, 2.0, 2.0, 6.0])  # at the corners: the area on the left is larger
    found = np.array(of(part, np.ones(4, bool)))
    assert found[[0, 3]].sum() == pytest.approx((2 * height[0] + height[1]) / (3 * (height[0] + height[1])))


def test_along_beams_by_length_once_where_one_lies_on_an_edge_and_equally_where_nodes_stand_alone():
    part = plate(1, 2)
    edge = part.mesh.xyz[:, 0] == 1
    labels = part.mesh.node_labels[edge]
    building.add_elements(part, BEAM, [[labels[0], labels[1]], [labels[1], labels[2]]])
    assert of(part, edge) == pytest.approx([1 / 4, 1 / 2, 1 / 4])
    corners = edge & (part.mesh.xyz[:, 1] != 1)
    assert of(part, corners) == [0.5, 0.5]
    building.add_nodes(part, [(9.0, 9.0, 9.0)])
    assert of(part, np.append(edge, [True])) == [0.25] * 4
