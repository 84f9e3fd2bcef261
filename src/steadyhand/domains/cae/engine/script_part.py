"""Decides what a generated script can do to its part: each word is one operation of the engine; it must not be an operation itself."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from steadyhand.domains.cae.engine import assigning, auditing, building, deleting, loading, moving, naming
from steadyhand.domains.cae.engine.affine import Affine, mirror, rotation, translation
from steadyhand.domains.cae.engine.duplicates import remove_duplicate_elements
from steadyhand.domains.cae.engine.free_nodes import remove_free_nodes
from steadyhand.domains.cae.engine.inputs import TOLERANCE
from steadyhand.domains.cae.engine.merging import merge_nodes
from steadyhand.domains.cae.engine.mesh import Labels
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.refining import refine
from steadyhand.domains.cae.engine.regions import Region, elements_in, nodes_in
from steadyhand.domains.cae.engine.shapes import Axis, Shape, as_axis, as_shape
from steadyhand.domains.cae.engine.stage import Stage

Point: TypeAlias = "tuple[float, float, float]"
Chosen: TypeAlias = "Labels | Sequence[int]"
EVERY_SHAPE = (Shape.QUAD, Shape.TRI, Shape.BEAM)


class ScriptPart:
    """The part of a script. *elements* and *nodes* are labels, from `pickElements`, `pickNodes` or what made them."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    @property
    def data(self) -> Part:
        """The engine's part."""
        return self._stage.part

    @property
    def nodes(self) -> Labels:
        """The labels of all nodes."""
        return self.data.mesh.node_labels

    @property
    def elements(self) -> Labels:
        """The labels of all elements."""
        return self.data.mesh.element_labels

    # ---- choosing ----------------------------------------------------------------------------------------------------

    def pickElements(
        self,
        *,
        set: str | None = None,  # noqa: A002  # the modelled API's word
        labels: tuple[int, ...] | None = None,
        box: tuple[Point, Point] | None = None,
        plane: tuple[Axis, float] | None = None,
        side: Any = None,
        everything: bool = False,
        shapes: tuple[Shape, ...] = (),
    ) -> Labels:
        """Return the labels of the elements in a region as it is now."""
        region = Region(set=set, labels=labels, box=box, plane=plane, side=side, everything=everything, shapes=_shapes(shapes))
        return elements_in(self.data, region)

    def pickNodes(
        self,
        *,
        set: str | None = None,  # noqa: A002  # the modelled API's word
        labels: tuple[int, ...] | None = None,
        box: tuple[Point, Point] | None = None,
        plane: tuple[Axis, float] | None = None,
        side: Any = None,
        everything: bool = False,
        shapes: tuple[Shape, ...] = (),
    ) -> Labels:
        """Return the labels of the nodes in a region as it is now."""
        region = Region(set=set, labels=labels, box=box, plane=plane, side=side, everything=everything, shapes=_shapes(shapes))
        return nodes_in(self.data, region)

    # ---- building and deleting ---------------------------------------------------------------------------------------

    def resolveNodes(self, coordinates: Sequence[Point]) -> Labels:
        """Return a node for each coordinate: one that is there, else a new one."""
        return building.resolve(self.data, coordinates)

    def Node(self, coordinates: Point) -> int:
        """Make a node, also where one is."""
        return int(building.add_nodes(self.data, [coordinates])[0])

    def Element(self, *, nodes: Sequence[int], elemShape: Shape) -> int:
        """Make an element."""
        return int(building.add_elements(self.data, as_shape(elemShape), [list(nodes)])[0])

    def Elements(self, *, nodes: Sequence[Sequence[int]], elemShape: Shape) -> Labels:
        """Make elements of one shape."""
        return building.add_elements(self.data, as_shape(elemShape), [list(row) for row in nodes])

    def Grid(self, *, origin: Point, u: Point, v: Point, divisions: tuple[int, int]) -> Labels:
        """Make a plate of QUADs and return their labels."""
        return building.grid(self.data, origin, u, v, divisions).elements.ravel()

    def deleteElement(self, *, labels: Chosen) -> None:
        """Delete elements; their nodes stay."""
        deleting.delete_elements(self.data, labels)

    def deleteNode(self, *, labels: Chosen) -> None:
        """Delete nodes and every element on them."""
        deleting.delete_nodes(self.data, labels)

    def clear(self) -> None:
        """Delete all nodes and elements."""
        deleting.clear(self.data)

    def Set(self, *, name: str, elements: Chosen) -> None:
        """Make or replace a set of elements."""
        naming.put_element_set(self.data, name, elements)

    def NodeSet(self, *, name: str, nodes: Chosen) -> None:
        """Make or replace a set of nodes."""
        naming.put_node_set(self.data, name, nodes)

    def removeSet(self, *, name: str) -> None:
        """Take a set away; what it names stays."""
        naming.remove_set(self.data, name)

    # ---- moving ------------------------------------------------------------------------------------------------------

    def translate(self, *, elements: Chosen, vector: Point, copy: bool) -> Labels:
        """Move elements, or copies of them; return the labels of the elements that now lie there."""
        return self._move(elements, translation(vector), copy=copy)

    def rotate(self, *, elements: Chosen, point: Point, direction: Point, degrees: float, copy: bool) -> Labels:
        """As `translate`, turned about an axis."""
        return self._move(elements, rotation(point, direction, degrees), copy=copy)

    def mirror(self, *, elements: Chosen, point: Point, normal: Point, copy: bool) -> Labels:
        """As `translate`, mirrored in a plane."""
        return self._move(elements, mirror(point, normal), copy=copy)

    def linearArray(self, *, elements: Chosen, vector: Point, count: int) -> Labels:
        """Make *count* copies in a row and return their labels."""
        return moving.linear_array(self.data, elements, vector, count).elements

    def polarArray(self, *, elements: Chosen, point: Point, direction: Point, degrees: float, count: int) -> Labels:
        """Make *count* copies about an axis and return their labels."""
        return moving.polar_array(self.data, elements, point, direction, degrees, count).elements

    def _move(self, elements: Chosen, affine: Affine, *, copy: bool) -> Labels:
        if copy:
            return moving.copy(self.data, elements, affine).elements
        moving.move(self.data, elements, affine)
        return naming.as_labels(elements)

    # ---- cleaning and refining ---------------------------------------------------------------------------------------

    def mergeNodes(self, *, tolerance: float, elements: "Labels | None" = None) -> int:
        """Merge nodes in one place, of all elements or of these; return how many went."""
        return len(merge_nodes(self.data, tolerance, elements).removed)

    def removeDuplicateElements(self) -> int:
        """Remove elements on the same nodes as another; return how many went."""
        return len(remove_duplicate_elements(self.data))

    def removeFreeNodes(self) -> int:
        """Remove nodes that no element uses; return how many went."""
        return len(remove_free_nodes(self.data))

    def refine(self, *, levels: int, elemShapes: tuple[Shape, ...] = EVERY_SHAPE, elements: "Labels | None" = None) -> None:
        """Halve the edges of elements *levels* times."""
        refine(self.data, levels, _shapes(elemShapes) or EVERY_SHAPE, elements)

    # ---- properties and cases ----------------------------------------------------------------------------------------

    def SectionAssignment(self, *, elements: Chosen, sectionName: str, n1: "Point | None" = None) -> None:
        """Give elements a section."""
        assigning.assign(self.data, elements, sectionName, n1)

    def Force(self, *, name: str, nodes: Chosen, components: Point, total: bool = True) -> None:
        """Put a force on nodes, shared, or the same on each."""
        loading.put_force(self.data, name, nodes, components, total=total)

    def Pressure(self, *, name: str, elements: Chosen, magnitude: float) -> None:
        """Put a pressure on TRI and QUAD."""
        loading.put_pressure(self.data, name, elements, magnitude)

    def Gravity(self, *, name: str, components: Point) -> None:
        """Put an acceleration on everything."""
        loading.put_gravity(self.data, name, components)

    def Fix(self, *, name: str, nodes: Chosen, dofs: tuple[int, ...]) -> None:
        """Hold degrees of freedom of nodes."""
        loading.put_fix(self.data, name, nodes, dofs)

    def Symmetry(self, *, name: str, nodes: Chosen, axis: Axis) -> None:
        """Hold nodes in a plane of symmetry."""
        loading.put_symmetry(self.data, name, nodes, as_axis(axis))

    def removeLoad(self, *, name: str) -> None:
        """Take a load away."""
        loading.remove_load(self.data, name)

    def removeSupport(self, *, name: str) -> None:
        """Take a support away."""
        loading.remove_support(self.data, name)

    # ---- looking -----------------------------------------------------------------------------------------------------

    def audit(self, *, report: str, kind: str, tolerance: float = TOLERANCE) -> None:
        """Look at the part and leave a report."""
        self._stage.reports[auditing.check_report(report)] = auditing.report(self.data, kind, tolerance)


def same_part(part: object, stage: Stage) -> bool:
    """Tell whether *part* is the one on *stage*."""
    return isinstance(part, ScriptPart) and part.data is stage.part


def _shapes(shapes: Sequence[Shape]) -> tuple[Shape, ...]:
    return tuple(as_shape(shape) for shape in shapes)
