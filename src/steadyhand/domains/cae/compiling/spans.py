"""Decides what range a count can lie in after an operation whose exact effect only the mesh knows; it must not know an operation."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Self

from steadyhand.domains.cae.compiling.known import SHAPES, Known

CORNERS: Final = {"QUAD": 4, "TRI": 3, "BEAM": 2}
EDGES: Final = {"QUAD": 4, "TRI": 3, "BEAM": 1}
CHILDREN: Final = {"QUAD": 4, "TRI": 4, "BEAM": 2}
INSIDE: Final = {"QUAD": 1, "TRI": 0, "BEAM": 0}
"""Nodes that refining puts inside an element, beside those on its edges."""
INNER_EDGES: Final = {"QUAD": 4, "TRI": 3, "BEAM": 0}


@dataclass(frozen=True, slots=True)
class Span:
    """From *low* to *high*, both included."""

    low: int
    high: int

    @classmethod
    def of(cls, count: int) -> Self:
        """Return what is known exactly."""
        return cls(count, count)

    @property
    def exact(self) -> bool:
        """Whether there is one count that it can be."""
        return self.low == self.high

    def __add__(self, other: "Span") -> "Span":
        return Span(self.low + other.low, self.high + other.high)

    def without(self, other: "Span") -> "Span":
        """Return what is left when *other* goes."""
        return Span(max(0, self.low - other.high), max(0, self.high - other.low))

    def times(self, factor: int) -> "Span":
        """Return so many times as many."""
        return Span(self.low * factor, self.high * factor)

    def down_to(self, low: int) -> "Span":
        """Return what some of may go, until *low* are left."""
        return Span(min(self.low, low), self.high)


NONE: Final = Span(0, 0)


@dataclass(frozen=True, slots=True)
class Some:
    """Elements that a region means: how many in all, and of each shape."""

    elements: Span
    shapes: dict[str, Span]

    def corners(self) -> Span:
        """Return how many nodes they can stand on."""
        least = max((CORNERS[shape] for shape in SHAPES if self.shapes[shape].low), default=2 if self.elements.low else 0)
        return Span(least, sum(CORNERS[shape] * self.shapes[shape].high for shape in SHAPES))


def tightened(elements: Span, shapes: dict[str, Span]) -> Some:
    """Let the count of all and the counts of the shapes bound each other."""
    low, high = sum(span.low for span in shapes.values()), sum(span.high for span in shapes.values())
    least = max(elements.low, low)
    whole = Span(least, max(min(elements.high, high), least))
    return Some(whole, {shape: Span(span.low, min(span.high, whole.high)) for shape, span in shapes.items()})


@dataclass(slots=True)
class Counts:
    """What a part can hold at one point of a program; *used* are nodes that an element stands on."""

    nodes: Span
    used: Span
    all: Some
    sets: dict[str, Some] = field(default_factory=dict[str, Some])

    @classmethod
    def of(cls, facts: Known) -> "Counts":
        """Return what was observed."""
        shapes = {shape: Span.of(facts.shapes[shape]) for shape in SHAPES}
        sets = {name: _exact(counts) for name, counts in facts.element_sets.items()}
        return cls(Span.of(facts.nodes), Span.of(facts.nodes - facts.free_nodes), Some(Span.of(facts.elements), shapes), sets)

    def put_points(self, points: Span) -> None:
        """Resolve so many distinct coordinates: each may be that of a node that is there."""
        self.nodes += points if self.nodes.high == 0 else Span(0, points.high)

    def put_elements(self, counts: dict[str, int]) -> None:
        """Make exactly so many elements."""
        added = {shape: Span.of(counts.get(shape, 0)) for shape in SHAPES}
        total = Span.of(sum(counts.values()))
        self.all = Some(self.all.elements + total, {shape: self.all.shapes[shape] + added[shape] for shape in SHAPES})
        self.used = Span(max(self.used.low, Some(total, added).corners().low), self.nodes.high)

    def take_elements(self, gone: Some) -> None:
        """Delete what a region means; nodes stay."""
        shapes = {shape: self.all.shapes[shape].without(gone.shapes[shape]) for shape in SHAPES}
        self.all = tightened(self.all.elements.without(gone.elements), shapes)
        self.used = Span(self.all.corners().low, self.used.high)
        self.sets = {name: _at_most(some) for name, some in self.sets.items()}

    def take_nodes(self, count: int) -> None:
        """Delete so many nodes, and whatever stands on them."""
        self.nodes = self.nodes.without(Span.of(count))
        self.take_elements(
            Some(Span(0, self.all.elements.high), {shape: Span(0, self.all.shapes[shape].high) for shape in SHAPES})
        )
        self.used = Span(min(self.used.low, self.nodes.low), min(self.used.high, self.nodes.high))

    def clear(self) -> None:
        """Delete everything; sets stay, empty."""
        nothing = Some(NONE, dict.fromkeys(SHAPES, NONE))
        self.nodes = self.used = NONE
        self.all, self.sets = nothing, dict.fromkeys(self.sets, nothing)

    def copy(self, some: Some, times: int) -> None:
        """Copy what a region means, on nodes of its own; copies join the sets of their originals."""
        whole = some == self.all
        nodes = (self.used if whole else _capped(some.corners(), self.used.high)).times(times)
        self.nodes, self.used = self.nodes + nodes, self.used + nodes
        shapes = {shape: self.all.shapes[shape] + some.shapes[shape].times(times) for shape in SHAPES}
        self.all = Some(self.all.elements + some.elements.times(times), shapes)
        for name, held in self.sets.items():
            joined = (
                held
                if whole
                else Some(Span(0, held.elements.high), {shape: Span(0, held.shapes[shape].high) for shape in SHAPES})
            )
            # a set that a load refers to gets no copies
            grown = {shape: held.shapes[shape] + Span(0, joined.shapes[shape].times(times).high) for shape in SHAPES}
            self.sets[name] = Some(held.elements + Span(0, joined.elements.times(times).high), grown)

    def merge(self) -> None:
        """Merge nodes: any number may go, and no element does."""
        least = self.all.corners().low
        self.nodes, self.used = self.nodes.down_to(min(1, self.nodes.low)), self.used.down_to(min(least, 1))

    def take_duplicates(self) -> None:
        """Remove duplicates: of what is there, one at least stays."""
        shapes = {shape: span.down_to(min(1, span.low)) for shape, span in self.all.shapes.items()}
        self.all = tightened(self.all.elements.down_to(min(1, self.all.elements.low)), shapes)
        self.sets = {name: _at_most(some) for name, some in self.sets.items()}

    def take_free_nodes(self, *, kept: bool) -> None:
        """Remove free nodes; some stay where *kept* text of a deck holds them."""
        self.nodes = Span(min(self.used.low, self.nodes.low), self.nodes.high if kept else self.used.high)

    def refine(self, some: Some, levels: int) -> None:
        """Halve the edges of what a region means *levels* times."""
        edges = sum(EDGES[shape] * some.shapes[shape].high for shape in SHAPES)
        shapes, nodes = dict(some.shapes), self.nodes
        for _ in range(levels):
            inside = (
                [INSIDE[shape] * shapes[shape].low for shape in SHAPES],
                [INSIDE[shape] * shapes[shape].high for shape in SHAPES],
            )
            nodes += Span(sum(inside[0]), sum(inside[1]) + edges)
            edges = 2 * edges + sum(INNER_EDGES[shape] * shapes[shape].high for shape in SHAPES)
            shapes = {shape: shapes[shape].times(CHILDREN[shape]) for shape in SHAPES}
        factors = {shape: CHILDREN[shape] ** levels - 1 for shape in SHAPES}
        grown = {shape: self.all.shapes[shape] + some.shapes[shape].times(factors[shape]) for shape in SHAPES}
        whole = _grown(self.all.elements, some, levels)
        self.used = Span(self.used.low, self.used.high + nodes.high - self.nodes.high)
        self.nodes = nodes
        self.all = tightened(whole, grown)
        self.sets = {name: _refined(held, levels, whole=some) for name, held in self.sets.items()}


def _grown(elements: Span, some: Some, levels: int) -> Span:
    """Return how many there are once each of *some* is in pieces: exactly, where shapes are known, else between the factors."""
    exact = all(span.exact for span in some.shapes.values())
    if exact:
        return elements + Span.of(sum(span.low * (CHILDREN[shape] ** levels - 1) for shape, span in some.shapes.items()))
    present = [CHILDREN[shape] ** levels - 1 for shape, span in some.shapes.items() if span.high]
    return elements + Span(some.elements.low * min(present, default=0), some.elements.high * max(present, default=0))


def _refined(held: Some, levels: int, whole: Some) -> Some:
    most = {shape: CHILDREN[shape] ** levels if whole.shapes[shape].high else 1 for shape in SHAPES}
    shapes = {shape: Span(held.shapes[shape].low, held.shapes[shape].high * most[shape]) for shape in SHAPES}
    return Some(Span(held.elements.low, sum(span.high for span in shapes.values())), shapes)


def _exact(counts: Mapping[str, int]) -> Some:
    held = {shape: Span.of(counts[shape]) for shape in SHAPES}
    return Some(Span.of(sum(span.low for span in held.values())), held)


def _at_most(some: Some) -> Some:
    return Some(Span(0, some.elements.high), {shape: Span(0, span.high) for shape, span in some.shapes.items()})


def _capped(span: Span, high: int) -> Span:
    return Span(min(span.low, high), min(span.high, high))
