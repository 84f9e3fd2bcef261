"""What lies in the place of something else is counted, also where each has nodes of its own."""

import pytest

from steadyhand.domains.cae.engine.affine import mirror, translation
from steadyhand.domains.cae.engine.building import grid
from steadyhand.domains.cae.engine.merging import merge_nodes
from steadyhand.domains.cae.engine.moving import copy
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.stacking import stacked


@pytest.fixture
def plate():
    part = Part()
    grid(part, (0, 0, 0), (60, 0, 0), (0, 30, 0), (6, 3))
    return part


def test_nothing_lies_twice_in_a_plate_nor_in_nothing(plate):
    assert stacked(plate.mesh) == stacked(Part().mesh) == {"nodes": 0, "elements": 0}


@pytest.mark.parametrize("affine", [translation((0, 0, 0)), translation((0, 0, 1e-8)), mirror((0, 0, 0), (0, 0, 1))])
def test_copies_in_place_are_counted_before_and_after_their_nodes_are_merged(plate, affine):
    copy(plate, plate.mesh.element_labels, affine)
    assert stacked(plate.mesh) == {"nodes": 28, "elements": 18}
    merge_nodes(plate, 1e-6)
    assert stacked(plate.mesh) == {"nodes": 0, "elements": 18}


def test_neighbours_share_places_of_nodes_alone(plate):
    copy(plate, plate.mesh.element_labels, translation((60, 0, 0)))
    assert stacked(plate.mesh) == {"nodes": 4, "elements": 0}
