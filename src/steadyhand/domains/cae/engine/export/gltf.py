"""Decides how a part becomes a `.glb` that a browser shows: faces, beams as lines, colours and a displacement; it must not choose colours."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.mesh import Floats, Mesh
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.shapes import Shape

FLOAT, BYTE, WORD = 5126, 5121, 5125
VERTICES, INDICES = 34962, 34963
LINES, TRIANGLES = 1, 4
MAGIC, JSON_CHUNK, BINARY_CHUNK = b"glTF", b"JSON", b"BIN\0"
VERSION = 2
LARGEST = 2**32 - 1
MM_IN_M = 0.001
Z_UP = (-(0.5**0.5), 0.0, 0.0, 0.5**0.5)
"""A quarter turn about x: the format's up is y, a part's is z."""
PLAIN = {"pbrMetallicRoughness": {"metallicFactor": 0.0, "roughnessFactor": 0.9}, "doubleSided": True}


@dataclass(slots=True)
class _Buffer:
    data: bytearray = field(default_factory=bytearray)
    views: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    accessors: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def add(self, values: "NDArray[Any]", component: int, kind: str, target: int, **more: object) -> int:
        """Append an array whose rows are multiples of four bytes, and return its accessor."""
        data = values.tobytes()
        self.views.append({"buffer": 0, "byteOffset": len(self.data), "byteLength": len(data), "target": target})
        self.data += data
        view = len(self.views) - 1
        self.accessors.append({"bufferView": view, "componentType": component, "count": len(values), "type": kind, **more})
        return len(self.accessors) - 1

    def add_points(self, xyz: Floats) -> int:
        """Append points or displacements, with their bounds."""
        points = xyz.astype("<f4")
        bounds = {"min": points.min(axis=0).tolist(), "max": points.max(axis=0).tolist()}
        return self.add(points, FLOAT, "VEC3", VERTICES, **bounds)


def write_glb(
    path: Path,
    part: Part,
    *,
    colours: "NDArray[np.uint8] | None" = None,
    displacement: "Floats | None" = None,
    scale: float = 1.0,
) -> None:
    """Write the faces and beams of *part*, in metres, z up turned to y up.

    *colours* (N, 3) are red, green, blue of each node; *displacement* (N, 3) becomes a morph target that is shown *scale* times.
    Raises `EngineRefusal`: ``export_empty`` without an element, ``export_wrong_values`` for arrays of another shape.
    """
    mesh = part.mesh
    if not mesh.element_count:
        raise EngineRefusal("export_empty")
    used = np.flatnonzero(mesh.used_nodes())
    place = np.zeros(mesh.node_count, "<u4")
    place[used] = np.arange(len(used))
    xyz = mesh.xyz[used]
    centre = (xyz.min(axis=0) + xyz.max(axis=0)) / 2  # small numbers stay exact enough in single precision
    buffer = _Buffer()
    attributes = {"POSITION": buffer.add_points(xyz - centre)}
    if colours is not None:
        if colours.shape != (mesh.node_count, 3) or colours.dtype != np.uint8:
            raise EngineRefusal("export_wrong_values", name="colours", count=mesh.node_count)
        opaque = np.column_stack((colours[used], np.full(len(used), 255, np.uint8)))
        attributes["COLOR_0"] = buffer.add(opaque, BYTE, "VEC4", VERTICES, normalized=True)
    more: dict[str, Any] = {}
    if displacement is not None:
        if displacement.shape != (mesh.node_count, 3) or not bool(np.isfinite(displacement[used]).all()):
            raise EngineRefusal("export_wrong_values", name="displacement", count=mesh.node_count)
        more["targets"] = [{"POSITION": buffer.add_points(displacement[used])}]
    primitives = [
        {"attributes": attributes, "indices": buffer.add(rows, WORD, "SCALAR", INDICES), "mode": mode, "material": 0, **more}
        for mode, rows in ((TRIANGLES, place[_faces(mesh)]), (LINES, place[_beams(mesh)]))
        if len(rows)
    ]
    shown: dict[str, Any] = {"primitives": primitives} | ({"weights": [float(scale)]} if more else {})
    path.write_bytes(_file(buffer, shown, centre))


def _faces(mesh: Mesh) -> "NDArray[np.int32]":
    """Return the rows of the corners of all triangles; a QUAD is two."""
    quads, tris = mesh.conn[mesh.sizes == Shape.QUAD.value], mesh.conn[mesh.sizes == Shape.TRI.value]
    halves = quads[:, (0, 1, 2, 0, 2, 3)].reshape(-1, 3)
    return np.concatenate((halves, tris[:, :3])).ravel()


def _beams(mesh: Mesh) -> "NDArray[np.int32]":
    return mesh.conn[mesh.sizes == Shape.BEAM.value][:, :2].ravel()


def _file(buffer: _Buffer, mesh: dict[str, Any], centre: Floats) -> bytes:
    told = {
        "asset": {"version": "2.0", "generator": "steadyhand"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [
            {"rotation": list(Z_UP), "scale": [MM_IN_M] * 3, "children": [1]},
            {"translation": centre.tolist(), "mesh": 0},
        ],
        "meshes": [mesh],
        "materials": [PLAIN],
        "buffers": [{"byteLength": len(buffer.data)}],
        "bufferViews": buffer.views,
        "accessors": buffer.accessors,
    }
    text = json.dumps(told, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    size = 12 + 8 + len(text) + 8 + len(buffer.data)
    if size > LARGEST:
        raise EngineRefusal("export_too_large", limit=LARGEST)
    head = MAGIC + VERSION.to_bytes(4, "little") + size.to_bytes(4, "little")
    return head + _chunk(JSON_CHUNK, text) + _chunk(BINARY_CHUNK, bytes(buffer.data))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return len(data).to_bytes(4, "little") + kind + data
