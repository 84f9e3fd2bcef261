"""Decides how a part, a change and a result look as PNG, drawn by pyvista without a display; it must not be needed by anybody.

pyvista is an extra. Its graphics library can end the process where the machine lacks what it needs, so callers run this in
a child process and fall back on the SVG.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from steadyhand.core.fonts import find_font
from steadyhand.domains.cae.engine.mesh import Flags, Floats, Mesh, Rows
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.engine.shapes import Shape
from steadyhand.domains.cae.pictures.camera import camera_for
from steadyhand.domains.cae.pictures.changes import Changes, State, compare
from steadyhand.domains.cae.pictures.contour import BANDS, NO_VALUE, Field
from steadyhand.domains.cae.pictures.outline import outline_of
from steadyhand.domains.cae.pictures.paper import INK, plain, wrapped
from steadyhand.domains.cae.pictures.png import rgb_png
from steadyhand.domains.cae.pictures.results import checked, factor_of, largest_lines, share_above
from steadyhand.domains.cae.pictures.surface import SHADES, shades_of
from steadyhand.domains.cae.pictures.svg import (
    BRANCHING,
    FREE,
    QUIET,
    SHAPE_LOOKS,
    STATE_LOOKS,
    node_counts,
    shape_words,
    sign_changes,
    sign_colour,
    size_line,
    state_words,
)
from steadyhand.domains.cae.pictures.symbols import Colour, load_arrows, signs_of, thinned, usual_colour
from steadyhand.domains.cae.pictures.symbols import told as tell
from steadyhand.domains.cae.pictures.words import Words

SIZE = (1200, 800)
_SIDE, _FOOT = 300, 180
_GROUND = "#f4f6f8"
_EDGES_UP_TO = 50_000
_TEXT = 12
_LINE = 22
_HEAD = 110
"""Room for the title above the part."""
_AIR = 1.16
_ARROW = 0.07
_MOST_BALLS = 200
_SEEN_THROUGH = 0.55
"""How dense what stays is drawn, so that changes behind it are seen."""


@dataclass(frozen=True, slots=True)
class _Told:
    """A line of the legend; *colour* is that of its swatch."""

    text: str
    colour: str = ""


def available() -> bool:
    """Whether pyvista is installed; nothing is imported to find out."""
    return find_spec("pyvista") is not None


def can_write(texts: Sequence[str]) -> bool:
    """Whether there is a font for *texts*: Chinese needs one beside what pyvista brings."""
    return not _beyond_latin(texts) or find_font() is not None


def _beyond_latin(texts: Sequence[str]) -> bool:
    return any(ord(sign) > 0xFF for text in texts for sign in text)


def _font_for(texts: Sequence[str]) -> str | None:
    """Return the font file for *texts*; None for pyvista's own."""
    font = find_font() if _beyond_latin(texts) else None
    return str(font) if font is not None else None


def mesh_png(part: Part, words: Words, *, title: str) -> bytes:
    """Return *part* as PNG: elements by shape, free and branching edges, supports and forces."""
    mesh = part.mesh
    stage = _Stage(title, size_line(mesh.xyz, words), mesh.xyz, _font_for([title, words.nodes]), side=True)
    told = [_Told(f"{words.nodes}: {mesh.node_count:,}"), _Told(f"{words.elements}: {mesh.element_count:,}")]
    for shape, text in shape_words(words).items():
        look = SHAPE_LOOKS[shape]
        chosen = mesh.sizes == shape.value
        colour = look.line if shape is Shape.BEAM else look.fill.colour
        stage.add(mesh, chosen, colour)
        if chosen.any():
            told.append(_Told(f"{text}: {int(chosen.sum()):,}", colour))
    outline = outline_of(mesh)
    for text, edges, colour in ((words.free_edges, outline.free, FREE), (words.branching_edges, outline.branching, BRANCHING)):
        if len(edges):
            stage.lines(mesh.xyz, edges, colour, 3)
            told.append(_Told(f"{text}: {len(edges):,}", colour))
    stage.signs(part)
    stage.look()
    told += [_Told(tell(part, what, words), usual_colour(what)) for what in signs_of(part)]
    return stage.shoot(told, words)


def before_after_png(before: Part, after: Part, words: Words, *, title: str) -> bytes:
    """Return both states beside each other as one PNG: what goes is marked in the first, what comes or changes in the second."""
    changes = compare(before, after)
    every = np.concatenate([before.mesh.xyz, after.mesh.xyz])
    stage = _Stage(title, size_line(after.mesh.xyz, words), every, _font_for([title, words.nodes]), side=False)
    for place, (part, states, name) in enumerate(((before, changes.before, words.before), (after, changes.after, words.after))):
        stage.panel(place, name)
        for state, look in STATE_LOOKS.items():
            chosen = states == state
            marked = state is State.DELETED or (place == 1 and state not in QUIET)
            colour = (look if marked or place == 1 else STATE_LOOKS[State.SAME]).fill.colour
            stage.add(part.mesh, chosen, colour, 1.0 if marked else _SEEN_THROUGH)
        other, first = (after, True) if place == 0 else (before, False)
        stage.signs(part, partial(sign_colour, part=part, other=other, is_before=first))
        stage.look()
    texts = state_words(words)
    told = _tell_states({state: texts[state] for state in texts if state not in QUIET}, changes, words)
    for part, what, state in sign_changes(before, after):
        word = words.deleted if state is State.DELETED else words.added
        told.append(_Told(f"{word}: {tell(part, what, words)}", STATE_LOOKS[state].line))
    told += [_Told(f"{text}: {count:,}", STATE_LOOKS[state].line) for state, text, count in node_counts(changes, words)]
    told += _tell_states({state: texts[state] for state in QUIET}, changes, words)
    return stage.shoot(told or [_Told(words.nothing)], words)


def _tell_states(texts: dict[State, str], changes: Changes, words: Words) -> list[_Told]:
    counts = {state: changes.count(state) for state in texts}
    return [
        _Told(f"{words.elements}: {text}: {counts[state]:,}", STATE_LOOKS[state].fill.colour)
        for state, text in texts.items()
        if counts[state]
    ]


def result_png(part: Part, field: Field, words: Words, *, title: str) -> bytes:
    """Return *field* on *part* as PNG. Raises `EngineRefusal` ``result_of_another_part``."""
    checked(part, field)
    mesh, levels, factor = part.mesh, field.levels(), factor_of(part.mesh, field)
    bent = mesh.xyz + factor * field.moved()
    below = size_line(mesh.xyz, words) + " · " + words.fill("deformed", factor=f"{factor:.6g}")
    stage = _Stage(title, below, np.concatenate([mesh.xyz, bent]), _font_for([title, field.quantity, words.nodes]), side=True)
    outline = outline_of(mesh)
    stage.lines(mesh.xyz, np.concatenate([outline.free, outline.bent]), "#aab2bb", 1)
    stage.values(mesh, bent, field, levels)
    stage.look()
    return stage.shoot(_tell_result(part, field, levels, words), words)


def _tell_result(part: Part, field: Field, levels: Floats, words: Words) -> list[_Told]:
    mesh = part.mesh
    told = [_Told(field.quantity)]
    told += [
        _Told(f"{low:.4g} … {high:.4g}", colour)
        for low, high, colour in reversed(list(zip(levels[:-1].tolist(), levels[1:].tolist(), BANDS, strict=True)))
    ]
    told += [_Told(line) for line in largest_lines(mesh, field, words)]
    above = share_above(field, levels)
    if above:
        told.append(_Told(words.fill("capped", value=f"{levels[-1]:.4g}", share=f"{above:.2g}")))
    return [*told, _Told(words.undeformed, "#aab2bb")]


def _placed(told: Sequence[_Told], words: Words, columns: int, height: int) -> Iterator[tuple[int, int, list[str], str]]:
    """Yield left, top, lines and swatch of what there is room for in *columns* of *height*, and last how much there is none for."""
    width = SIZE[0] // columns if columns > 1 else _SIDE
    column, y = 0, 16
    for index, line in enumerate(told):
        pieces = wrapped(line.text, 17, width - 44, 3)
        if y + _LINE * len(pieces) > height - (_LINE if column == columns - 1 else 0):
            if column == columns - 1:
                yield 12 + column * width, height - 20, [words.fill("more", count=len(told) - index)], ""
                return
            column, y = column + 1, 16
        yield 12 + column * width, y, pieces, line.colour
        y += _LINE * len(pieces) + 4


class _Stage:
    """A window that nobody sees: one view with a legend at its side, or two with a legend below them."""

    def __init__(self, title: str, below: str, points: Floats, font: str | None, *, side: bool) -> None:
        if sys.platform == "linux" and not os.environ.get("DISPLAY"):
            os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkEGLRenderWindow")  # else it tries X first and complains
        self._pv: Any = import_module("pyvista")
        wide, tall = SIZE
        self._side = side
        shape: dict[str, Any] = {"shape": (1, 2), "col_weights": [wide - _SIDE, _SIDE]}
        if not side:
            shape = {"shape": (2, 2), "row_weights": [tall - _FOOT, _FOOT], "groups": [(1, slice(None))]}
        self._plotter: Any = self._pv.Plotter(off_screen=True, window_size=list(SIZE), border=False, **shape)
        self._font = font
        self._title, self._below = title, below
        self._points, self._camera = points, camera_for(points)
        self._size = float(np.linalg.norm(np.ptp(points, axis=0))) if len(points) else 1.0
        self.panel(0, "")

    def panel(self, column: int, name: str) -> None:
        """Go on in that view."""
        self._plotter.subplot(0, column)
        self._plotter.set_background(_GROUND, all_renderers=False)
        if name:
            tall = SIZE[1] - (0 if self._side else _FOOT)
            self._write(name, (16, tall - 100), _TEXT + 1)

    def add(self, mesh: Mesh, chosen: Flags, colour: str, opacity: float = 1.0) -> None:
        """Add the *chosen* elements, faces lighter or darker by the way they turn."""
        shell = self._shell(mesh, mesh.xyz, chosen)
        if shell is not None:
            light = np.array(SHADES)[shades_of(mesh, mesh.xyz, flat=self._camera.flat)[chosen & (mesh.sizes >= Shape.TRI.value)]]
            shell.cell_data["colour"] = np.rint(light[:, None] * list(bytes.fromhex(colour[1:]))).astype(np.uint8)
            edged = mesh.element_count <= _EDGES_UP_TO
            self._plotter.add_mesh(
                shell,
                scalars="colour",
                rgb=True,
                opacity=opacity,
                show_edges=edged,
                edge_color="#5c6a78",
                line_width=1,
                lighting=False,
            )
        beams = chosen & (mesh.sizes == Shape.BEAM.value)
        if beams.any():
            self.lines(mesh.xyz, mesh.conn[beams, :2], colour, 6)

    def values(self, mesh: Mesh, xyz: Floats, field: Field, levels: Floats) -> None:
        """Add all elements with the colours of their values."""
        for beams in (False, True):
            chosen = (mesh.sizes == Shape.BEAM.value) == beams
            made = self._beams(mesh, xyz, chosen) if beams else self._shell(mesh, xyz, chosen)
            if made is None:
                continue
            known = np.where(np.isfinite(field.values), field.values, np.nan)
            if field.per == "element":
                made.cell_data["value"] = known[chosen]
            else:
                made.point_data["value"] = known
            self._plotter.add_mesh(
                made,
                scalars="value",
                cmap=list(BANDS),
                n_colors=len(BANDS),
                clim=[float(levels[0]), float(levels[-1])],
                nan_color=NO_VALUE,
                show_scalar_bar=False,
                show_edges=not beams and mesh.element_count <= _EDGES_UP_TO,
                edge_color="#3d4a58",
                line_width=6 if beams else 1,
                render_lines_as_tubes=beams,
                lighting=False,
            )

    def lines(self, xyz: Floats, ends: Rows, colour: str, width: float) -> None:
        """Add lines between rows of *xyz*."""
        if len(ends) == 0:
            return
        made = self._pv.PolyData(self._nearer(xyz), lines=np.column_stack([np.full(len(ends), 2), ends]).ravel())
        self._plotter.add_mesh(made, color=colour, line_width=width, render_lines_as_tubes=width > 3, lighting=False)

    def signs(self, part: Part, colour: Colour = usual_colour) -> None:
        """Add supports as dark balls and loads as arrows."""
        mesh = part.mesh
        for support in part.supports.values():
            rows = thinned(mesh.node_rows(part.node_sets[support.node_set]), _MOST_BALLS)
            if len(rows):
                places = self._nearer(mesh.xyz[rows])
                self._plotter.add_points(
                    places, color=colour(support), point_size=11, render_points_as_spheres=True, lighting=False
                )
        for load in part.loads.values():
            tips, ways = load_arrows(part, load)
            if len(tips):
                ways = ways * self._size * _ARROW
                self._plotter.add_arrows(self._nearer(tips - ways), ways, color=colour(load), lighting=False)

    def look(self) -> None:
        """Look at all points that there are, from where the SVG looks."""
        lengths = np.linalg.norm(self._camera.axes, axis=1)
        axes = self._camera.axes / lengths[:, None]
        seen = self._points @ axes.T if len(self._points) else np.zeros((1, 3))
        low, high = seen.min(axis=0), seen.max(axis=0)
        focus = (low + high) / 2 @ axes
        room = (SIZE[0] - _SIDE, SIZE[1] - _HEAD) if self._side else (SIZE[0] // 2, SIZE[1] - _FOOT - _HEAD)
        wide, tall = (float(value) for value in (high - low)[:2])
        camera = self._plotter.camera
        self._plotter.enable_parallel_projection()
        camera.focal_point = tuple(focus)
        camera.position = tuple(focus + axes[2] * max(self._size, 1e-9) * 2)
        camera.up = tuple(axes[1])
        half = max(tall / room[1], wide / room[0], self._size * 1e-6, 1e-12) / 2 * _AIR
        camera.parallel_scale = half * (room[1] + _HEAD)
        self._plotter.renderer.ResetCameraClippingRange()
        self._plotter.add_axes(viewport=(0, 0, 0.16, 0.16), xlabel="x", ylabel="y", zlabel="z", line_width=2)

    def _nearer(self, points: Floats) -> Floats:
        """Return *points* a little nearer to the one who looks, so that no face that they lie on covers them."""
        toward = self._camera.axes[2]
        return points + toward / np.linalg.norm(toward) * self._size * 2e-3

    def shoot(self, told: Sequence[_Told], words: Words) -> bytes:
        """Write title and legend and return the picture; the window is gone afterwards."""
        try:
            swatches = self._tell(told, words)
            self._plotter.enable_anti_aliasing("ssaa")
            image = np.array(self._plotter.screenshot(return_img=True))[:, :, :3].copy()
            for left, top, colour in swatches:
                image[top : top + 14, left : left + 24] = list(bytes.fromhex(colour[1:]))
            return rgb_png(image.astype(np.uint8))
        finally:
            self._plotter.close()

    def _tell(self, told: Sequence[_Told], words: Words) -> list[tuple[int, int, str]]:
        """Write the texts and return where swatches go: left, top, colour."""
        wide, tall = SIZE
        self._plotter.subplot(0, 0)
        top, room = (tall, wide - _SIDE - 40) if self._side else (tall - _FOOT, wide // 2 - 40)
        self._write(wrapped(self._title[:200], 27, room, 1)[0], (16, top - 40), _TEXT + 4)
        self._write(self._below, (16, top - 68), _TEXT - 1)
        self._plotter.subplot(*((0, 1) if self._side else (1, 0)))
        self._plotter.set_background("#ffffff", all_renderers=False)
        left, above, height = (wide - _SIDE, 0, tall) if self._side else (0, tall - _FOOT, _FOOT)
        swatches: list[tuple[int, int, str]] = []
        for x, y, pieces, colour in _placed(told, words, 1 if self._side else 3, height):
            if colour:
                swatches.append((left + x, above + y - 2, colour))
            for index, piece in enumerate(pieces):
                self._write(piece, (x + 34, height - y - 16 - index * _LINE), _TEXT - 2)
        return swatches

    def _write(self, text: str, at: tuple[int, int], size: int) -> None:
        self._plotter.add_text(plain(text), position=at, font_size=size, color=INK, font="arial", font_file=self._font)

    def _shell(self, mesh: Mesh, xyz: Floats, chosen: Flags) -> Any:
        """Return the *chosen* TRI and QUAD, in their order; None for none."""
        rows = np.flatnonzero(chosen & (mesh.sizes >= Shape.TRI.value))
        if len(rows) == 0:
            return None
        listed = np.column_stack([mesh.sizes[rows].astype(np.int64), mesh.conn[rows]])
        return self._pv.PolyData(xyz, faces=listed[listed >= 0])

    def _beams(self, mesh: Mesh, xyz: Floats, chosen: Flags) -> Any:
        ends = mesh.conn[chosen, :2]
        if len(ends) == 0:
            return None
        return self._pv.PolyData(xyz, lines=np.column_stack([np.full(len(ends), 2), ends]).ravel())
