"""Decides what an SVG of a solved part shows: values in bands on the deformed shape, over the undeformed one; it must not solve."""

from collections.abc import Iterator

import numpy as np

from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.mesh import Floats, Mesh, Rows
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.shapes import Shape
from steadyhand.domains.cae.pictures.camera import camera_for, fit
from steadyhand.domains.cae.pictures.contour import BANDS, NO_VALUE, Field, bands_of, cut, deformation_factor
from steadyhand.domains.cae.pictures.furniture import Legend, area, draw_frame, draw_title, round_below, stroke
from steadyhand.domains.cae.pictures.outline import Outline, outline_of
from steadyhand.domains.cae.pictures.paper import GREY, INK, Box, Fill, Sheet, number, wrapped
from steadyhand.domains.cae.pictures.png import indexed_png
from steadyhand.domains.cae.pictures.raster import Raster
from steadyhand.domains.cae.pictures.surface import MOST_DRAWN, draw_lines
from steadyhand.domains.cae.pictures.svg import HEIGHT, MARGIN, WIDTH, draw_foot, size_line
from steadyhand.domains.cae.pictures.words import Words

_TOP, _LEGEND, _EDGE, _STEP = 76.0, 310.0, 46.0, 26.0
_WIRED = 3_000
"""Up to so many elements the undeformed shape shows each of its edges."""
_WIRE = "#aab2bb"


def checked(part: Part, field: Field) -> None:
    """Raise `EngineRefusal` ``result_of_another_part`` for numbers that do not belong to *part*."""
    if not field.fits(part.mesh):
        raise EngineRefusal("result_of_another_part", nodes=part.mesh.node_count, elements=part.mesh.element_count)


def result_svg(part: Part, field: Field, words: Words, *, title: str) -> str:
    """Return *field* on *part*. Raises `EngineRefusal` ``result_of_another_part``."""
    checked(part, field)
    mesh, levels = part.mesh, field.levels()
    factor = factor_of(mesh, field)
    bent = mesh.xyz + factor * field.moved()
    sheet = Sheet(WIDTH, HEIGHT)
    draw_title(sheet, title, size_line(mesh.xyz, words) + " · " + words.fill("deformed", factor=f"{factor:.6g}"), MARGIN)
    box = Box(MARGIN, _TOP, WIDTH - _LEGEND - 2 * MARGIN, HEIGHT - _TOP - MARGIN)
    draw_frame(sheet, box, "")
    if mesh.node_count == 0:
        sheet.text(box.centre, words.empty, 16, anchor="middle")
        return sheet.to_svg(title)
    every = np.concatenate([mesh.xyz, bent])
    projection = fit(camera_for(every), every, box.shrunk(_EDGE))
    outline = outline_of(mesh)
    _draw_undeformed(sheet, mesh, projection.place(mesh.xyz), outline)
    places = projection.place(bent)
    raster = _draw_bands(sheet, box, mesh, places, field, levels)
    for edges in (outline.free, outline.bent):
        draw_lines(sheet, raster, places, edges, stroke=INK, stroke_width=1)
    _mark_largest(sheet, mesh, places, field)
    draw_foot(sheet, box, projection, words)
    _tell(sheet, part, field, levels, words, _no_value(field, mesh))
    return sheet.to_svg(title)


def factor_of(mesh: Mesh, field: Field) -> float:
    """Return by how much the deformation is drawn enlarged, a round number."""
    factor = deformation_factor(mesh.xyz, field.moved())
    return 1.0 if factor == 1 else round_below(factor)


def _no_value(field: Field, mesh: Mesh) -> bool:
    return bool(np.isnan(field.at_corners(mesh)[mesh.conn >= 0]).any()) if mesh.element_count else False


def _draw_undeformed(sheet: Sheet, mesh: Mesh, places: Floats, outline: Outline) -> None:
    beams = mesh.conn[mesh.sizes == Shape.BEAM.value, :2]
    sheet.open(data_part="undeformed")
    if mesh.element_count <= _WIRED:
        draw_lines(sheet, None, places, outline.edges, stroke="#d5dae0", stroke_width=0.8)
    for edges in (outline.free, outline.bent, beams):
        draw_lines(sheet, None, places, edges, stroke=_WIRE, stroke_width=1.4)
    sheet.close()


def _draw_bands(sheet: Sheet, box: Box, mesh: Mesh, places: Floats, field: Field, levels: Floats) -> Raster:
    """Draw the values: as areas where there are few elements, else as one image."""
    corners = field.at_corners(mesh)
    raster = Raster(box, 1.5)
    faces = mesh.sizes >= Shape.TRI.value
    conn = mesh.conn[faces]
    rows = np.where(conn < 0, conn[:, [2, 2, 2, 2]], conn)
    raster.paint(places[rows], corners[faces], levels[1:-1])
    many = mesh.element_count * (1 if field.per == "element" else 3) > MOST_DRAWN
    if many:
        palette = np.zeros((len(BANDS) + 2, 3), np.uint8)
        palette[1:] = [list(bytes.fromhex(colour[1:])) for colour in (*BANDS, NO_VALUE)]
        sheet.image(raster.box, indexed_png(raster.pixels(), palette))
        beams = np.flatnonzero(~faces)
        bands = bands_of(corners[beams, :2].mean(axis=1), levels)
        for band in np.unique(bands):
            ends = mesh.conn[beams[bands == band], :2]
            draw_lines(sheet, raster, places, ends, stroke=(*BANDS, NO_VALUE)[int(band)], stroke_width=3)
        return raster
    used = mesh.conn >= 0
    depth = np.where(used, places[:, 2][np.where(used, mesh.conn, 0)], 0).sum(axis=1) / np.maximum(mesh.sizes, 1)
    order = np.lexsort((mesh.element_labels, depth + 2.0 * ~faces))
    sheet.open(data_part="bands")
    sheet.raw(_areas(mesh, places, corners, levels, order.astype(np.int32)))
    sheet.close()
    return raster


def _areas(mesh: Mesh, places: Floats, corners: Floats, levels: Floats, order: Rows) -> Iterator[str]:
    """Yield the parts of each element, the far ones first."""
    inner, flat = levels[1:-1].tolist(), places[:, :2].tolist()
    colours = (*BANDS, NO_VALUE)
    for row in order.tolist():
        size, label = int(mesh.sizes[row]), int(mesh.element_labels[row])
        nodes, values = mesh.conn[row, :size].tolist(), corners[row, :size].tolist()
        around = [(*flat[node], value) for node, value in zip(nodes, values, strict=True)]
        way = "L".join(f"{number(x)} {number(y)}" for x, y, _ in around)
        mean = sum(values) / size
        band = int(bands_of(np.array([mean]), levels)[0])
        if size == Shape.BEAM.value:
            yield f'<path data-e="{label}" d="M{way}" stroke="{colours[band]}" stroke-width="4" stroke-linecap="round"/>'
            continue
        if band == len(BANDS) or min(values) == max(values):
            yield f'<path data-e="{label}" d="M{way}z" fill="{colours[band]}" stroke="{INK}" stroke-width="0.3"/>'
            continue
        yield f'<g data-e="{label}">'
        for part, piece in cut(around, inner):
            shape = "L".join(f"{number(x)} {number(y)}" for x, y, _ in piece)
            yield f'<path d="M{shape}z" fill="{colours[part]}" stroke="{colours[part]}" stroke-width="0.4"/>'
        yield f'<path d="M{way}z" fill="none" stroke="{INK}" stroke-width="0.3"/></g>'


def _mark_largest(sheet: Sheet, mesh: Mesh, places: Floats, field: Field) -> None:
    row = field.largest()
    if row is None:
        return
    nodes = mesh.conn[row, : int(mesh.sizes[row])] if field.per == "element" else [row]
    x, y = (float(value) for value in places[nodes, :2].mean(axis=0))
    sheet.open(data_part="largest")
    sheet.circle((x, y), 8, "none", "#ffffff", 4)
    sheet.circle((x, y), 8, "none", INK, 1.8)
    sheet.close()


def _tell(sheet: Sheet, part: Part, field: Field, levels: Floats, words: Words, lacking: bool) -> None:
    """Draw the colour bar with its limits, and below it what is largest and where."""
    left, top = WIDTH - _LEGEND - MARGIN / 2, _TOP
    for index, line in enumerate(wrapped(field.quantity, 15, _LEGEND, 2)):
        sheet.text((left, top + 14 + 18 * index), line, 15, bold=True)
    top += 46
    sheet.open(data_part="bar")
    for index, colour in enumerate(reversed(BANDS)):
        sheet.rectangle(Box(left, top + index * _STEP, 34, _STEP), colour)
    sheet.close()
    for index, level in enumerate(reversed(levels.tolist())):
        at = top + index * _STEP
        sheet.line((left + 34, at), (left + 40, at), GREY)
        sheet.text((left + 46, at + 4.5), f"{level:.4g}", 13)
    box = Box(left, top + len(BANDS) * _STEP + 18, _LEGEND, HEIGHT - MARGIN - top - len(BANDS) * _STEP - 18)
    legend = Legend(sheet, box, _LEGEND)
    for line in largest_lines(part.mesh, field, words):
        legend.entry(line)
    if field.largest() is not None:
        legend.entry(words.largest, None, lambda sheet, at: sheet.circle(at, 7, "none", INK, 1.8))
    legend.entry(words.undeformed, None, stroke(_WIRE, 1.6))
    if lacking:
        legend.entry(words.no_value, None, area(Fill(NO_VALUE), GREY))
    above = share_above(field, levels)
    if above:
        legend.note(words.fill("capped", value=f"{levels[-1]:.4g}", share=f"{above:.2g}"))
    if part.mesh.element_count > MOST_DRAWN:
        legend.note(words.many)
    legend.finish(words)


def share_above(field: Field, levels: Floats) -> float:
    """Return how many per cent of the values are above the last limit; 0 where the largest reads the same as that limit."""
    row = field.largest()
    if row is None or f"{field.values[row]:.4g}" == f"{levels[-1]:.4g}":
        return 0.0
    known = field.values[np.isfinite(field.values)]
    return float((known > levels[-1]).mean()) * 100


def largest_lines(mesh: Mesh, field: Field, words: Words) -> list[str]:
    """Return the lines that tell the largest value and the largest displacement and where they are."""
    lines: list[str] = []
    row = field.largest()
    if row is not None:
        labels = mesh.element_labels if field.per == "element" else mesh.node_labels
        lines.append(words.fill(f"largest_at_{field.per}", value=f"{field.values[row]:.4g}", label=int(labels[row])))
    if mesh.node_count:
        lengths = np.sqrt((field.moved() ** 2).sum(axis=1))
        most = int(np.argmax(lengths))
        label = int(mesh.node_labels[most])
        lines.append(words.fill("largest_displacement", value=f"{lengths[most]:.4g}", label=label))
    return lines
