"""Decides the arguments of the tools that build and change geometry; it must not resolve one, which the compiler does."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from steadyhand.domains.cae.calls.words import KnownName, Labels, LocalId, Name, Number, Positive, Region, ShapeName, Vector
from steadyhand.tools.base import Arguments

MOST_ENTRIES = 20_000
MOST_DIVISIONS = 2_000


class NodeEntry(Arguments):
    """A coordinate under a name that holds in this call alone; it says where a node is wanted, not that one must be made."""

    id: LocalId
    coordinates: Vector


class ElementEntry(Arguments):
    """An element over local node names, in order around it."""

    id: LocalId
    shape: ShapeName
    node_ids: Annotated[tuple[LocalId, ...], Field(min_length=2, max_length=4)]


class ElementSetEntry(Arguments):
    """A set over elements of this call; made only when the person asked for one."""

    name: Name
    element_ids: Annotated[tuple[LocalId, ...], Field(min_length=1)]


class GridEntry(Arguments):
    """A regular plate of QUADs from *origin* along two whole edge vectors, cut into *divisions* along each."""

    id: LocalId
    origin: Vector
    u: Vector
    v: Vector
    divisions: tuple[
        Annotated[int, Field(ge=1, le=MOST_DIVISIONS)],
        Annotated[int, Field(ge=1, le=MOST_DIVISIONS)],
    ]


Nodes: TypeAlias = Annotated[tuple[NodeEntry, ...], Field(max_length=MOST_ENTRIES)]
Elements: TypeAlias = Annotated[tuple[ElementEntry, ...], Field(max_length=MOST_ENTRIES)]
ElementSets: TypeAlias = tuple[ElementSetEntry, ...]
Grids: TypeAlias = Annotated[tuple[GridEntry, ...], Field(max_length=100)]


class BuildPart(Arguments):
    """build_part: the first geometry of an empty part. Local names of *grids* stand for all their elements in a set."""

    nodes: Nodes
    elements: Elements
    grids: Grids = ()
    element_sets: ElementSets = ()


class EditPart(Arguments):
    """edit_part: add over a coordinate table, delete by label. Deleting nodes takes the elements on them along."""

    nodes: Nodes = ()
    add_elements: Elements = ()
    grids: Grids = ()
    delete_element_labels: Labels = ()
    delete_node_labels: Labels = ()
    delete_region: Region | None = None
    clear_all: bool = False
    element_sets: ElementSets = ()
    remove_sets: tuple[KnownName, ...] = ()


class Translate(Arguments):
    """Move, or copy, along a vector."""

    kind: Literal["translate"]
    region: Region
    vector: Vector
    copy_elements: bool


class Rotate(Arguments):
    """Turn, or copy turned, about the axis through *point* along *direction*, right-handed."""

    kind: Literal["rotate"]
    region: Region
    point: Vector
    direction: Vector
    degrees: Number
    copy_elements: bool


class Mirror(Arguments):
    """Mirror, or copy mirrored, in the plane through *point* with *normal*; the winding is kept right."""

    kind: Literal["mirror"]
    region: Region
    point: Vector
    normal: Vector
    copy_elements: bool


class LinearArray(Arguments):
    """*count* copies beside the original, each one *vector* further."""

    kind: Literal["linear_array"]
    region: Region
    vector: Vector
    count: Annotated[int, Field(ge=1, le=1_000)]


class PolarArray(Arguments):
    """*count* copies beside the original, each *degrees* further about the axis."""

    kind: Literal["polar_array"]
    region: Region
    point: Vector
    direction: Vector
    degrees: Number
    count: Annotated[int, Field(ge=1, le=1_000)]


Transform: TypeAlias = Annotated[Translate | Rotate | Mirror | LinearArray | PolarArray, Field(discriminator="kind")]


class TransformPart(Arguments):
    """transform_part: one or several transforms, in order."""

    operations: Annotated[tuple[Transform, ...], Field(min_length=1, max_length=50)]


class RepairPart(Arguments):
    """repair_part: what is to be cleaned, always in this order: merge, duplicates, free nodes."""

    merge_tolerance: Positive | None = None
    region: Region | None = None
    remove_duplicate_elements: bool = False
    remove_free_nodes: bool = False


class AuditPart(Arguments):
    """audit_part: look and report; *tolerance* says what counts as the same place."""

    tolerance: Positive = 1e-3


class RefineMesh(Arguments):
    """refine_mesh: halve the edges *levels* times; elements keep their section and sets."""

    levels: Annotated[int, Field(ge=1, le=3)]
    shapes: tuple[ShapeName, ...] = ()
    region: Region | None = None


class AuditMesh(Arguments):
    """audit_mesh: look at the quality of the elements and report."""

    tolerance: Positive = 1e-3
