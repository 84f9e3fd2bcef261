"""Decides which signs stand for supports, loads and lone nodes and where they are drawn; it must not decide their colour's meaning."""

import math
from collections.abc import Callable
from typing import TypeVar

import numpy as np

from steadyhand.domains.cae.engine.mesh import Floats, Labels, Rows
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.properties import Force, Gravity, Load, Pressure, Support, Vector
from steadyhand.domains.cae.engine.shapes import Shape, dofs_named
from steadyhand.domains.cae.pictures.camera import Projection
from steadyhand.domains.cae.pictures.furniture import Legend
from steadyhand.domains.cae.pictures.outline import normals_of
from steadyhand.domains.cae.pictures.paper import INK, Box, Point, Sheet
from steadyhand.domains.cae.pictures.words import Words

MOST_SIGNS = 24
"""How many signs one load or support gets at most; they are spread evenly."""
MOST_POINTS = 400
FORCE, PRESSURE, GRAVITY, SUPPORT = "#a3126f", "#0b6b7a", "#7a4f00", INK
_CROSSWISE = 0.25
"""A direction that is seen shorter than this is drawn as a point or a cross in a ring."""

Colour = Callable[[Load | Support], str]


def usual_colour(what: Load | Support) -> str:
    """Return the colour of a load or support that is simply there."""
    if isinstance(what, Support):
        return SUPPORT
    return FORCE if isinstance(what, Force) else PRESSURE if isinstance(what, Pressure) else GRAVITY


Chosen = TypeVar("Chosen", Rows, Labels)


def thinned(rows: Chosen, most: int) -> Chosen:
    """Return at most *most* of *rows*, spread evenly, the first and the last among them."""
    if len(rows) <= most:
        return rows
    return rows[np.rint(np.linspace(0, len(rows) - 1, most)).astype(np.int64)]


def draw_signs(sheet: Sheet, box: Box, projection: Projection, part: Part, colour: Colour = usual_colour) -> set[str]:
    """Draw every support and load of *part*; return which of ``towards`` and ``away`` the legend has to explain."""
    seen: set[str] = set()
    for support in part.supports.values():
        rows = thinned(part.mesh.node_rows(part.node_sets[support.node_set]), MOST_SIGNS)
        sheet.open(**{"data-support": support.name})
        for at in _points(projection.at(part.mesh.xyz[rows])):
            support_sign(sheet, at, support, colour(support))
        sheet.close()
    for load in part.loads.values():
        sheet.open(**{"data-load": load.name})
        seen |= _draw_load(sheet, box, projection, part, load, colour(load))
        sheet.close()
    return seen


def load_arrows(part: Part, load: Load) -> tuple[Floats, Floats]:
    """Return (n, 3) the tips and (n, 3) the directions of the arrows of *load*, spread evenly; none for one without magnitude."""
    mesh, none = part.mesh, (np.zeros((0, 3)), np.zeros((0, 3)))
    if isinstance(load, Pressure):
        rows = mesh.element_rows(part.element_sets[load.element_set])
        rows = thinned(rows[mesh.sizes[rows] >= Shape.TRI.value], MOST_SIGNS)
        if load.magnitude == 0 or len(rows) == 0:
            return none
        conn = mesh.conn[rows]
        used = conn >= 0
        middles = np.where(used[:, :, None], mesh.xyz[conn], 0).sum(axis=1) / used.sum(axis=1)[:, None]
        return middles, normals_of(mesh.xyz, conn, mesh.sizes[rows]) * -math.copysign(1, load.magnitude)
    length = float(np.linalg.norm(load.components))
    if length == 0 or not math.isfinite(length) or mesh.node_count == 0:
        return none
    if isinstance(load, Gravity):
        tips = (mesh.xyz.min(axis=0) + mesh.xyz.max(axis=0))[None, :] / 2
    else:
        tips = mesh.xyz[thinned(mesh.node_rows(part.node_sets[load.node_set]), MOST_SIGNS)]
    return tips, np.tile(np.array(load.components) / length, (len(tips), 1))


def _draw_load(sheet: Sheet, box: Box, projection: Projection, part: Part, load: Load, colour: str) -> set[str]:
    """Draw the arrows of *load*; an acceleration stands in the corner, since it acts everywhere."""
    seen: set[str] = set()
    tips, ways = load_arrows(part, load)
    for at, vector in zip(_points(projection.at(tips)), ways, strict=True):
        way = projection.direction(vector)
        if isinstance(load, Gravity):
            corner = (box.right - 40 + 25 * float(way[0]), box.y + 60 + 25 * float(way[1]))
            seen |= arrow(sheet, corner, way, colour, 50)
        else:
            seen |= arrow(sheet, at, way, colour)
    return seen


def _points(places: Floats) -> list[Point]:
    return [(float(x), float(y)) for x, y in places]


def support_sign(sheet: Sheet, at: Point, support: Support, colour: str) -> None:
    """Draw a triangle under *at*: full where everything is held, open on ground for translations, on a roller for less."""
    x, y = at
    full = len(support.dofs) == 6
    sheet.polygon([(x, y), (x - 6, y + 11), (x + 6, y + 11)], colour if full else "#ffffff", colour, 1.3)
    if full or {1, 2, 3} <= set(support.dofs):
        sheet.line((x - 8, y + 12), (x + 8, y + 12), colour, 2)
    else:
        sheet.circle((x - 3, y + 13.5), 2, "#ffffff", colour, 1)
        sheet.circle((x + 3, y + 13.5), 2, "#ffffff", colour, 1)
    if support.symmetry:
        sheet.line((x - 8, y + 17), (x + 8, y + 17), colour, 1.2, **{"stroke-dasharray": "5 2 1 2"})


def arrow(sheet: Sheet, tip: Point, way: Floats, colour: str, length: float = 38) -> set[str]:
    """Draw an arrow that ends at *tip*; one along the view is a ring with a point (towards) or a cross (away)."""
    flat = math.hypot(float(way[0]), float(way[1]))
    x, y = tip
    if flat < _CROSSWISE:
        sheet.circle(tip, 6, "#ffffff", colour, 1.6)
        if way[2] > 0:
            sheet.circle(tip, 2, colour)
            return {"towards"}
        for side in (1, -1):
            sheet.line((x - 4, y - 4 * side), (x + 4, y + 4 * side), colour, 1.6)
        return {"away"}
    right, down = float(way[0]) / flat, float(way[1]) / flat
    reach = length * max(flat, 0.55)
    neck = (x - 10 * right, y - 10 * down)
    sheet.line((x - reach * right, y - reach * down), neck, colour, 2)
    sheet.polygon([tip, (neck[0] - 4 * down, neck[1] + 4 * right), (neck[0] + 4 * down, neck[1] - 4 * right)], colour)
    return set()


def lone_rows(part: Part) -> Rows:
    """Return the rows of nodes that no element uses, also none that is kept as text."""
    free = ~part.mesh.used_nodes()
    free[np.isin(part.mesh.node_labels, part.held_nodes)] = False
    return np.flatnonzero(free).astype(np.int32)


def tell_signs(legend: Legend, part: Part, words: Words) -> None:
    """Tell the supports and loads of *part*."""
    for what in signs_of(part):
        tell_sign(legend, part, what, words, usual_colour(what))


def signs_of(part: Part) -> list[Load | Support]:
    """Return the supports, then the loads of *part*."""
    return [*part.supports.values(), *part.loads.values()]


def tell_sign(legend: Legend, part: Part, what: Load | Support, words: Words, colour: str, prefix: str = "") -> None:
    """Tell one support or load."""
    legend.entry(prefix + told(part, what, words), None, _sign(what, colour))


def tell_rings(legend: Legend, words: Words, seen: set[str]) -> None:
    """Tell what the rings mean that were *seen*."""
    for name in sorted(seen):
        legend.entry(str(getattr(words, name)), None, _ring(name == "towards"))


def told(part: Part, what: Load | Support, words: Words) -> str:
    """Return the line that tells a support or load."""
    if isinstance(what, Gravity):
        return words.fill("gravity", name=what.name, vector=_vector(what.components))
    if isinstance(what, Pressure):
        count = len(part.element_sets[what.element_set])
        return words.fill("pressure", name=what.name, value=f"{what.magnitude:.4g}", count=count)
    count = len(part.node_sets[what.node_set])
    if isinstance(what, Support):
        held = dofs_named(what.dofs)
        return words.fill("symmetry" if what.symmetry else "support", name=what.name, dofs=held, count=count)
    kind = "force_total" if what.total else "force_each"
    return words.fill(kind, name=what.name, vector=_vector(what.components), count=count)


def _vector(components: Vector) -> str:
    return "(" + ", ".join(f"{value:.4g}" for value in components) + ")"


def _sign(what: Load | Support, colour: str) -> Callable[[Sheet, Point], None]:
    def draw(sheet: Sheet, at: Point) -> None:
        if isinstance(what, Support):
            support_sign(sheet, (at[0], at[1] - 8), what, colour)
        else:
            arrow(sheet, (at[0] + 13, at[1]), np.array([1.0, 0, 0]), colour, 26)

    return draw


def _ring(towards: bool) -> Callable[[Sheet, Point], None]:
    def draw(sheet: Sheet, at: Point) -> None:
        arrow(sheet, at, np.array([0, 0, 1.0 if towards else -1.0]), INK)

    return draw
