"""Decides how lines, areas and texts become the bytes of an SVG, each text and attribute escaped; it must not know a part."""

import base64
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

FONTS = (
    "'Noto Sans CJK SC', 'Noto Sans SC', 'Source Han Sans SC', 'PingFang SC', 'Microsoft YaHei', "
    "'WenQuanYi Micro Hei', 'WenQuanYi Zen Hei', 'DejaVu Sans', sans-serif"
)
INK, GREY, PALE = "#1f2933", "#556270", "#c5ccd4"
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_SHOWN_INSTEAD = "\ufffd"
_HANGING = frozenset("，。、：；）,.;:)")
"""Signs that may stand past the end of a line, so that none begins with them."""

Point = tuple[float, float]
Attribute = str | float


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of a sheet."""

    x: float
    y: float
    width: float
    height: float

    @property
    def centre(self) -> Point:
        """The middle."""
        return self.x + self.width / 2, self.y + self.height / 2

    @property
    def right(self) -> float:
        """The right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.y + self.height

    def shrunk(self, by: float) -> "Box":
        """Return this box without a margin of *by*."""
        return Box(self.x + by, self.y + by, max(self.width - 2 * by, 1.0), max(self.height - 2 * by, 1.0))


@dataclass(frozen=True, slots=True)
class Fill:
    """A colour and, so that it is told apart without colour too, a hatch in *ink*: "", "rising", "falling", "crossed" or "dots"."""

    colour: str
    hatch: str = ""
    ink: str = INK

    def shaded(self, share: float) -> "Fill":
        """Return this fill, darker: *share* 1 leaves it as it is."""
        return Fill(mixed(self.colour, "#000000", share), self.hatch, self.ink)


_HATCHES = {
    "rising": '<path d="M-1.5 1.5L1.5 -1.5M0 6L6 0M4.5 7.5L7.5 4.5" stroke={ink} stroke-width="1.1" fill="none"/>',
    "falling": '<path d="M-1.5 4.5L1.5 7.5M0 0L6 6M4.5 -1.5L7.5 1.5" stroke={ink} stroke-width="1.1" fill="none"/>',
    "crossed": '<path d="M0 0L6 6M0 6L6 0" stroke={ink} stroke-width="0.9" fill="none"/>',
    "dots": '<circle cx="3" cy="3" r="1.1" fill={ink}/>',
}


def mixed(one: str, other: str, share: float) -> str:
    """Return *share* of colour *one* mixed with the rest of *other*; both as #rrggbb."""
    parts = ((int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in parts)


def plain(text: str) -> str:
    """Return *text* without signs that XML does not have or that turn the direction of what stands around them."""
    spaced = (" " if unicodedata.category(sign) == "Zs" else sign for sign in text)
    return "".join(sign if _shows(sign) else _SHOWN_INSTEAD for sign in spaced)


def _shows(sign: str) -> bool:
    return sign.isprintable() and sign not in _TURNING and not 0xFFFE <= ord(sign) <= 0xFFFF


def width_of(text: str, size: float) -> float:
    """Return about how wide *text* is; never much less than a usual font makes it."""
    return size * sum(_width(sign) for sign in text)


def _width(sign: str) -> float:
    if unicodedata.east_asian_width(sign) in "WFA":
        return 1.0
    return 0.8 if sign.isupper() or sign in "mw@%" else 0.6


def wrapped(text: str, size: float, width: float, most: int = 2) -> list[str]:
    """Break *text* into at most *most* lines of *width*; what is left over ends with dots."""
    lines = [""]
    for sign in plain(text).strip():
        if width_of(lines[-1] + sign, size) <= width or (sign in _HANGING and width_of(lines[-1], size) <= width):
            lines[-1] += sign
            continue
        if len(lines) == most:
            lines[-1] = lines[-1][:-1] + "…"
            return lines
        kept, space, carried = lines[-1].rpartition(" ")
        if space and kept and sign != " " and not any(unicodedata.east_asian_width(one) in "WF" for one in carried + sign):
            lines[-1:] = [kept, carried + sign]
        else:
            lines.append(sign.strip())
    return lines


def number(value: float) -> str:
    """Return *value* as a drawing has it: one digit after the point at most."""
    text = f"{value:.1f}"
    return "0" if text == "-0.0" else text.removesuffix(".0")


class Sheet:
    """The elements of a drawing, in the order in which they are drawn."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self._parts: list[str] = []
        self._hatches: dict[Fill, str] = {}

    def element(self, name: str, /, **attributes: Attribute) -> None:
        """Add an element without content; underscores in names of attributes stand for hyphens."""
        self._parts.append(f"<{name}{_attributes(attributes)}/>")

    def open(self, **attributes: Attribute) -> None:
        """Begin a group."""
        self._parts.append(f"<g{_attributes(attributes)}>")

    def close(self) -> None:
        """End the group that was begun last."""
        self._parts.append("</g>")

    def raw(self, lines: Iterable[str]) -> None:
        """Add lines of markup that hold nothing but numbers made by this program."""
        self._parts.extend(lines)

    def fill(self, fill: Fill) -> str:
        """Return what an attribute says to have *fill*; its hatch is defined once."""
        if not fill.hatch:
            return fill.colour
        name = f"h-{fill.hatch}-{fill.colour[1:]}-{fill.ink[1:]}"
        self._hatches.setdefault(fill, name)
        return f"url(#{name})"

    def line(self, start: Point, end: Point, stroke: str, width: float = 1, **more: Attribute) -> None:
        """Draw a line."""
        ends: dict[str, Attribute] = {"x1": start[0], "y1": start[1], "x2": end[0], "y2": end[1]}
        self.element("line", **ends, stroke=stroke, stroke_width=width, **more)

    def polygon(self, points: Sequence[Point], fill: str, stroke: str = "none", width: float = 1, **more: Attribute) -> None:
        """Draw a closed area."""
        places = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        self.element("polygon", points=places, fill=fill, stroke=stroke, stroke_width=width, **more)

    def circle(self, at: Point, radius: float, fill: str, stroke: str = "none", width: float = 1, **more: Attribute) -> None:
        """Draw a disc."""
        place: dict[str, Attribute] = {"cx": at[0], "cy": at[1], "r": radius}
        self.element("circle", **place, fill=fill, stroke=stroke, stroke_width=width, **more)

    def rectangle(self, box: Box, fill: str, stroke: str = "none", **more: Attribute) -> None:
        """Draw a rectangle."""
        sides: dict[str, Attribute] = {"x": box.x, "y": box.y, "width": box.width, "height": box.height}
        self.element("rect", **sides, fill=fill, stroke=stroke, **more)

    def image(self, box: Box, png: bytes) -> None:
        """Place a PNG; its bytes stand in the drawing itself."""
        data = "data:image/png;base64," + base64.b64encode(png).decode("ascii")
        sides: dict[str, Attribute] = {"x": box.x, "y": box.y, "width": box.width, "height": box.height}
        self.element("image", **sides, preserveAspectRatio="none", href=data)

    def text(self, at: Point, text: str, size: float, fill: str = INK, *, bold: bool = False, anchor: str = "start") -> None:
        """Write one line with its baseline at *at*."""
        attributes: dict[str, Attribute] = {"x": at[0], "y": at[1], "font-size": size, "fill": fill}
        attributes["font-weight"] = "700" if bold else "500"
        if anchor != "start":
            attributes["text-anchor"] = anchor
        self._parts.append(f"<text{_attributes(attributes)}>{escape(plain(text))}</text>")

    def to_svg(self, title: str) -> str:
        """Return the drawing, named *title* for those who cannot see it."""
        size = f'width="{number(self.width)}" height="{number(self.height)}" viewBox="0 0 {number(self.width)} {number(self.height)}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family={quoteattr(FONTS)} stroke-linejoin="round">'
        patterns = [_pattern(fill, name) for fill, name in self._hatches.items()]
        defined = ["<defs>", *patterns, "</defs>"] if patterns else []
        return "\n".join([head, f"<title>{escape(plain(title))}</title>", *defined, *self._parts, "</svg>\n"])


def _pattern(fill: Fill, name: str) -> str:
    ground = f'<rect width="6" height="6" fill={quoteattr(fill.colour)}/>'
    ink = _HATCHES[fill.hatch].format(ink=quoteattr(fill.ink))
    return f'<pattern id={quoteattr(name)} width="6" height="6" patternUnits="userSpaceOnUse">{ground}{ink}</pattern>'


def _attributes(attributes: dict[str, Attribute]) -> str:
    shown = ((name.replace("_", "-"), value if isinstance(value, str) else number(value)) for name, value in attributes.items())
    return "".join(f" {name}={quoteattr(plain(value))}" for name, value in shown)
