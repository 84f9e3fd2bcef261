"""Hand-made parts to draw, and what an SVG holds."""

from collections.abc import Sequence
from xml.etree import ElementTree as ET

import numpy as np

from steadyhand.domains.cae.engine.mesh import USUAL_TYPE, Mesh
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import Force, Gravity, Pressure, Support
from steadyhand.domains.cae.engine.shapes import Shape

SVG = "{http://www.w3.org/2000/svg}"


def made(xyz: Sequence[Sequence[float]], elements: Sequence[Sequence[int]]) -> Part:
    """A part whose elements are rows of *xyz*, labelled from 1."""
    conn = np.full((len(elements), 4), -1, np.int32)
    for row, nodes in enumerate(elements):
        conn[row, : len(nodes)] = nodes
    types = np.array([USUAL_TYPE[Shape(len(nodes))] for nodes in elements], np.int32)
    mesh = Mesh(
        np.array(xyz, float).reshape(-1, 3),
        np.arange(1, len(xyz) + 1),
        conn,
        np.array([len(nodes) for nodes in elements], np.int8),
        np.arange(1, len(elements) + 1),
        types,
        np.full(len(elements), -1, np.int32),
    )
    part = Part(mesh=mesh, next_node=len(xyz) + 1, next_element=len(elements) + 1)
    assert part.faults() == []
    return part


def plate(along: int = 4, across: int = 3, size: float = 10.0) -> Part:
    """A flat plate of QUADs, row by row."""
    xyz = [(size * i, size * j, 0.0) for j in range(across + 1) for i in range(along + 1)]
    wide = along + 1
    return made(
        xyz,
        [
            (j * wide + i, j * wide + i + 1, (j + 1) * wide + i + 1, (j + 1) * wide + i)
            for j in range(across)
            for i in range(along)
        ],
    )


def tee() -> Part:
    """Two QUADs in the plane (1, 2), one that stands on their common edge (3), a TRI beside (4), a BEAM on top (5), a lone node."""
    xyz = [
        (0, 0, 0),
        (10, 0, 0),
        (20, 0, 0),
        (0, 10, 0),
        (10, 10, 0),
        (20, 10, 0),
        (10, 0, 10),
        (10, 10, 10),
        (25, 5, 0),
        (5, 5, 20),
    ]
    return made(xyz, [(0, 1, 4, 3), (1, 2, 5, 4), (1, 4, 7, 6), (2, 8, 5), (6, 7)])


def loaded(part: Part, name: str = "A") -> Part:
    """The same part, held at its smallest x and loaded in every way there is."""
    mesh = part.mesh
    part.node_sets["_HELD"] = mesh.node_labels[mesh.xyz[:, 0] == mesh.xyz[:, 0].min()]
    part.node_sets["_PULLED"] = mesh.node_labels[mesh.xyz[:, 0] == mesh.xyz[:, 0].max()]
    part.element_sets["_PRESSED"] = mesh.element_labels[mesh.sizes >= 3]
    part.supports = {f"{name}-fix": Support(f"{name}-fix", "_HELD", (1, 2, 3, 4, 5, 6))}
    part.loads = {
        f"{name}-pull": Force(f"{name}-pull", "_PULLED", (30.0, 0.0, 0.0)),
        f"{name}-press": Pressure(f"{name}-press", "_PRESSED", 0.5),
        f"{name}-fall": Gravity(f"{name}-fall", (0.0, 0.0, -9810.0)),
    }
    assert part.faults() == []
    return part


def girder(across: int) -> Part:
    """Separate plates of a long box: three decks, three walls; about 30 × *across*² elements."""
    xyz: list[np.ndarray] = []
    conn: list[np.ndarray] = []
    for side, (u, v) in (("z", ((50, 0, 0), (0, 10, 0))), ("y", ((50, 0, 0), (0, 0, 10)))):
        for at in (0.0, 5.0, 10.0):
            i, j = (axis.ravel() for axis in np.meshgrid(np.arange(5 * across + 1), np.arange(across + 1), indexing="ij"))
            origin = np.array([0, 0, at] if side == "z" else [0, at, 0])
            first = sum(map(len, xyz))
            xyz.append(origin + np.outer(i / (5 * across), u) + np.outer(j / across, v))
            inside = (i < 5 * across) & (j < across)
            row = first + i[inside] * (across + 1) + j[inside]
            conn.append(np.column_stack([row, row + across + 1, row + across + 2, row + 1]))
    nodes, rows = np.concatenate(xyz), np.concatenate(conn).astype(np.int32)
    count = len(rows)
    mesh = Mesh(
        nodes,
        np.arange(1, len(nodes) + 1),
        rows,
        np.full(count, 4, np.int8),
        np.arange(1, count + 1),
        np.full(count, 2, np.int32),
        np.full(count, -1, np.int32),
    )
    return Part(mesh=mesh, next_node=len(nodes) + 1, next_element=count + 1)


def without(part: Part, elements: Sequence[int]) -> Part:
    """A copy without those elements and without the sets; their nodes stay."""
    mesh = part.mesh
    kept = ~np.isin(mesh.element_labels, elements)
    cut = Mesh(
        mesh.xyz.copy(),
        mesh.node_labels,
        mesh.conn[kept],
        mesh.sizes[kept],
        mesh.element_labels[kept],
        mesh.types[kept],
        mesh.assigned[kept],
    )
    return Part(mesh=cut, next_node=part.next_node, next_element=part.next_element)


def root_of(svg: str) -> ET.Element:
    """The drawing as a tree; not sound XML raises."""
    return ET.fromstring(svg)  # noqa: S314  # our own


def looks_of(tree: ET.Element) -> dict[int, dict[str, str]]:
    """The attributes under which each element that carries its label is drawn, those of the groups around it among them."""
    found: dict[int, dict[str, str]] = {}

    def walk(node: ET.Element, around: dict[str, str]) -> None:
        here = {**around, **node.attrib}
        if "data-e" in node.attrib:
            assert int(node.attrib["data-e"]) not in found, "an element is drawn by its label once"
            found[int(node.attrib["data-e"])] = here
        for child in node:
            walk(child, here)

    walk(tree, {})
    return found


def group(tree: ET.Element, **attributes: str) -> ET.Element:
    """The one group with these attributes; underscores stand for hyphens."""
    wanted = {name.replace("_", "-"): value for name, value in attributes.items()}
    found = [node for node in tree.iter(f"{SVG}g") if all(node.get(name) == value for name, value in wanted.items())]
    assert len(found) == 1
    return found[0]


def texts_of(tree: ET.Element) -> list[str]:
    """Every text, in order."""
    return [str(node.text) for node in tree.iter(f"{SVG}text")]


def count_after(texts: list[str], text: str) -> str:
    """What the legend counts for the line *text*: the number is written before it, at the line's end."""
    return texts[texts.index(text) - 1]
