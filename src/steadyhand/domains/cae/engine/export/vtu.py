"""Decides how a part, with values on its nodes and elements, becomes a `.vtu` that visualisation programs open; it must not compute a value."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.shapes import Shape

Array = NDArray[np.generic]
CELL = np.zeros(5, np.uint8)
CELL[[Shape.BEAM.value, Shape.TRI.value, Shape.QUAD.value]] = (3, 5, 9)  # VTK_LINE, VTK_TRIANGLE, VTK_QUAD
KINDS: dict[np.dtype[Any], str] = {
    np.dtype(np.float64): "Float64",
    np.dtype(np.float32): "Float32",
    np.dtype(np.int64): "Int64",
    np.dtype(np.int32): "Int32",
    np.dtype(np.int8): "Int8",
    np.dtype(np.uint8): "UInt8",
}
END = b"\n  </AppendedData>\n</VTKFile>\n"


def write_vtu(
    path: Path,
    part: Part,
    *,
    point_data: "Mapping[str, Array] | None" = None,
    cell_data: "Mapping[str, Array] | None" = None,
) -> None:
    """Write the mesh with its labels and the place of each element's assignment (−1: none), and the given values.

    *point_data* are (N,) or (N, k), in the order of ``mesh.node_labels``; *cell_data* are (E,) or (E, k). Raises `EngineRefusal`
    ``export_wrong_values`` for values of another length or of no numbers.
    """
    mesh = part.mesh
    groups: list[tuple[str, dict[str, Array]]] = [
        ("PointData", {"node_label": mesh.node_labels, **_checked(point_data or {}, mesh.node_count)}),
        (
            "CellData",
            {"element_label": mesh.element_labels, "assignment": mesh.assigned, **_checked(cell_data or {}, mesh.element_count)},
        ),
        ("Points", {"points": mesh.xyz}),
        (
            "Cells",
            {
                "connectivity": mesh.conn[mesh.conn >= 0],
                "offsets": np.cumsum(mesh.sizes, dtype=np.int64),
                "types": CELL[mesh.sizes],
            },
        ),
    ]
    lines: list[str] = []
    blocks: list[bytes] = []
    offset = 0
    for group, arrays in groups:
        lines.append(f"      <{group}>\n")
        for name, values in arrays.items():
            data = np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<"), copy=False).tobytes()
            lines.append(_described(name, values, offset))
            blocks += [len(data).to_bytes(8, "little"), data]
            offset += 8 + len(data)
        lines.append(f"      </{group}>\n")
    with path.open("wb") as opened:
        opened.write(_head(mesh.node_count, mesh.element_count, "".join(lines)).encode())
        opened.writelines(blocks)
        opened.write(END)


def _checked(data: Mapping[str, Array], count: int) -> dict[str, Array]:
    found: dict[str, Array] = {}
    for name, values in data.items():
        plain = values.astype(np.uint8) if values.dtype == np.bool_ else values
        if plain.ndim not in {1, 2} or len(plain) != count or plain.dtype not in KINDS or not name.isprintable():
            raise EngineRefusal("export_wrong_values", name=name.encode("ascii", "backslashreplace").decode(), count=count)
        found[name] = plain
    return found


def _described(name: str, values: Array, offset: int) -> str:
    width = values.shape[1] if values.ndim > 1 else 1
    attributes = (
        f'type="{KINDS[values.dtype]}" Name={quoteattr(name)} NumberOfComponents="{width}" format="appended" offset="{offset}"'
    )
    return f"        <DataArray {attributes}/>\n"


def _head(nodes: int, elements: int, arrays: str) -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64">\n'
        f'  <UnstructuredGrid>\n    <Piece NumberOfPoints="{nodes}" NumberOfCells="{elements}">\n{arrays}'
        '    </Piece>\n  </UnstructuredGrid>\n  <AppendedData encoding="raw">\n_'
    )
