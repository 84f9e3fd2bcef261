"""What is exported is what its format says: read here by the format's own rules, since no reader of ours goes with it."""

import json
import struct
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from domains.cae.engine.drawn_parts import parts
from domains.cae.engine.plates import stiffened
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.export.gltf import write_glb
from steadyhand.domains.cae.engine.export.vtu import write_vtu
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.shapes import Shape

KINDS = {"Float64": "<f8", "Int64": "<i8", "Int32": "<i4", "UInt8": "u1", "Float32": "<f4", "Int8": "i1"}
CELLS = {3: 2, 5: 3, 9: 4}
COMPONENTS = {5121: ("u1", 1), 5125: ("<u4", 4), 5126: ("<f4", 4)}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}


def vtu(path):
    """Return the arrays of a .vtu with appended raw data, and the counts of its piece."""
    head, _, rest = path.read_bytes().partition(b'<AppendedData encoding="raw">\n_')
    root = ET.fromstring(head + b"</VTKFile>")  # noqa: S314 # the file is our own
    assert (root.get("type"), root.get("byte_order"), root.get("header_type")) == ("UnstructuredGrid", "LittleEndian", "UInt64")
    arrays = {}
    expected = 0
    for entry in root.iter("DataArray"):
        offset = int(entry.get("offset"))
        assert offset == expected
        (size,) = struct.unpack_from("<Q", rest, offset)
        values = np.frombuffer(rest[offset + 8 : offset + 8 + size], KINDS[entry.get("type")])
        width = int(entry.get("NumberOfComponents"))
        arrays[entry.get("Name")] = values.reshape(-1, width) if width > 1 else values
        expected = offset + 8 + size
    assert rest[expected:].strip() == b"</AppendedData>\n</VTKFile>"
    piece = next(root.iter("Piece"))
    return arrays, int(piece.get("NumberOfPoints")), int(piece.get("NumberOfCells"))


@given(part=parts())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_a_vtu_holds_the_mesh_to_the_bit(tmp_path, part):
    write_vtu(tmp_path / "part.vtu", part)
    arrays, points, cells = vtu(tmp_path / "part.vtu")
    mesh = part.mesh
    assert (points, cells) == (mesh.node_count, mesh.element_count)
    assert arrays["points"].tobytes() == mesh.xyz.tobytes()
    assert np.array_equal(arrays["node_label"], mesh.node_labels)
    assert np.array_equal(arrays["element_label"], mesh.element_labels)
    assert np.array_equal(arrays["assignment"], mesh.assigned)
    begins = np.concatenate(([0], arrays["offsets"]))
    for row, kind in enumerate(arrays["types"]):
        nodes = arrays["connectivity"][begins[row] : begins[row + 1]]
        assert len(nodes) == CELLS[int(kind)] == mesh.sizes[row]
        assert np.array_equal(nodes, mesh.conn[row, : len(nodes)])


def test_a_vtu_holds_values_and_escapes_their_names(tmp_path):
    part = stiffened()
    displacement = np.random.default_rng(1).random((part.mesh.node_count, 3))
    stress = np.arange(part.mesh.element_count, dtype=np.float64)
    write_vtu(tmp_path / "r.vtu", part, point_data={'<u> & "v"': displacement}, cell_data={"stress": stress, "flag": stress > 3})
    arrays, _, _ = vtu(tmp_path / "r.vtu")
    assert np.array_equal(arrays['<u> & "v"'], displacement)
    assert np.array_equal(arrays["stress"], stress)
    assert np.array_equal(arrays["flag"], stress > 3)


@pytest.mark.parametrize(
    "values",
    [np.zeros(3), np.zeros((1, 1, 1)), np.array(["x"] * 100), np.zeros(7, np.complex128)],
    ids=["length", "rank", "text", "kind"],
)
def test_values_that_do_not_fit_are_refused_before_a_file_is_made(tmp_path, values):
    for given_to in ("point_data", "cell_data"):
        with pytest.raises(EngineRefusal) as refused:
            write_vtu(tmp_path / "r.vtu", stiffened(), **{given_to: {"v": values}})
        assert refused.value.code == "export_wrong_values"
    assert list(tmp_path.iterdir()) == []


def glb(path):
    """Return the JSON of a .glb and its accessors as arrays, everything checked that the format demands."""
    data = path.read_bytes()
    magic, version, size = struct.unpack_from("<4sII", data)
    assert (magic, version, size) == (b"glTF", 2, len(data))
    length, kind = struct.unpack_from("<I4s", data, 12)
    assert (kind, length % 4) == (b"JSON", 0)
    told = json.loads(data[20 : 20 + length])
    binary, kind = struct.unpack_from("<I4s", data, 20 + length)
    assert (kind, binary % 4, 28 + length + binary) == (b"BIN\0", 0, len(data))
    assert told["asset"]["version"] == "2.0"
    assert told["buffers"] == [{"byteLength": binary}]
    body = data[28 + length :]
    arrays = []
    for accessor in told["accessors"]:
        view = told["bufferViews"][accessor["bufferView"]]
        kind, item = COMPONENTS[accessor["componentType"]]
        width = WIDTHS[accessor["type"]]
        assert view["byteOffset"] % 4 == 0
        assert view["byteLength"] == accessor["count"] * width * item
        part = body[view["byteOffset"] : view["byteOffset"] + view["byteLength"]]
        values = np.frombuffer(part, kind).reshape(-1, width)
        if "min" in accessor:
            assert (values.min(axis=0).tolist(), values.max(axis=0).tolist()) == (accessor["min"], accessor["max"])
        arrays.append(values)
    return told, arrays


def test_a_glb_holds_faces_and_beams(tmp_path):
    part = stiffened()
    write_glb(tmp_path / "part.glb", part)
    told, arrays = glb(tmp_path / "part.glb")
    counts = part.mesh.shape_counts()
    faces, beams = told["meshes"][0]["primitives"]
    assert (faces["mode"], beams["mode"]) == (4, 1)
    assert len(arrays[faces["indices"]]) == 3 * (2 * counts["QUAD"] + counts["TRI"])
    assert len(arrays[beams["indices"]]) == 2 * counts["BEAM"]
    points = arrays[faces["attributes"]["POSITION"]]
    assert max(int(arrays[index].max()) for index in (faces["indices"], beams["indices"])) == len(points) - 1
    placed = points.astype(float) + told["nodes"][1]["translation"]
    assert np.allclose(placed, part.mesh.xyz[part.mesh.used_nodes()])
    triangles = placed[arrays[faces["indices"]].reshape(-1, 3)]
    area = np.linalg.norm(np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1).sum() / 2
    assert area == pytest.approx(300 * 200 + 100 * 80 / 2)


def test_up_is_up_in_a_browser_and_lengths_are_metres(tmp_path):
    write_glb(tmp_path / "part.glb", stiffened())
    told, _ = glb(tmp_path / "part.glb")
    x, y, z, w = told["nodes"][0]["rotation"]
    up = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
    assert np.allclose(up, [0, 1, 0])
    assert told["nodes"][0]["scale"] == [0.001, 0.001, 0.001]


def test_a_glb_holds_colours_and_a_displacement(tmp_path):
    part = stiffened()
    colours = np.random.default_rng(2).integers(0, 256, (part.mesh.node_count, 3), np.uint8)
    displacement = np.random.default_rng(3).random((part.mesh.node_count, 3))
    write_glb(tmp_path / "part.glb", part, colours=colours, displacement=displacement, scale=25)
    told, arrays = glb(tmp_path / "part.glb")
    used = part.mesh.used_nodes()
    for primitive in told["meshes"][0]["primitives"]:
        shown = arrays[primitive["attributes"]["COLOR_0"]]
        assert np.array_equal(shown[:, :3], colours[used])
        assert (shown[:, 3] == 255).all()
        assert np.allclose(arrays[primitive["targets"][0]["POSITION"]], displacement[used])
    assert told["meshes"][0]["weights"] == [25.0]
    write_glb(tmp_path / "again.glb", part, colours=colours, displacement=displacement, scale=25)
    assert (tmp_path / "again.glb").read_bytes() == (tmp_path / "part.glb").read_bytes()


def test_beams_alone_and_nothing_at_all(tmp_path):
    part = stiffened()
    beams = part.mesh.sizes == Shape.BEAM.value
    for name in ("conn", "sizes", "element_labels", "types", "assigned"):
        setattr(part.mesh, name, getattr(part.mesh, name)[beams])
    write_glb(tmp_path / "part.glb", part)
    assert [primitive["mode"] for primitive in glb(tmp_path / "part.glb")[0]["meshes"][0]["primitives"]] == [1]
    with pytest.raises(EngineRefusal) as refused:
        write_glb(tmp_path / "none.glb", Part())
    assert refused.value.code == "export_empty"


@pytest.mark.parametrize(
    "wrong", [{"colours": np.zeros((3, 3), np.uint8)}, {"colours": np.zeros((13, 3))}, {"displacement": np.full((13, 3), np.nan)}]
)
def test_a_glb_of_values_that_do_not_fit_is_refused(tmp_path, wrong):
    part = stiffened()
    assert part.mesh.node_count == 13
    with pytest.raises(EngineRefusal) as refused:
        write_glb(tmp_path / "part.glb", part, **wrong)
    assert refused.value.code == "export_wrong_values"
    assert list(tmp_path.iterdir()) == []
