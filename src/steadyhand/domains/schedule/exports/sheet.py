"""Decides how wide text is taken to be and where it breaks in a drawing, and which colour a name has; it must not know a timetable."""

import hashlib
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

FONTS = (
    "'Noto Sans CJK SC', 'Noto Sans SC', 'Source Han Sans SC', 'PingFang SC', 'Microsoft YaHei', "
    "'WenQuanYi Micro Hei', 'WenQuanYi Zen Hei', 'DejaVu Sans', sans-serif"
)
_NARROW, _CAPITAL, _WIDE = 0.56, 0.68, 1.0
_THIN = frozenset("iljtfI1.,:;'|!()[] ")
PALETTE: tuple[tuple[str, str], ...] = (
    ("#e3edfb", "#2f6fbf"),
    ("#e2f3ea", "#23875a"),
    ("#fdeede", "#c46a14"),
    ("#f6e6f3", "#a2458f"),
    ("#e0f2f4", "#17828f"),
    ("#fbe5e5", "#bf4444"),
    ("#efeafc", "#6a54c0"),
    ("#f4f1d8", "#8a7a12"),
    ("#e6f0dc", "#5a8526"),
    ("#fde6ef", "#c23a70"),
    ("#e8ecf1", "#51657d"),
    ("#f5e9df", "#94602f"),
)
"""(light, dark) pairs: the dark one is legible on the light one and on white."""


def colours_of(names: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return the colours of each name: by its letters, and apart from those of the others while there are enough."""
    found: dict[str, int] = {}
    used: set[int] = set()
    for name in sorted(set(names)):
        first = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") % len(PALETTE)
        free = ((first + step) % len(PALETTE) for step in range(len(PALETTE)))
        found[name] = next((index for index in free if index not in used), first)
        used.add(found[name])
    return {name: PALETTE[index] for name, index in found.items()}


def width_of(text: str, size: float) -> float:
    """Return about how wide *text* is; never much less than a usual font makes it."""
    return size * sum(_width(sign) for sign in text)


def _width(sign: str) -> float:
    if unicodedata.east_asian_width(sign) in "WFA":
        return _WIDE
    if sign in _THIN:
        return 0.34
    return _CAPITAL if sign.isupper() or sign in "mwMW@%" else _NARROW


def wrapped(text: str, size: float, widths: Sequence[float]) -> list[str]:
    """Break *text* into lines of these *widths* at most; a word stays whole where it can, what is left over ends with dots."""
    found: list[str] = []
    rest = text.strip()
    for index, width in enumerate(widths):
        if not rest or width_of(rest, size) <= width:
            break
        if index == len(widths) - 1:
            return [*found, rest[: _fitting(rest, size, width - size)].rstrip() + "…"]
        count = _fitting(rest, size, width)
        space = rest.rfind(" ", 1, count + 1)
        cut = space if space > 0 and rest[count - 1 : count + 1].isascii() else count
        found.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip()
    return [*found, rest] if rest else found


def _fitting(text: str, size: float, width: float) -> int:
    used = 0.0
    for index, sign in enumerate(text):
        used += size * _width(sign)
        if used > width:
            return max(index, 1)
    return len(text)


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of a drawing."""

    x: float
    y: float
    width: float
    height: float


class Drawing:
    """The elements of a drawing in order; every text and attribute is escaped here."""

    def __init__(self, width: float, height: float, size: tuple[str, str]) -> None:
        self._head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" '
            f'viewBox="0 0 {_number(width)} {_number(height)}" font-family={quoteattr(FONTS)}>'
        )
        self._parts: list[str] = []

    def rectangle(self, box: Box, fill: str, *, stroke: str = "", radius: float = 0, dashed: bool = False) -> None:
        """Draw a rectangle."""
        shape = f'<rect x="{_number(box.x)}" y="{_number(box.y)}" width="{_number(box.width)}" height="{_number(box.height)}"'
        corner = f' rx="{_number(radius)}"' if radius else ""
        line = f' stroke={quoteattr(stroke)} stroke-width="1.2"' if stroke else ""
        dashes = ' stroke-dasharray="4 3"' if dashed else ""
        self._parts.append(f"{shape}{corner} fill={quoteattr(fill)}{line}{dashes}/>")

    def line(self, start: tuple[float, float], end: tuple[float, float], stroke: str, width: float = 1) -> None:
        """Draw a line."""
        ends = f'x1="{_number(start[0])}" y1="{_number(start[1])}" x2="{_number(end[0])}" y2="{_number(end[1])}"'
        self._parts.append(f'<line {ends} stroke={quoteattr(stroke)} stroke-width="{_number(width)}"/>')

    def text(
        self, at: tuple[float, float], text: str, size: float, fill: str, *, bold: bool = False, anchor: str = "start"
    ) -> None:
        """Write one line with its baseline at *at*."""
        weight = ' font-weight="700"' if bold else ' font-weight="500"'
        side = f' text-anchor="{anchor}"' if anchor != "start" else ""
        place = f'x="{_number(at[0])}" y="{_number(at[1])}" font-size="{_number(size)}"'
        self._parts.append(f"<text {place} fill={quoteattr(fill)}{weight}{side}>{escape(text)}</text>")

    def title(self, text: str) -> None:
        """Name the drawing for those who cannot see it."""
        self._parts.insert(0, f"<title>{escape(text)}</title>")

    def to_svg(self) -> bytes:
        """Return the drawing as SVG bytes."""
        return "\n".join([self._head, *self._parts, "</svg>\n"]).encode()


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
