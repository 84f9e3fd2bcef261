"""Decides what an SVG of a part and of a change shows, without any dependency beside numpy; it must not word anything.

Every text comes in as `Words` and titles. The same part gives the same bytes.
"""

import math

import numpy as np

from steadyhand.domains.cae.engine.mesh import Flags, Floats, Labels, Rows
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import Gravity, Load, Pressure, Support
from steadyhand.domains.cae.engine.shapes import Shape
from steadyhand.domains.cae.pictures.camera import Camera, Projection, camera_for, fit, shape_on_sheet
from steadyhand.domains.cae.pictures.changes import Changes, State, compare
from steadyhand.domains.cae.pictures.furniture import (
    Legend,
    Swatch,
    area,
    draw_axes,
    draw_frame,
    draw_scale,
    draw_title,
    stroke,
)
from steadyhand.domains.cae.pictures.outline import Outline, bare, outline_of
from steadyhand.domains.cae.pictures.paper import Box, Fill, Sheet
from steadyhand.domains.cae.pictures.surface import MOST_DRAWN, Look, Surface, draw_lines, draw_surface
from steadyhand.domains.cae.pictures.symbols import (
    MOST_POINTS,
    draw_signs,
    lone_rows,
    signs_of,
    tell_rings,
    tell_sign,
    tell_signs,
    thinned,
)
from steadyhand.domains.cae.pictures.words import Words

WIDTH, HEIGHT, MARGIN = 1200.0, 800.0, 24.0
_TOP = 76.0
_LEGEND = 310.0
_PANEL_EDGE = 58.0
_GREY = "#a7afb8"
_MANY_MARKS = 80

QUAD_LOOK = Look(Fill("#b9d2ea"), "#47698c", "#b3202a")
TRI_LOOK = Look(Fill("#f7c98b", "rising", "#b0670f"), "#8a5410", "#b3202a")
BEAM_LOOK = Look(Fill("#b3202a"), "#b3202a", "#b3202a", width=3.4)
SHAPE_LOOKS = {Shape.QUAD: QUAD_LOOK, Shape.TRI: TRI_LOOK, Shape.BEAM: BEAM_LOOK}
FREE, BRANCHING, BENT = "#157347", "#7a2fb0", "#3d4a58"
STATE_LOOKS = {
    State.SAME: Look(Fill("#e3e7eb"), _GREY, "#8b95a0", width=2.4),
    State.ADDED: Look(Fill("#8fd6a8", "rising", "#157347"), "#0f5132", "#157347", width=4.4),
    State.DELETED: Look(Fill("#f3a6a0", "crossed", "#b3202a"), "#8c1620", "#c0202c", "7 4", width=4.4),
    State.MOVED: Look(Fill("#c6b3ec", "falling", "#5a36a8"), "#44288a", "#5a36a8", "12 4", width=4.4),
    State.JOINED: Look(Fill("#ece6d2"), "#a89d78", "#948860", width=2.4),
    State.CHANGED: Look(Fill("#f6dd8d", "dots", "#8a6100"), "#7a5600", "#a87400", "2 6", width=4.4),
}

QUIET = (State.JOINED, State.SAME)
"""What stays where it is: it does not shine through."""
_LOOKS = [STATE_LOOKS[state] for state in State]


def mesh_svg(part: Part, words: Words, *, title: str) -> str:
    """Return *part* as it is: elements by shape, edges that carry information, supports, loads, a legend with counts."""
    mesh = part.mesh
    sheet = Sheet(WIDTH, HEIGHT)
    draw_title(sheet, title, size_line(mesh.xyz, words), MARGIN)
    box = Box(MARGIN, _TOP, WIDTH - _LEGEND - 2 * MARGIN, HEIGHT - _TOP - MARGIN)
    draw_frame(sheet, box, "")
    if mesh.node_count == 0:
        sheet.text(box.centre, words.empty, 16, anchor="middle")
        return sheet.to_svg(title)
    projection = fit(camera_for(mesh.xyz), mesh.xyz, box.shrunk(_PANEL_EDGE))
    looks = list(SHAPE_LOOKS.values())
    kinds = np.select([mesh.sizes == shape.value for shape in SHAPE_LOOKS], range(len(looks))).astype(np.int32)
    raster = draw_surface(sheet, box, projection, Surface(mesh, mesh.xyz, kinds, looks, np.zeros(mesh.element_count, np.bool_)))
    outline = outline_of(mesh)
    places = projection.place(mesh.xyz)
    for name, edges, colour, width, dashes in (
        ("bent", outline.bent, BENT, 1.2, ""),
        ("free", outline.free, FREE, 2.2, ""),
        ("branching", outline.branching, BRANCHING, 2, "6 4"),
    ):
        lines = bare(mesh, edges)
        draw_lines(sheet, raster, places, lines, stroke=colour, stroke_width=width, stroke_dasharray=dashes, data_edges=name)
    draw_points(sheet, places[thinned(lone_rows(part), MOST_POINTS), :2], "lone", FREE)
    rings = draw_signs(sheet, box, projection, part)
    draw_foot(sheet, box, projection, words)
    legend = Legend(sheet, Box(WIDTH - _LEGEND - MARGIN / 2, _TOP, _LEGEND, HEIGHT - _TOP - MARGIN), _LEGEND)
    _tell_part(legend, part, outline, words, rings)
    legend.finish(words)
    return sheet.to_svg(title)


def _tell_part(legend: Legend, part: Part, outline: Outline, words: Words, rings: set[str]) -> None:
    mesh = part.mesh
    legend.entry(words.nodes, mesh.node_count)
    legend.entry(words.elements, mesh.element_count)
    legend.gap()
    counts = mesh.shape_counts()
    for shape, text in shape_words(words).items():
        if counts[shape.name]:
            legend.entry(text, counts[shape.name], swatch_of(SHAPE_LOOKS[shape], beam=shape is Shape.BEAM))
    for text, count, swatch in (
        (words.free_edges, len(outline.free), stroke(FREE, 2.2)),
        (words.branching_edges, len(outline.branching), stroke(BRANCHING, 2, "6 4")),
        (words.free_nodes, len(lone_rows(part)), dot(FREE)),
    ):
        if count:
            legend.entry(text, count, swatch)
    legend.gap()
    if mesh.element_count > MOST_DRAWN:
        legend.note(words.many)
    tell_rings(legend, words, rings)
    tell_signs(legend, part, words)


def shape_words(words: Words) -> dict[Shape, str]:
    """Return what each shape is called."""
    return {Shape.QUAD: words.quad, Shape.TRI: words.tri, Shape.BEAM: words.beam}


def before_after_svg(before: Part, after: Part, words: Words, *, title: str) -> str:
    """Return two panels, looked at from one place: what goes is marked in the first, what comes or changes in the second."""
    changes = compare(before, after)
    every = np.concatenate([before.mesh.xyz, after.mesh.xyz])
    camera = camera_for(every)
    sheet = Sheet(WIDTH, HEIGHT)
    draw_title(sheet, title, size_line(after.mesh.xyz, words), MARGIN)
    boxes = panels(camera, every)
    placed = [fit(camera, every, box.shrunk(_PANEL_EDGE)) for box in boxes]
    rings: set[str] = set()
    for part, states, box, projection, name in zip(
        (before, after), (changes.before, changes.after), boxes, placed, (words.before, words.after), strict=True
    ):
        draw_frame(sheet, box, name)
        if part.empty:
            sheet.text(box.centre, words.empty, 14, anchor="middle")
            continue
        rings |= _draw_states(sheet, box, projection, part, states, after if part is before else before, part is before)
        draw_foot(sheet, box, projection, words)
    _mark_nodes(sheet, before, after, changes, placed)
    legend = Legend(sheet, Box(MARGIN, boxes[1].bottom + 14, WIDTH - 2 * MARGIN, HEIGHT - boxes[1].bottom - 26), 384)
    _tell_changes(legend, before, after, changes, words, rings)
    legend.finish(words)
    return sheet.to_svg(title)


def panels(camera: Camera, points: Floats) -> tuple[Box, Box]:
    """Return where the two panels stand: beside each other, or one below the other for what is wide."""
    width, height = WIDTH - 2 * MARGIN, HEIGHT - _TOP - 190
    if shape_on_sheet(camera, points) > 2.6:
        half = (height - 12) / 2
        return Box(MARGIN, _TOP, width, half), Box(MARGIN, _TOP + half + 12, width, half)
    half = (width - 16) / 2
    return Box(MARGIN, _TOP, half, height), Box(MARGIN + half + 16, _TOP, half, height)


def _draw_states(
    sheet: Sheet, box: Box, projection: Projection, part: Part, states: Rows, other: Part, is_before: bool
) -> set[str]:
    """Draw a panel; what differs shines through what hides it."""
    mesh = part.mesh
    shown = np.where(states == State.DELETED, states, State.SAME) if is_before else states
    sheet.open(**{"data-panel": "before" if is_before else "after"})
    surface = Surface(mesh, mesh.xyz, shown.astype(np.int32), _LOOKS, ~np.isin(shown, QUIET))
    raster = draw_surface(sheet, box, projection, surface)
    outline = outline_of(mesh)
    places = projection.place(mesh.xyz)
    for edges in (outline.bent, outline.free):
        draw_lines(sheet, raster, places, bare(mesh, edges), stroke="#6b7682", stroke_width=1.2)
    rings = draw_signs(sheet, box, projection, part, lambda what: sign_colour(what, part, other, is_before))
    sheet.close()
    return rings


def sign_colour(what: Load | Support, part: Part, other: Part, is_before: bool) -> str:
    """Return grey for what the other part has too."""
    if _stays(what, part, other):
        return "#6b7682"
    return STATE_LOOKS[State.DELETED if is_before else State.ADDED].line


def sign_changes(before: Part, after: Part) -> list[tuple[Part, Load | Support, State]]:
    """Return the supports and loads that one of the parts does not have so, with their part and whether they go or come."""
    ways = ((before, after, State.DELETED), (after, before, State.ADDED))
    return [(part, what, state) for part, other, state in ways for what in signs_of(part) if not _stays(what, part, other)]


def _stays(what: Load | Support, part: Part, other: Part) -> bool:
    """Whether *other* has the same, on the same of those nodes or elements that both parts have."""
    known = (other.supports if isinstance(what, Support) else other.loads).get(what.name)
    if known != what:
        return False
    if isinstance(what, Gravity):
        return True
    by_elements = isinstance(what, Pressure)
    labels = [part.mesh.element_labels if by_elements else part.mesh.node_labels for part in (part, other)]
    name = what.element_set if isinstance(what, Pressure) else what.node_set
    regions = [(one.element_sets if by_elements else one.node_sets)[name] for one in (part, other)]
    return np.array_equal(np.intersect1d(regions[0], labels[1]), np.intersect1d(regions[1], labels[0]))


def _mark_nodes(sheet: Sheet, before: Part, after: Part, changes: Changes, placed: list[Projection]) -> None:
    """Mark nodes that went without an element going with them, nodes that came without one, and the way of those that moved."""
    gone = _beside(before, changes.nodes_deleted, changes.before == State.DELETED)
    come = _beside(after, changes.nodes_added, changes.after == State.ADDED)
    draw_crosses(sheet, placed[0].at(before.mesh.xyz[gone]), "node-deleted", STATE_LOOKS[State.DELETED].line)
    draw_points(sheet, placed[1].at(after.mesh.xyz[come]), "node-added", STATE_LOOKS[State.ADDED].line)
    moved = thinned(changes.nodes_moved, MOST_POINTS)
    old, new = (placed[1].at(part.mesh.xyz[part.mesh.node_rows(moved)]) for part in (before, after))
    ends = np.column_stack([np.arange(len(moved)), np.arange(len(moved)) + len(moved)]).astype(np.int32)
    places = np.column_stack([np.concatenate([old, new]), np.zeros(2 * len(moved))])
    colour = STATE_LOOKS[State.MOVED].line
    draw_lines(sheet, None, places, ends, stroke=colour, stroke_width=1.3, stroke_dasharray="4 3", data_part="node-ways")
    draw_points(sheet, new, "node-moved", colour)


def _beside(part: Part, labels: Labels, marked: Flags) -> Rows:
    """Return, thinned, the rows of those of *labels* that no *marked* element shows already."""
    shown = np.zeros(part.mesh.node_count, np.bool_)
    conn = part.mesh.conn[marked]
    shown[conn[conn >= 0]] = True
    rows = part.mesh.node_rows(labels)
    return thinned(rows[~shown[rows]], MOST_POINTS)


def _tell_changes(legend: Legend, before: Part, after: Part, changes: Changes, words: Words, rings: set[str]) -> None:
    counts = {state: changes.count(state) for state in State}
    if not any(counts[state] for state in State if state is not State.SAME):
        legend.note(words.nothing)
    texts = state_words(words)
    _tell_states(legend, {state: texts[state] for state in texts if state not in QUIET}, counts, words)
    for part, what, state in sign_changes(before, after):
        word = words.deleted if state is State.DELETED else words.added
        tell_sign(legend, part, what, words, STATE_LOOKS[state].line, f"{word}: ")
    for state, text, count in node_counts(changes, words):
        colour = STATE_LOOKS[state].line
        legend.entry(text, count, cross(colour) if state is State.DELETED else dot(colour))
    _tell_states(legend, {state: texts[state] for state in QUIET}, counts, words)
    if max(part.mesh.element_count for part in (before, after)) > MOST_DRAWN:
        legend.note(words.many)
    tell_rings(legend, words, rings)


def _tell_states(legend: Legend, texts: dict[State, str], counts: dict[State, int], words: Words) -> None:
    for state, text in texts.items():
        if counts[state]:
            legend.entry(f"{words.elements}: {text}", counts[state], swatch_of(STATE_LOOKS[state]))


def state_words(words: Words) -> dict[State, str]:
    """Return what each state of an element is called, what changes first."""
    return {
        State.ADDED: words.added,
        State.DELETED: words.deleted,
        State.MOVED: words.moved,
        State.CHANGED: words.changed,
        State.JOINED: words.joined,
        State.SAME: words.same,
    }


def node_counts(changes: Changes, words: Words) -> list[tuple[State, str, int]]:
    """Return how many nodes came, went and moved; nothing for none."""
    counts = (
        (State.ADDED, words.nodes_added, len(changes.nodes_added)),
        (State.DELETED, words.nodes_deleted, len(changes.nodes_deleted)),
        (State.MOVED, words.nodes_moved, len(changes.nodes_moved)),
    )
    return [entry for entry in counts if entry[2]]


def size_line(xyz: Floats, words: Words) -> str:
    """Return the line that tells the size of the box around *xyz*."""
    x, y, z = (f"{value:.6g}" for value in (np.ptp(xyz, axis=0) if len(xyz) else np.zeros(3)))
    return words.fill("size", x=x, y=y, z=z)


def swatch_of(look: Look, *, beam: bool = False) -> Swatch:
    """Return the swatch of *look*."""
    return stroke(look.line, look.width, look.dashes) if beam else area(look.fill, look.edge)


def dot(colour: str) -> Swatch:
    """Return the swatch of a marked node."""
    return lambda sheet, at: sheet.circle(at, 3.4, "#ffffff", colour, 1.6)


def cross(colour: str) -> Swatch:
    """Return the swatch of a node that is gone."""
    return lambda sheet, at: draw_crosses(sheet, np.array([at]), "", colour)


def draw_points(sheet: Sheet, places: Floats, name: str, colour: str) -> None:
    """Mark nodes by rings."""
    sheet.open(data_part=name)
    for x, y in places.tolist():
        sheet.circle((x, y), 3.4 if len(places) <= _MANY_MARKS else 2.2, "#ffffff", colour, 1.4)
    sheet.close()


def draw_crosses(sheet: Sheet, places: Floats, name: str, colour: str) -> None:
    """Mark nodes that are gone."""
    sheet.open(**({"data_part": name} if name else {}))
    arm = 4.0 if len(places) <= _MANY_MARKS else 2.2
    for x, y in places.tolist():
        sheet.line((x - arm, y - arm), (x + arm, y + arm), colour, arm / 2)
        sheet.line((x - arm, y + arm), (x + arm, y - arm), colour, arm / 2)
    sheet.close()


def draw_foot(sheet: Sheet, box: Box, projection: Projection, words: Words) -> None:
    """Draw the axes and, where there is a length, the scale bar at the foot of a panel."""
    draw_axes(sheet, projection, (box.x + 50, box.bottom - 46))
    if math.isfinite(projection.scale):
        draw_scale(sheet, projection, (box.x + 120, box.bottom - 16), words)
