"""Which elements and nodes a region means."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.cae.engine.plates import labels_of, stiffened, with_kept_text
from steadyhand.domains.cae.engine.building import add_nodes
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.regions import Region, elements_in, extent, nodes_in
from steadyhand.domains.cae.engine.shapes import BEAM, QUAD, TRI, X, Z


def refusal_of(act) -> str:
    with pytest.raises(EngineRefusal) as caught:
        act()
    return caught.value.code


COORDINATE = st.integers(-50, 350).map(float)


@given(one=st.tuples(*[COORDINATE] * 3), other=st.tuples(*[COORDINATE] * 3))
@settings(max_examples=80, deadline=None)
def test_a_box_holds_the_nodes_within_it_and_the_elements_whose_nodes_are_all_in_it(one, other):
    part = stiffened()
    low, high = np.minimum(one, other), np.maximum(one, other)
    region = Region(box=(tuple(low.tolist()), tuple(high.tolist())))
    mesh = part.mesh
    nodes = [
        int(label) for label, spot in zip(mesh.node_labels, mesh.xyz, strict=True) if (low <= spot).all() and (spot <= high).all()
    ]
    rows = [set(row[row >= 0].tolist()) for row in mesh.conn]
    places = set(mesh.node_rows(nodes).tolist())
    elements = [int(label) for label, row in zip(mesh.element_labels, rows, strict=True) if row <= places]
    for find, expected in ((nodes_in, nodes), (elements_in, elements)):
        if expected:
            assert find(part, region).tolist() == expected
        else:
            assert refusal_of(lambda find=find: find(part, region)) == "region_empty"


def test_borders_belong_and_the_tolerance_widens_them():
    part = stiffened()
    assert len(nodes_in(part, Region(box=((0, 0, 0), (100, 100, 0))))) == 4
    assert refusal_of(lambda: nodes_in(part, Region(plane=(X, 100.01)))) == "region_empty"
    assert len(nodes_in(part, Region(plane=(X, 100.01), tolerance=0.02))) == 3
    assert len(nodes_in(part, Region(plane=(X, 100.0), tolerance=0.0))) == 3


def test_a_side_is_the_plane_at_that_end_of_all_that_has_elements():
    part = stiffened(3, 2)
    add_nodes(part, [(-900, 0, 0), (0, 0, 900)])
    assert extent(part) == ((0, 0, 0), (300, 200, 80))
    assert nodes_in(part, Region(side="xmin")).tolist() == nodes_in(part, Region(plane=(X, 0.0))).tolist()
    assert len(nodes_in(part, Region(side="xmax"))) == 3
    assert len(nodes_in(part, Region(side="ymax"))) == 4
    assert nodes_in(part, Region(side="zmax")).tolist() == nodes_in(part, Region(plane=(Z, 80.0))).tolist()
    assert elements_in(part, Region(side="xmin")).tolist() == labels_of(part.mesh, 3).tolist()
    assert elements_in(part, Region(side="ymin")).tolist() == labels_of(part.mesh, 2).tolist()
    with_kept_text(part, part.mesh.node_labels[-1:])
    assert extent(part) == ((0, 0, 0), (300, 200, 900))


def test_without_elements_the_nodes_make_the_extent_and_without_nodes_there_is_none():
    part = Part()
    assert extent(part) is None
    assert refusal_of(lambda: nodes_in(part, Region(side="xmin"))) == "region_empty"
    assert refusal_of(lambda: elements_in(part, Region(everything=True))) == "region_empty"
    add_nodes(part, [(1, 2, 3), (-1, 5, 3)])
    assert extent(part) == ((-1, 2, 3), (1, 5, 3))
    assert nodes_in(part, Region(side="xmin")).tolist() == [2]


def test_sets_labels_and_everything():
    part = stiffened()
    mesh = part.mesh
    assert elements_in(part, Region(everything=True)).tolist() == mesh.element_labels.tolist()
    assert nodes_in(part, Region(everything=True)).tolist() == mesh.node_labels.tolist()
    assert elements_in(part, Region(labels=(3, 1, 3))).tolist() == [1, 3]
    assert nodes_in(part, Region(labels=(3, 1, 3))).tolist() == [1, 3]
    assert elements_in(part, Region(set="RIBS")).tolist() == part.element_sets["RIBS"].tolist()
    assert nodes_in(part, Region(set="LEFT")).tolist() == part.node_sets["LEFT"].tolist()
    assert nodes_in(part, Region(set="RIBS")).tolist() == [1, 2, 3, 4]
    part.node_sets["RIBS"] = np.array([9])
    assert nodes_in(part, Region(set="RIBS")).tolist() == [9]


def test_shapes_narrow_a_region():
    part = stiffened()
    assert elements_in(part, Region(everything=True, shapes=(TRI, BEAM))).tolist() == labels_of(part.mesh, 2, 3).tolist()
    assert elements_in(part, Region(labels=(1, 7), shapes=(QUAD,))).tolist() == [1]
    assert nodes_in(part, Region(everything=True, shapes=(BEAM,))).tolist() == [1, 2, 3, 4]
    assert refusal_of(lambda: elements_in(part, Region(set="RIBS", shapes=(QUAD,)))) == "region_empty"


def test_what_is_not_there_is_refused():
    part = stiffened()
    assert refusal_of(lambda: elements_in(part, Region(set="HULL"))) == "unknown_set"
    assert refusal_of(lambda: nodes_in(part, Region(set="HULL"))) == "unknown_set"
    assert refusal_of(lambda: elements_in(part, Region(set="LEFT"))) == "unknown_set"
    assert refusal_of(lambda: elements_in(part, Region(labels=(1, 999)))) == "unknown_element"
    assert refusal_of(lambda: nodes_in(part, Region(labels=(1, 999)))) == "unknown_node"
    assert refusal_of(lambda: elements_in(part, Region(labels=()))) == "region_empty"
    part.element_sets["NONE"] = np.zeros(0, np.int64)
    assert refusal_of(lambda: elements_in(part, Region(set="NONE"))) == "region_empty"


def test_a_region_is_said_in_exactly_one_way():
    assert refusal_of(Region) == "region_ways"
    assert refusal_of(lambda: Region(set="A", everything=True)) == "region_ways"
    assert refusal_of(lambda: Region(labels=(1,), side="xmin")) == "region_ways"
    assert refusal_of(lambda: Region(side="top")) == "region_side"
    assert refusal_of(lambda: Region(box=((1, 0, 0), (0, 1, 1)))) == "region_box"
    assert refusal_of(lambda: Region(box=((0, 0, 0), (1, float("nan"), 1)))) == "bad_coordinates"
    assert refusal_of(lambda: Region(plane=(X, float("inf")))) == "bad_coordinates"
    assert refusal_of(lambda: Region(everything=True, tolerance=-1.0)) == "bad_tolerance"
    with pytest.raises(TypeError, match="expecting enum Axis"):
        Region(plane=("X", 0.0))
    with pytest.raises(TypeError, match="expecting enum Shape"):
        Region(everything=True, shapes=("QUAD",))
