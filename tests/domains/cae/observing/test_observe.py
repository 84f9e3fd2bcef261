"""A part is told in layers: a stable summary, where there is what, single rows; never the whole mesh, and each in bounded room."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.cae.observing.small_part import stiffened
from steadyhand.core.canonical import canonical
from steadyhand.domains.cae.engine.building import add_elements, add_nodes, grid
from steadyhand.domains.cae.engine.components import components
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.observe import MOST_ROWS, detail, part_facts, regions
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.regions import Region
from steadyhand.domains.cae.engine.shapes import BEAM, QUAD, TRI
from steadyhand.domains.cae.shelf.looking import ABSENT

GOLDEN = Path(__file__).parents[3] / "golden" / "cae"
ALL = Region(everything=True)


def layers():
    """Every layer of the small part, as text."""
    part = stiffened()
    told = {
        "facts": part_facts(part),
        "regions": regions(part),
        "elements": detail(part, Region(set="EDGE"), "elements"),
        "nodes": detail(part, Region(side="xmin"), "nodes", 1, 2),
    }
    return json.dumps(told, indent=1, sort_keys=True) + "\n"


def test_every_layer_is_as_written_down():
    assert layers() == (GOLDEN / "layers.json").read_text(encoding="utf-8")


def test_the_summary_has_exactly_the_references_schema():
    told = part_facts(stiffened())["observation"]
    assert list(told) == ["target_exists", "summary", "sets"]
    assert list(told["summary"]) == ["node_count", "element_count", "bounding_box", "shape_counts"]
    assert list(told["summary"]["bounding_box"]) == ["minimum", "maximum"]
    assert list(told["summary"]["shape_counts"]) == ["QUAD", "TRI", "BEAM"]
    assert told["sets"] == ["DECK", "EDGE"]


def test_sets_that_the_program_made_for_itself_are_not_told():
    assert "_L_PULL" not in json.dumps([part_facts(stiffened())["observation"], part_facts(stiffened())["detail"]["sets"]])
    assert "_L_PULL" not in json.dumps(regions(stiffened()))


def test_a_part_that_is_not_there_is_told_as_one_without_anything():
    facts = part_facts(Part())
    absent = {**ABSENT, "observation": {**ABSENT["observation"], "target_exists": True}}
    assert canonical(facts) == canonical(absent)
    assert regions(Part())["components"] == {"count": 0, "rows": [], "left_out": 0}


def test_no_layer_but_the_closest_holds_connectivity_or_grows_with_the_mesh():
    small, large = Part(), Part()  # both have something in every station and box
    grid(small, (0, 0, 0), (100, 0, 0), (0, 100, 0), (24, 24))
    grid(large, (0, 0, 0), (100, 0, 0), (0, 100, 0), (80, 80))
    for layer in (part_facts, regions):
        assert len(json.dumps(layer(large))) < len(json.dumps(layer(small))) + 200


def test_components_are_counted_and_the_largest_come_first():
    part = Part()
    for number, count in enumerate((1, 5, *[1] * 30)):
        grid(part, (0, 100 * number, 0), (100, 0, 0), (0, 50, 0), (count, 1))
    told = regions(part)["components"]
    assert (told["count"], len(told["rows"]), told["left_out"]) == (32, 20, 12)
    assert (told["rows"][0]["elements"], told["rows"][0]["nodes"], told["rows"][0]["first_element"]) == (5, 12, 2)
    assert told["rows"][0]["box"] == {"minimum": [0.0, 100.0, 0.0], "maximum": [100.0, 150.0, 0.0]}


def test_stations_follow_the_longest_axis_and_boxes_the_axes_that_have_an_extent():
    part = Part()
    grid(part, (0, 0, 5), (0, 1200, 0), (0, 0, 300), (24, 2))
    told = regions(part)
    assert told["stations"]["axis"] == "Y"
    assert [row["count"] for row in told["stations"]["rows"]] == [4] * 12
    assert told["boxes"]["divisions"] == [1, 4, 4]


def shells(draw_sizes):
    """A part of strips, apart from one another."""
    part = Part()
    for number, (along, kind) in enumerate(draw_sizes):
        y = 1000.0 * number
        if kind is QUAD:
            grid(part, (0, y, 0), (100 * along, 0, 0), (0, 100, 0), (along, 1))
            continue
        nodes = add_nodes(part, [(100 * place, y, 10 * (place % 2)) for place in range(along + kind.value - 1)])
        add_elements(part, kind, [nodes[place : place + kind.value] for place in range(along)])
    return part


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 6), st.sampled_from([QUAD, TRI, BEAM])), max_size=8))
def test_every_layer_counts_every_element_once(strips):
    part = shells(strips)
    facts, told = part_facts(part), regions(part)
    count = part.mesh.element_count
    assert facts["detail"]["components"] == len(strips) == told["components"]["count"]
    assert sorted(set(components(part.mesh).tolist())) == list(range(len(strips)))
    assert facts["detail"]["unassigned"]["count"] == count
    assert sum(row["elements"] for row in told["components"]["rows"]) == count
    assert sum(row["count"] for row in told["stations"]["rows"]) == count
    assert sum(row["elements"] for row in told["boxes"]["rows"]) == count
    canonical([facts, told])


@settings(max_examples=40, deadline=None)
@given(along=st.integers(1, 30), kind=st.sampled_from(["elements", "nodes"]), limit=st.integers(1, 400))
def test_pages_hold_every_row_once_and_never_more_than_the_most(along, kind, limit):
    part = Part()
    grid(part, (0, 0, 0), (100, 0, 0), (0, 100, 0), (along, 20))
    labels: list[int] = []
    while True:
        page = detail(part, ALL, kind, len(labels), limit)
        assert 0 < len(page["rows"]) <= min(limit, MOST_ROWS)
        labels += [row["label"] for row in page["rows"]]
        assert page["more"] == page["total"] - len(labels)
        if not page["more"]:
            break
    wanted = part.mesh.element_labels if kind == "elements" else part.mesh.node_labels
    assert labels == wanted.tolist()


def test_a_page_behind_the_end_is_empty():
    page = detail(stiffened(), ALL, "nodes", 1_000)
    assert (page["rows"], page["more"]) == ([], 0)


@pytest.mark.parametrize(
    ("region", "code"), [(Region(set="NONE"), "unknown_set"), (Region(plane=None, labels=(999,)), "unknown_element")]
)
def test_a_region_that_is_none_is_refused(region, code):
    with pytest.raises(EngineRefusal) as refused:
        detail(stiffened(), region)
    assert refused.value.code == code


def test_rows_name_labels_and_never_places_in_an_array():
    part = stiffened()
    part.mesh.node_labels = part.mesh.node_labels * 10
    part.node_sets = {name: labels * 10 for name, labels in part.node_sets.items()}
    part.next_node = int(part.mesh.node_labels[-1]) + 1
    first = detail(part, ALL)["rows"][0]
    assert np.isin(first["nodes"], part.mesh.node_labels).all()
