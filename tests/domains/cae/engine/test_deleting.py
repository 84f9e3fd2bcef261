"""What goes along when elements and nodes go, and what stays."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.cae.engine.plates import state, stiffened, with_kept_text
from steadyhand.domains.cae.engine.building import add_nodes
from steadyhand.domains.cae.engine.deleting import clear, delete_elements, delete_nodes
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.part import Part


def connections(part: Part) -> dict[int, list[int]]:
    """The node labels of every element, by its label."""
    mesh = part.mesh
    return {
        int(label): mesh.node_labels[mesh.conn[row, : mesh.sizes[row]]].tolist() for row, label in enumerate(mesh.element_labels)
    }


def places(part: Part) -> dict[int, list[float]]:
    return dict(zip(part.mesh.node_labels.tolist(), part.mesh.xyz.tolist(), strict=True))


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_deleting_nodes_takes_the_elements_on_them_and_nothing_else(data):
    part = stiffened()
    gone = data.draw(st.lists(st.sampled_from(part.mesh.node_labels.tolist()), max_size=6))
    before, spots = connections(part), places(part)
    sets = {name: labels.tolist() for name, labels in (part.node_sets | part.element_sets).items()}
    cascade = [label for label, nodes in before.items() if set(nodes) & set(gone)]
    assert delete_nodes(part, gone).tolist() == cascade
    assert connections(part) == {label: nodes for label, nodes in before.items() if label not in cascade}
    assert places(part) == {label: spot for label, spot in spots.items() if label not in gone}
    for name, labels in part.node_sets.items():
        assert labels.tolist() == [label for label in sets[name] if label not in gone]
    for name, labels in part.element_sets.items():
        assert labels.tolist() == [label for label in sets[name] if label not in cascade]
    assert part.faults() == []


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_deleting_elements_leaves_the_nodes(data):
    part = stiffened()
    gone = data.draw(st.lists(st.sampled_from(part.mesh.element_labels.tolist()), max_size=12))
    before, spots = connections(part), places(part)
    delete_elements(part, gone)
    assert connections(part) == {label: nodes for label, nodes in before.items() if label not in gone}
    assert places(part) == spots
    assert all(not set(labels.tolist()) & set(gone) for labels in part.element_sets.values())
    assert part.faults() == []


def test_what_a_load_or_support_acts_on_may_become_empty_and_stays():
    part = stiffened()
    delete_nodes(part, part.node_sets["LEFT"])
    delete_elements(part, part.element_sets["LOADED"])
    assert [len(part.node_sets["LEFT"]), len(part.element_sets["LOADED"]), len(part.element_sets["_P1"])] == [0, 0, 0]
    assert sorted(part.loads) == ["PULL", "WATER", "WIND"]
    assert part.faults() == []


def test_clearing_leaves_names_and_properties_and_no_label_is_given_again():
    part = stiffened()
    last = part.next_node, part.next_element
    names = sorted(part.node_sets), sorted(part.element_sets)
    clear(part)
    assert part.empty
    assert (sorted(part.node_sets), sorted(part.element_sets)) == names
    assert all(len(labels) == 0 for labels in (part.node_sets | part.element_sets).values())
    assert (part.next_node, part.next_element) == last
    assert add_nodes(part, [(0, 0, 0)]).tolist() == [last[0]]
    assert len(part.sections) == 2
    assert part.faults() == []
    clear(Part())


@pytest.mark.parametrize(
    ("code", "act"),
    [
        ("unknown_element", lambda part: delete_elements(part, [1, 999])),
        ("unknown_element", lambda part: delete_elements(part, [-1])),
        ("unknown_node", lambda part: delete_nodes(part, [1, 999])),
        ("bad_labels", lambda part: delete_nodes(part, [1.5])),
        ("bad_labels", lambda part: delete_elements(part, [[1, 2]])),
        ("bad_labels", lambda part: delete_elements(part, [True])),
        ("held_nodes", lambda part: delete_nodes(part, [2, 3, 4])),
        ("held_nodes", clear),
    ],
)
def test_a_refused_deletion_deletes_nothing(code, act):
    part = with_kept_text(stiffened(), np.array([3, 4]))
    before = state(part)
    with pytest.raises(EngineRefusal) as caught:
        act(part)
    assert caught.value.code == code
    assert state(part) == before
    if code == "held_nodes":
        assert dict(caught.value.params) == {"label": 3, "count": 2}
