"""What holds for every part after any operations in any order, refused ones included."""

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from domains.cae.engine.plates import state, stiffened, with_kept_text
from steadyhand.domains.cae.engine.affine import Affine, mirror, rotation, translation
from steadyhand.domains.cae.engine.building import add_elements, add_nodes, grid, resolve
from steadyhand.domains.cae.engine.deleting import clear, delete_elements, delete_nodes
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.moving import copy, linear_array, move, polar_array
from steadyhand.domains.cae.engine.naming import put_element_set, put_node_set, remove_set
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.regions import Region, elements_in, nodes_in
from steadyhand.domains.cae.engine.shapes import BEAM, QUAD, TRI

NUMBER = st.integers(-4, 4).map(lambda step: step * 50.0)
POINT = st.tuples(NUMBER, NUMBER, NUMBER)
PICKS = st.lists(st.integers(0, 60), max_size=5)
AFFINES = st.one_of(
    st.builds(translation, POINT),
    st.builds(rotation, POINT, st.sampled_from([(0, 0, 1), (1, 1, 0)]), st.sampled_from([30, 90, -180])),
    st.builds(mirror, POINT, st.sampled_from([(1, 0, 0), (1, 2, 3)])),
)
NAMES = st.sampled_from(["DECK", "RIBS", "LEFT", "NEW", "deck", "1", "_TIP"])
MANY = 400


def picked(labels: np.ndarray[Any, Any], picks: list[int]) -> list[int]:
    """Some of *labels*; a pick beyond them is a label that is not there."""
    return [int(labels[pick]) if pick < len(labels) else 10_000 + pick for pick in picks]


class Shaping(RuleBasedStateMachine):
    """Two parts are given the same operations: nothing but the operations may make them differ."""

    @initialize(held=st.booleans())
    def begin(self, held: bool) -> None:
        self.part, self.twin = (with_kept_text(stiffened(), np.array([7])) if held else stiffened() for _ in range(2))
        self.nodes = set(self.part.mesh.node_labels.tolist())
        self.elements = set(self.part.mesh.element_labels.tolist())

    def act(self, operation: Callable[[Part], object]) -> None:
        before = state(self.part)
        old = set(self.part.mesh.node_labels.tolist()), set(self.part.mesh.element_labels.tolist())
        codes: list[str] = []
        for part in (self.part, self.twin):
            try:
                operation(part)
                codes.append("")
            except EngineRefusal as refusal:
                codes.append(str(refusal))
        assert codes[0] == codes[1]
        assert state(self.part) == state(self.twin)
        if codes[0]:
            assert state(self.part) == before
        fresh = set(self.part.mesh.node_labels.tolist()) - old[0], set(self.part.mesh.element_labels.tolist()) - old[1]
        assert not fresh[0] & self.nodes
        assert not fresh[1] & self.elements
        self.nodes |= fresh[0]
        self.elements |= fresh[1]

    @rule(points=st.lists(POINT, max_size=4))
    def nodes_are_added(self, points: list[Any]) -> None:
        self.act(lambda part: add_nodes(part, points))

    @rule(points=st.lists(POINT, max_size=6), tolerance=st.sampled_from([0.0, 1e-6, 60.0]))
    def coordinates_are_resolved(self, points: list[Any], tolerance: float) -> None:
        self.act(lambda part: resolve(part, points, tolerance))

    @rule(
        shape=st.sampled_from([QUAD, TRI, BEAM]),
        picks=st.lists(st.integers(0, 60), min_size=2, max_size=4),
        place=st.integers(-1, 2),
    )
    def an_element_is_added(self, shape: Any, picks: list[int], place: int) -> None:
        self.act(lambda part: add_elements(part, shape, [picked(part.mesh.node_labels, picks)], place))

    @rule(origin=POINT, u=POINT, v=POINT, divisions=st.tuples(st.integers(0, 3), st.integers(1, 3)))
    def a_plate_is_added(self, origin: Any, u: Any, v: Any, divisions: tuple[int, int]) -> None:
        self.act(lambda part: grid(part, origin, u, v, divisions))

    @rule(picks=PICKS)
    def elements_are_deleted(self, picks: list[int]) -> None:
        self.act(lambda part: delete_elements(part, picked(part.mesh.element_labels, picks)))

    @rule(picks=PICKS)
    def nodes_are_deleted(self, picks: list[int]) -> None:
        self.act(lambda part: delete_nodes(part, picked(part.mesh.node_labels, picks)))

    @rule(sure=st.integers(0, 9))
    def all_is_cleared(self, sure: int) -> None:
        if sure == 0:
            self.act(clear)

    @rule(affine=AFFINES, picks=st.none() | PICKS)
    def elements_are_moved(self, affine: Affine, picks: list[int] | None) -> None:
        self.act(lambda part: move(part, self.chosen(part, picks), affine))

    @rule(affine=AFFINES, picks=PICKS)
    def elements_are_copied(self, affine: Affine, picks: list[int]) -> None:
        self.act(lambda part: copy(part, self.chosen(part, picks), affine))

    @rule(vector=POINT, count=st.integers(0, 3), picks=PICKS)
    def they_are_repeated_in_a_row(self, vector: Any, count: int, picks: list[int]) -> None:
        self.act(lambda part: linear_array(part, self.chosen(part, picks), vector, count))

    @rule(direction=POINT, degrees=st.sampled_from([0, 45, -90, 200]), count=st.integers(0, 3), picks=PICKS)
    def they_are_repeated_in_a_circle(self, direction: Any, degrees: float, count: int, picks: list[int]) -> None:
        self.act(lambda part: polar_array(part, self.chosen(part, picks), (0, 0, 0), direction, degrees, count))

    @rule(name=NAMES, picks=PICKS)
    def sets_are_put(self, name: str, picks: list[int]) -> None:
        self.act(lambda part: put_element_set(part, name, picked(part.mesh.element_labels, picks)))
        self.act(lambda part: put_node_set(part, name, picked(part.mesh.node_labels, picks)))

    @rule(name=NAMES)
    def a_set_is_removed(self, name: str) -> None:
        self.act(lambda part: remove_set(part, name))

    @rule(one=POINT, other=POINT)
    def a_region_is_deleted(self, one: Any, other: Any) -> None:
        region = Region(box=(tuple(np.minimum(one, other).tolist()), tuple(np.maximum(one, other).tolist())))
        self.act(lambda part: delete_elements(part, elements_in(part, region)))
        self.act(lambda part: delete_nodes(part, nodes_in(part, region)))

    @staticmethod
    def chosen(part: Part, picks: list[int] | None) -> list[int]:
        labels = part.mesh.element_labels
        return labels.tolist() if picks is None else picked(labels, picks)

    @invariant()
    def nothing_leads_nowhere(self) -> None:
        assert self.part.faults() == []
        assert not np.signbit(self.part.mesh.xyz[self.part.mesh.xyz == 0]).any()
        assert self.part.mesh.element_count < MANY


TestShapingInAnyOrder = Shaping.TestCase
TestShapingInAnyOrder.settings = settings(
    max_examples=60, stateful_step_count=20, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
