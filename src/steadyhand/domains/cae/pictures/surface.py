"""Decides how the elements of a part are drawn: near ones over far ones, many of them as one image; it must not choose their colours.

Up to `MOST_DRAWN` elements each one is an area or a line that carries its label. Above that the faces become one image with
the hidden ones left out, and only beams, edges that carry information and the elements that are named as special are lines.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from steadyhand.domains.cae.engine.mesh import Flags, Floats, Labels, Mesh, Rows, Small
from steadyhand.domains.cae.engine.shapes import Shape
from steadyhand.domains.cae.pictures.camera import Projection
from steadyhand.domains.cae.pictures.outline import normals_of
from steadyhand.domains.cae.pictures.paper import Box, Fill, Sheet, mixed, number
from steadyhand.domains.cae.pictures.png import indexed_png
from steadyhand.domains.cae.pictures.raster import Pixels, Raster, visible_runs

MOST_DRAWN = 20_000
MOST_SPECIAL = 5_000
MOST_LINES = 40_000
SHADES = (0.72, 0.79, 0.86, 0.93, 1.0)
_BEAM_NEARER = 2.0
"""How much nearer than it is, in sheet units, a BEAM counts, so that the face that it lies on does not cover it."""
_LIGHT = np.array([0.2, -0.55, 0.81])
_SHINING = "0.38"
"""How strongly special elements shine through what hides them."""


@dataclass(frozen=True, slots=True)
class Look:
    """How elements of one kind are drawn: areas with *fill* and *edge*, BEAM as a line of colour *line*, *dashes* and *width*."""

    fill: Fill
    edge: str
    line: str
    dashes: str = ""
    width: float = 3.0


@dataclass(frozen=True, slots=True)
class Surface:
    """The elements of one mesh: *kinds* (E,) place of each in *looks*; *special* (E,) shine through
    what hides them.
    """

    mesh: Mesh
    xyz: Floats
    kinds: Rows
    looks: Sequence[Look]
    special: Flags

    def too_many(self) -> bool:
        """Whether the faces become one image."""
        return self.mesh.element_count > MOST_DRAWN


def draw_surface(sheet: Sheet, box: Box, projection: Projection, surface: Surface) -> Raster:
    """Draw *surface* into *box*; the raster that comes back knows which points on the sheet are seen."""
    mesh = surface.mesh
    places = projection.place(surface.xyz)
    shades = shades_of(mesh, surface.xyz, flat=projection.camera.flat)
    raster = _raster(box, surface, places, shades, np.ones(mesh.element_count, np.bool_))
    if surface.too_many():
        _place_image(sheet, raster, surface)
        beams = mesh.sizes == Shape.BEAM.value
        for kind in np.unique(surface.kinds[beams]):
            look = surface.looks[int(kind)]
            ends = mesh.conn[beams & (surface.kinds == kind), :2]
            draw_lines(sheet, raster, places, ends, stroke=look.line, stroke_width=1.6, stroke_dasharray=look.dashes)
    else:
        _draw_each(sheet, surface, places, shades, np.arange(mesh.element_count), named=True)
    special = np.flatnonzero(surface.special)
    if len(special):
        sheet.open(opacity=_SHINING, data_part="shining-through")
        if len(special) <= MOST_SPECIAL:
            _draw_each(sheet, surface, places, shades, special, named=surface.too_many())
        else:
            _place_image(sheet, _raster(box, surface, places, shades, surface.special), surface)
        sheet.close()
    return raster


def _raster(box: Box, surface: Surface, places: Floats, shades: Rows, chosen: Flags) -> Raster:
    mesh = surface.mesh
    raster = Raster(box, 1.5)
    faces = np.flatnonzero(chosen & (mesh.sizes >= Shape.TRI.value))
    conn = mesh.conn[faces]
    rows = np.where(conn < 0, conn[:, [2, 2, 2, 2]], conn)
    tints = 1 + 2 * (surface.kinds[faces] * len(SHADES) + shades[faces])
    raster.paint(places[rows], np.repeat(tints[:, None], 4, axis=1).astype(float))
    return raster


def draw_lines(sheet: Sheet, raster: Raster | None, places: Floats, ends: Rows, **look: str | float) -> None:
    """Draw the lines between rows *ends* (n, 2) of *places*, what *raster* hides left out, many of them rounded to whole units."""
    starts, stops = (places[ends[:, column]] for column in (0, 1))
    if raster is not None:
        starts, stops = visible_runs(raster, starts, stops)
    many = len(starts) > 4_000
    tenths = np.rint(np.column_stack([starts[:, :2], stops[:, :2]]) * (1 if many else 10)).astype(np.int64)
    if many:
        swapped = (tenths[:, 0] > tenths[:, 2]) | ((tenths[:, 0] == tenths[:, 2]) & (tenths[:, 1] > tenths[:, 3]))
        tenths[swapped] = tenths[swapped][:, [2, 3, 0, 1]]
        tenths = np.unique(tenths, axis=0)[:MOST_LINES] * 10
    tenths = tenths[(tenths[:, :2] != tenths[:, 2:]).any(axis=1)]
    if len(tenths) == 0:
        return
    steps = [f"M{_ten(x)} {_ten(y)}l{_ten(a - x)} {_ten(b - y)}" for x, y, a, b in tenths.tolist()]
    kept: dict[str, str | float] = {name: value for name, value in look.items() if value != ""}
    sheet.element("path", d="".join(steps), fill="none", stroke_linecap="round", **kept)


def shades_of(mesh: Mesh, xyz: Floats, *, flat: bool) -> Rows:
    """Return (E,) how light each face is, a place in `SHADES`; all the same in a *flat* part."""
    if flat:
        return np.full(mesh.element_count, len(SHADES) - 1, np.int32)
    bright = np.abs(normals_of(xyz, mesh.conn, mesh.sizes) @ (_LIGHT / np.linalg.norm(_LIGHT)))
    return np.minimum((bright * len(SHADES)).astype(np.int32), len(SHADES) - 1)


def _place_image(sheet: Sheet, raster: Raster, surface: Surface) -> None:
    """Draw the faces of *raster* as one image, each hatch as darker pixels."""
    pixels = raster.pixels()
    palette = np.zeros((256, 3), np.uint8)
    hatched = np.zeros(256, np.bool_)
    for kind, look in enumerate(surface.looks):
        for shade, share in enumerate(SHADES):
            at = 1 + 2 * (kind * len(SHADES) + shade)
            shaded = look.fill.shaded(share)
            palette[at] = _parts(shaded.colour)
            palette[at + 1] = _parts(mixed(shaded.colour, look.fill.ink, 0.45))
            hatched[at] = look.fill.hatch != ""
    tall, wide = raster.size
    lines, columns = np.arange(tall, dtype=np.int64)[:, None], np.arange(wide, dtype=np.int64)[None, :]
    pixels[hatched[pixels] & ((lines + columns) % 6 < 2)] += 1
    sheet.image(raster.box, indexed_png(pixels, palette))


def _parts(colour: str) -> Pixels:
    return np.frombuffer(bytes.fromhex(colour[1:]), np.uint8)


def _draw_each(sheet: Sheet, surface: Surface, places: Floats, shades: Rows, chosen: Labels, *, named: bool) -> None:
    """Draw the elements in rows *chosen*, the far ones first; *named* ones carry their label."""
    mesh = surface.mesh
    depth = _middle_depths(mesh.conn[chosen], mesh.sizes[chosen], places)
    beams = mesh.sizes[chosen] == Shape.BEAM.value
    rows = chosen[np.lexsort((chosen, depth + _BEAM_NEARER * beams))]
    if len(rows):
        sheet.open(stroke_width=0.6)
        sheet.raw(_areas_and_lines(sheet, surface, places, shades, rows, named=named))
        sheet.close()


def _middle_depths(conn: Rows, sizes: Small, places: Floats) -> Floats:
    used = conn >= 0
    return np.where(used, places[:, 2][np.where(used, conn, 0)], 0).sum(axis=1) / sizes


def _areas_and_lines(sheet: Sheet, surface: Surface, places: Floats, shades: Rows, rows: Labels, *, named: bool) -> Iterator[str]:
    """Yield a path for each element, those that follow each other with the same look in one group."""
    mesh = surface.mesh
    conn, labels = mesh.conn[rows].tolist(), mesh.element_labels[rows].tolist()
    tenths = np.rint(places[:, :2] * 10).astype(np.int64).tolist()
    looks = _look_texts(sheet, surface)
    kinds: list[int] = surface.kinds[rows].tolist()
    lights: list[int] = np.where(mesh.sizes[rows] == Shape.BEAM.value, -1, shades[rows]).tolist()
    before: str = ""
    for kind, shade, nodes, label in zip(kinds, lights, conn, labels, strict=True):
        look = looks[kind][shade]
        if look != before:
            yield ("</g>" if before else "") + f"<g {look}>"
            before = look
        way = [tenths[node] for node in nodes if node >= 0]
        steps = "l".join(
            f"{_ten(x)} {_ten(y)}" if index == 0 else f"{_ten(x - way[index - 1][0])} {_ten(y - way[index - 1][1])}"
            for index, (x, y) in enumerate(way)
        )
        name = f'data-e="{label}" ' if named else ""
        yield f'<path {name}d="M{steps}{"" if len(way) == 2 else "z"}"/>'
    yield "</g>"


def _look_texts(sheet: Sheet, surface: Surface) -> list[dict[int, str]]:
    """Return the attributes of each kind by shade; −1 is a BEAM. Only what occurs has its hatch defined."""
    used = set(zip(surface.kinds.tolist(), (surface.mesh.sizes == Shape.BEAM.value).tolist(), strict=True))
    texts: list[dict[int, str]] = []
    for kind, look in enumerate(surface.looks):
        dashes = f' stroke-dasharray="{look.dashes}"' if look.dashes else ""
        line = f'fill="none" stroke="{look.line}" stroke-width="{number(look.width)}" stroke-linecap="round"{dashes}'
        areas = {
            shade: f'fill="{sheet.fill(look.fill.shaded(share))}" stroke="{look.edge}"'
            for shade, share in enumerate(SHADES)
            if (kind, False) in used
        }
        texts.append({-1: line, **areas})
    return texts


def _ten(tenths: int) -> str:
    """Return a tenth's number as text: 123 is 12.3."""
    whole, rest = divmod(abs(tenths), 10)
    sign = "-" if tenths < 0 else ""
    return f"{sign}{whole}.{rest}" if rest else f"{sign}{whole}"
