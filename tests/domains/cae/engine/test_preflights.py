"""What a script looks at before its first change: refused with the operation's own code, while nothing has begun."""

from types import SimpleNamespace

import numpy as np
import pytest

from steadyhand.domains.cae.engine import building, naming, preflights
from steadyhand.domains.cae.engine.digests import regions
from steadyhand.domains.cae.engine.errors import PreflightRefusal
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.shapes import BEAM, QUAD, TRI, X


@pytest.fixture
def part():
    """Four QUADs in a row (1 to 4), a TRI (5) and a BEAM upwards (6)."""
    made = Part()
    building.grid(made, (0, 0, 0), (40, 0, 0), (0, 10, 0), (4, 1))
    corners = building.resolve(made, [(40, 0, 0), (50, 5, 0), (40, 10, 0), (0, 0, 0), (0, 0, 20)])
    building.add_elements(made, TRI, [corners[:3]])
    building.add_elements(made, BEAM, [corners[3:]])
    naming.put_element_set(made, "TIP", [5])
    return SimpleNamespace(data=made)


def chosen(*labels):
    return np.array(labels, np.int64)


def refused(look):
    with pytest.raises(PreflightRefusal) as raised:
        look()
    return raised.value.code, dict(raised.value.params)


def test_a_part_that_is_empty_can_be_built_and_no_other(part):
    preflights.is_empty(SimpleNamespace(data=Part()))
    assert refused(lambda: preflights.is_empty(part)) == ("part_not_empty", {"nodes": 12, "elements": 6})


def test_regions_mean_what_the_script_will_pick(part):
    assert preflights.elements(part, everything=True).tolist() == [1, 2, 3, 4, 5, 6]
    assert preflights.elements(part, everything=True, shapes=(TRI, BEAM)).tolist() == [5, 6]
    assert preflights.elements(part, set="TIP").tolist() == [5]
    assert preflights.nodes(part, plane=(X, 0.0)).tolist() == [1, 6, 12]


@pytest.mark.parametrize(
    ("region", "code"),
    [
        ({"set": "NOWHERE"}, "unknown_set"),
        ({"labels": (99,)}, "unknown_element"),
        ({"plane": (X, 7.0)}, "region_empty"),
        ({}, "region_ways"),
        ({"box": ((1, 0, 0), (0, 1, 1))}, "region_box"),
    ],
)
def test_a_region_that_means_nothing_is_refused_before_any_change(part, region, code):
    assert refused(lambda: preflights.elements(part, **region))[0] == code


def test_nodes_that_are_not_there_are_refused(part):
    assert refused(lambda: preflights.nodes(part, labels=(1, 99))) == ("unknown_node", {"label": 99, "count": 1})


def test_selections_that_share_an_element_are_refused(part):
    preflights.apart(part, (chosen(1, 2), chosen(3), chosen(4, 5)))
    preflights.apart(part, (chosen(1, 1), chosen(2)))
    conflict = refused(lambda: preflights.apart(part, (chosen(1, 2, 3), chosen(3), chosen(2, 4))))
    assert conflict == ("selections_conflict", {"label": 2, "count": 2})


def test_a_section_for_other_shapes_is_refused(part):
    preflights.section_fits(part, chosen(1, 5), section="T", shapes=(QUAD, TRI))
    found = refused(lambda: preflights.section_fits(part, chosen(1, 6), section="T", shapes=(QUAD, TRI)))
    assert found == ("section_does_not_fit", {"section": "T", "shape": "BEAM", "label": 6, "count": 1})


def test_a_first_axis_along_a_beam_is_refused_and_one_across_is_not(part):
    preflights.n1_stands(part, chosen(6), section="B", n1=(1, 0, 0))
    preflights.n1_stands(part, chosen(1), section="B", n1=(1, 0, 0))
    for n1 in ((0, 0, 1), (0, 0, -7), (0, 1e-9, 1)):
        assert refused(lambda n1=n1: preflights.n1_stands(part, chosen(6), section="B", n1=n1))[0] == "n1_parallel"
    assert refused(lambda: preflights.n1_stands(part, chosen(6), section="B", n1=(0, 0, 0)))[0] == "zero_vector"


def test_a_pressure_on_beams_is_refused(part):
    preflights.faces(part, chosen(1, 5), load="P")
    assert refused(lambda: preflights.faces(part, chosen(5, 6), load="P")) == (
        "pressure_on_beam",
        {"load": "P", "label": 6, "count": 1},
    )


def test_a_tolerance_of_half_of_the_shortest_edge_is_refused_among_what_is_chosen(part):
    preflights.tolerance_fits(part, tolerance=4.9)
    assert refused(lambda: preflights.tolerance_fits(part, tolerance=5)) == (
        "tolerance_too_large",
        {"tolerance": 5, "shortest": 10.0},
    )
    preflights.tolerance_fits(part, tolerance=9.9, elements=chosen(6))


def test_arrays_and_refinements_that_no_part_holds_are_refused(part):
    preflights.array_fits(part, chosen(1, 2), count=1000)
    assert refused(lambda: preflights.array_fits(part, chosen(1, 2), count=4_000_000))[0] == "array_too_large"
    preflights.refine_fits(part, chosen(1, 2, 5, 6), levels=3)


def test_a_refinement_beyond_the_limit_is_refused_with_what_it_would_come_to(part, monkeypatch):
    monkeypatch.setattr(preflights, "LIMIT", 30)
    preflights.refine_fits(part, chosen(6), levels=3)
    preflights.refine_fits(part, chosen(1, 6), levels=2)
    found = refused(lambda: preflights.refine_fits(part, chosen(1, 2, 6), levels=2))
    assert found == ("too_many_elements", {"count": 6 + 15 + 15 + 3, "limit": 30})


def test_looking_changes_nothing(part):
    before = regions(part.data)
    preflights.elements(part, side="xmin")
    preflights.nodes(part, everything=True)
    preflights.refine_fits(part, chosen(1), levels=1)
    assert regions(part.data) == before
