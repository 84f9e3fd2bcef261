"""Decides what stands around a part on its sheet: title, legend, scale bar, axes; it must not know what the legend is about."""

import math
from collections.abc import Callable

from steadyhand.domains.cae.pictures.camera import Projection
from steadyhand.domains.cae.pictures.paper import GREY, INK, PALE, Box, Fill, Point, Sheet, plain, width_of, wrapped
from steadyhand.domains.cae.pictures.words import Words

Swatch = Callable[[Sheet, Point], None]

_LINE = 19.0
_SIZE = 13.0
_AXES = (("x", "#c0392b"), ("y", "#1e8449"), ("z", "#21618c"))
_LETTERS_A_TITLE_HAS = 200


def draw_title(sheet: Sheet, title: str, below: str, margin: float) -> None:
    """Write the title and a smaller line below it at the top of the sheet, as much as there is room for."""
    sheet.rectangle(Box(0, 0, sheet.width, sheet.height), "#ffffff")
    lines = wrapped(title[:_LETTERS_A_TITLE_HAS], 22, sheet.width - 2 * margin, 1)
    sheet.text((margin, margin + 16), lines[0], 21, bold=True)
    sheet.text((margin, margin + 40), below, _SIZE, GREY)


class Legend:
    """Lines with a swatch each, from the top of *box* down, then in a next column of *column* width; what has no room is counted."""

    def __init__(self, sheet: Sheet, box: Box, column: float) -> None:
        self._sheet, self._box, self._column = sheet, box, column
        self._x, self._y = box.x, box.y
        self._left_out = 0

    def entry(self, text: str, count: int | None = None, swatch: Swatch | None = None) -> None:
        """Add a line; *count* stands at its end."""
        told = "" if count is None else f"{count:,}"
        lines = wrapped(text, _SIZE, max(self._column - 60 - width_of(told, _SIZE), 40.0), 3)
        if not self._fits(len(lines)):
            return
        if swatch is not None:
            swatch(self._sheet, (self._x + 15, self._y + _LINE / 2))
        if told:
            self._sheet.text((self._x + self._column - 18, self._y + 14), told, _SIZE, bold=True, anchor="end")
        for line in lines:
            self._sheet.text((self._x + 36, self._y + 14), line, _SIZE)
            self._y += _LINE
        self._y += 3

    def note(self, text: str) -> None:
        """Add a paragraph without a swatch."""
        lines = wrapped(text, 12, self._column - 12, 5)
        if not self._fits(len(lines)):
            return
        for line in lines:
            self._sheet.text((self._x, self._y + 14), line, 12, GREY)
            self._y += _LINE - 2
        self._y += 3

    def gap(self) -> None:
        """Leave a little room."""
        self._y += 8

    def finish(self, words: Words) -> None:
        """Say how many lines had no room."""
        if self._left_out:
            told = words.fill("more", count=self._left_out)
            self._sheet.text((self._x, self._box.bottom - 2), told, 12, GREY)

    def _fits(self, lines: int) -> bool:
        """Whether there is room for so many lines, in the next column if need be; once there is none, there is none any more."""
        last = self._x + 2 * self._column > self._box.right + 1
        bottom = self._box.bottom - (_LINE if last else 0)  # the last line of all tells what is left out
        if not self._left_out and self._y + lines * _LINE > bottom and not last:
            self._x, self._y = self._x + self._column, self._box.y
            return self._fits(lines)
        if self._left_out or self._y + lines * _LINE > bottom:
            self._left_out += 1
            return False
        return True


def area(fill: Fill, edge: str) -> Swatch:
    """Return a swatch of an area."""
    return lambda sheet, at: sheet.rectangle(Box(at[0] - 13, at[1] - 7, 26, 14), sheet.fill(fill), edge)


def stroke(colour: str, width: float, dashes: str = "") -> Swatch:
    """Return a swatch of a line."""
    more = {"stroke_dasharray": dashes} if dashes else {}
    return lambda sheet, at: sheet.line((at[0] - 13, at[1]), (at[0] + 13, at[1]), colour, width, **more)


def draw_scale(sheet: Sheet, projection: Projection, at: Point, words: Words) -> None:
    """Draw a bar of a round length with its left end at *at*."""
    length = round_below(150 / projection.scale)
    end = at[0] + length * projection.scale
    sheet.open(**{"data-part": "scale"})
    for index in range(2):
        left = at[0] + index * (end - at[0]) / 2
        half = Box(left, at[1] - 3, (end - at[0]) / 2, 6)
        sheet.rectangle(half, INK if index == 0 else "#ffffff", INK)
    sheet.text((end + 8, at[1] + 5), words.fill("scale", length=f"{length:.6g}"), _SIZE)
    sheet.close()


def round_below(value: float) -> float:
    """Return the largest of 1, 2 and 5 times a power of ten that is not above *value*."""
    if not value > 0 or not math.isfinite(value):
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return max((step * power for step in (1, 2, 5) if step * power <= value * (1 + 1e-9)), default=power)


def draw_axes(sheet: Sheet, projection: Projection, at: Point) -> None:
    """Draw the directions of the axes from *at*; one that points along the view is a dot."""
    sheet.open(**{"data-part": "axes"})
    sheet.circle(at, 2.2, GREY)
    for column, (name, colour) in enumerate(_AXES):
        right, up, toward = (float(row[column]) for row in projection.camera.axes)
        flat = math.hypot(right, up)
        if flat < 0.05:
            sheet.circle(at, 5, "none", colour, 1.6)
            sheet.text((at[0] - 14, at[1] + 15), name, 12, colour, bold=True, anchor="middle")
            continue
        share = 34 / math.sqrt(right * right + up * up + toward * toward)
        end = (at[0] + right * share, at[1] - up * share)
        sheet.line(at, end, colour, 2)
        past = (end[0] + right / flat * 9, end[1] - up / flat * 9 + 4)
        sheet.text(past, name, 12, colour, bold=True, anchor="middle")
    sheet.close()


def draw_frame(sheet: Sheet, box: Box, name: str) -> None:
    """Draw the border of a panel and its *name*."""
    sheet.rectangle(box, "#f8f9fb", PALE)
    if name:
        sheet.text((box.x + 12, box.y + 24), plain(name), 16, bold=True)
