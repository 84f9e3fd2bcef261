"""Decides how numbers, lengths, vectors, names and the like are written, and what they are in N-mm-MPa-t. It must not know a statement.

Every form is a closed one: no two ways of reading the same signs, so that reading costs what the text is long. A value that no call
could hold (zero thickness, a label of twenty digits) is no value, and what holds it is not understood.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from steadyhand.domains.cae.calls.words import LARGEST, NAME
from steadyhand.llm.rules.pattern import lowered

NUMBER: Final = r"[+-]?(?:\d{1,12}(?:\.\d{1,15})?|\.\d{1,15})(?:e[+-]?\d{1,2})?(?![\d])"
_UNITS_OF_LENGTH: Final[Mapping[str, float]] = {"mm": 1.0, "cm": 10.0, "m": 1000.0, "毫米": 1.0, "厘米": 10.0, "米": 1000.0}
_UNITS_OF_STRESS: Final[Mapping[str, float]] = {
    "mpa": 1.0,
    "gpa": 1e3,
    "kpa": 1e-3,
    "pa": 1e-6,
    "bar": 0.1,
    "兆帕": 1.0,
    "吉帕": 1e3,
    "千帕": 1e-3,
    "帕": 1e-6,
    "n/mm2": 1.0,
    "n/mm²": 1.0,
    "n/mm^2": 1.0,
}
_UNITS_OF_FORCE: Final[Mapping[str, float]] = {"n": 1.0, "kn": 1e3, "牛": 1.0, "牛顿": 1.0, "千牛": 1e3}
_UNITS_OF_DENSITY: Final[Mapping[str, float]] = {
    "t/mm3": 1.0,
    "t/mm³": 1.0,
    "t/mm^3": 1.0,
    "kg/m3": 1e-12,
    "kg/m³": 1e-12,
    "kg/m^3": 1e-12,
    "g/cm3": 1e-9,
    "g/cm³": 1e-9,
    "g/cm^3": 1e-9,
}
_UNITS_OF_ACCELERATION: Final[Mapping[str, float]] = {
    "mm/s2": 1.0,
    "mm/s²": 1.0,
    "mm/s^2": 1.0,
    "m/s2": 1e3,
    "m/s²": 1e3,
    "m/s^2": 1e3,
}
_COUNTS: Final[Mapping[str, int]] = {
    **{sign: place for place, sign in enumerate("一二三四五六七八九十", 1)},
    "两": 2,
    "a": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "twelve": 12,
}
_TIMES: Final[Mapping[str, int]] = {"once": 1, "twice": 2, "thrice": 3, "一倍": 1}
_PLAIN_NAME: Final = r"[\"“「]?[a-z](?:[a-z0-9_.-]{0,62}[a-z0-9_])?(?![a-z0-9_])[\"”」]?"
_OPENING, _CLOSING = '"“「', '"”」'
_NOT_NAMES: Final = frozenset({"a", "an", "and", "as", "at", "by", "in", "it", "of", "on", "the", "then", "to", "with", "all"})
_PLANES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("xy", "yx", "xoy", "x-y"), "xy"),
    **dict.fromkeys(("xz", "zx", "xoz", "x-z"), "xz"),
    **dict.fromkeys(("yz", "zy", "yoz", "y-z"), "yz"),
}
_MATERIALS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("钢", "钢材", "steel"), "STEEL"),
    **dict.fromkeys(("铝", "铝合金", "铝材", "aluminium", "aluminum"), "ALUMINIUM"),
}
_SHAPES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("四边形", "四边形单元", "quad", "quads", "quad elements", "quadrilaterals"), "QUAD"),
    **dict.fromkeys(("三角形", "三角形单元", "tri", "tris", "triangles", "tri elements"), "TRI"),
    **dict.fromkeys(("梁", "梁单元", "beam", "beams", "beam elements"), "BEAM"),
}
_SIDES: Final = re.compile(
    r"(?:the )?(?P<axis>[xyz]) ?(?:轴|方向|坐标)? ?(?P<end>最小|最大|min|max|minimum|maximum)|(?P<hand>左|右|left|right)"
)
_STEP: Final = r"(?: ?, ?| )"
_BARE: Final = rf"{NUMBER}{_STEP}{NUMBER}{_STEP}{NUMBER}"
_TRIPLE: Final = rf"(?:\( ?{_BARE} ?\)|\[ ?{_BARE} ?\]|{_BARE})"
_NEXT: Final = r"(?: ?(?:, and |, ?|、|;|和|与| and ) ?| )"
_TIMES_SIGN: Final = r" ?(?:×|x|\*|乘以|乘| by ) ?"
_CELL: Final = r"[1-9]\d{0,9}(?!\d)"


@dataclass(frozen=True, slots=True)
class Form:
    """How a slot is written (a pattern without groups, over small letters), what it holds, and an example, in English where it differs."""

    pattern: str
    read: Callable[[str], Any]
    sample: str
    english: str = ""


def _unit(units: Mapping[str, float]) -> str:
    names = "|".join(re.escape(name) for name in sorted(units, key=len, reverse=True))
    return rf"(?: ?(?:{names})(?![a-z0-9/^]))?"


def _words(table: Mapping[str, Any]) -> str:
    """Return a pattern of the words of *table*; those of Latin letters end where no more stand."""
    words = sorted(table, key=len, reverse=True)
    latin = "|".join(re.escape(word) for word in words if word[-1].isascii())
    other = "|".join(re.escape(word) for word in words if not word[-1].isascii())
    ended = f"(?:{latin})(?![a-z0-9])" if latin else ""
    return f"(?:{'|'.join(part for part in (other, ended) if part)})"


def number(text: str) -> float | None:
    """Return a number that a call can hold."""
    value = float(text)
    return value + 0.0 if math.isfinite(value) and abs(value) <= LARGEST else None


def _split(text: str, units: Mapping[str, float]) -> tuple[str, str]:
    """Return a quantity's number and its unit, which may be missing."""
    low = lowered(text).strip()
    unit = next((name for name in sorted(units, key=len, reverse=True) if low.endswith(name)), "")
    return low[: len(low) - len(unit)].strip(), unit


def _scaled(value: float, unit: str, units: Mapping[str, float]) -> float | None:
    """Return *value* in our unit, free of the noise that a factor brings."""
    found = value * units[unit] if unit else value
    return number(f"{found:.12g}")


def _quantity(units: Mapping[str, float], *, positive: bool = False, whole: bool = True) -> Callable[[str], float | None]:
    def read(text: str) -> float | None:
        plain, unit = _split(text, units)
        found = _scaled(float(plain), unit, units)
        fits = found is not None and (found > 0 or not positive) and (whole or found != 0)
        return found if fits else None

    return read


def triple(text: str) -> tuple[float, float, float] | None:
    """Return three numbers."""
    found = [number(one) for one in re.findall(NUMBER, lowered(text))]
    x, y, z = found
    return None if x is None or y is None or z is None else (x, y, z)


def _vector(units: Mapping[str, float], *, zero: bool = True) -> Callable[[str], Any]:
    def read(text: str) -> tuple[float, float, float] | None:
        plain, unit = _split(text, units)
        found = triple(plain)
        if found is None or not (zero or any(found)):
            return None
        x, y, z = (_scaled(value, unit, units) for value in found)
        return None if x is None or y is None or z is None else (x, y, z)

    return read


def _points(text: str) -> tuple[tuple[float, float, float], ...] | None:
    plain, unit = _split(text, _UNITS_OF_LENGTH)
    found = [number(one) for one in re.findall(NUMBER, plain)]
    values = [_scaled(one, unit, _UNITS_OF_LENGTH) for one in found if one is not None]
    held = [one for one in values if one is not None]
    points = tuple((held[at], held[at + 1], held[at + 2]) for at in range(0, len(held) - 2, 3))
    return points if len(held) == len(found) and len(set(points)) == len(points) else None


def _two_lengths(text: str) -> tuple[float, float] | None:
    """Return two lengths; a unit behind the second is that of both, one behind the first alone is not enough."""
    first, second = re.split(_TIMES_SIGN, lowered(text))
    one, unit_of_one = _split(first, _UNITS_OF_LENGTH)
    two, unit = _split(second, _UNITS_OF_LENGTH)
    if unit_of_one and not unit:
        return None
    pair = _scaled(float(one), unit_of_one or unit, _UNITS_OF_LENGTH), _scaled(float(two), unit, _UNITS_OF_LENGTH)
    return (pair[0], pair[1]) if pair[0] and pair[1] and pair[0] > 0 and pair[1] > 0 else None


def _count(text: str) -> int | None:
    found = _COUNTS.get(lowered(text)) or (int(text) if text.isdecimal() else 0)
    return found if 1 <= found <= 1000 else None


def _two_counts(text: str) -> tuple[int, int] | None:
    one, two = (int(part) for part in re.split(_TIMES_SIGN, lowered(text)))
    return (one, two) if 1 <= one <= 2000 and 1 <= two <= 2000 else None


def _times(text: str) -> int | None:
    low = lowered(text)
    found = _TIMES.get(low) or _count(re.sub(r" ?(?:次|遍|级|times|levels?)$", "", low))
    return found if found is not None and found <= 3 else None


def _labels(text: str) -> list[int] | None:
    found = [int(one) for one in re.findall(r"\d+", text)]
    return found if all(1 <= one < 2**31 for one in found) else None


def _name(text: str) -> str | None:
    plain = text.strip("\"“”'‘’「」 ")
    return plain if re.fullmatch(NAME, plain) and plain.casefold() not in _NOT_NAMES else None


def _known_name(text: str) -> str | None:
    """Return the name of what is there: in quotes any that a deck can have."""
    inner = text.strip()
    if len(inner) > 2 and inner[0] in _OPENING and inner[-1] in _CLOSING:
        return inner[1:-1].strip() or None
    return _name(text)


def _side(text: str) -> str:
    found = _SIDES.match(lowered(text))
    if found is None:
        raise ValueError(text)
    if found["hand"]:
        return "xmin" if found["hand"] in ("左", "left") else "xmax"
    return found["axis"] + ("min" if found["end"] in ("最小", "min", "minimum") else "max")


def _signed(text: str) -> tuple[float, float, float] | None:
    low = lowered(text)
    if low in ("上", "下", "up", "upwards", "down", "downwards"):
        return (0.0, 0.0, 1.0 if low[0] in "上u" else -1.0)
    x, y, z = ((-1.0 if low.startswith(("-", "负", "minus")) else 1.0) if low[-1] == axis else 0.0 for axis in "xyz")
    return (x, y, z)


def _axes(text: str) -> list[int]:
    return sorted({"xyz".index(sign) + 1 for sign in lowered(text) if sign in "xyz"})


def _ratio(text: str) -> float | None:
    found = number(text)
    return found if found is not None and -1 < found < 0.5 else None


_HAND: Final = r"(?:左|右)(?:边|端|侧)|(?:left|right)(?![a-z])"
_SIDE: Final = (
    r"(?:[xyz] ?(?:轴|方向|坐标)? ?(?:最小|最大)|[xyz] ?(?:minimum|maximum|min|max)(?![a-z])"
    rf"|{_HAND})"
)
_LENGTH: Final = NUMBER + _unit(_UNITS_OF_LENGTH)

FORMS: Final[Mapping[str, Form]] = {
    "length": Form(_LENGTH, _quantity(_UNITS_OF_LENGTH), "10"),
    "size": Form(_LENGTH, _quantity(_UNITS_OF_LENGTH, positive=True), "2"),
    "sizes": Form(rf"{_LENGTH}{_TIMES_SIGN}{_LENGTH}", _two_lengths, "60×100", "60 by 100"),
    "counts": Form(rf"\d{{1,4}}(?!\d){_TIMES_SIGN}\d{{1,4}}(?!\d)", _two_counts, "6×10", "6 by 10"),
    "count": Form(rf"(?:\d{{1,4}}(?!\d)|{_words(_COUNTS)})", _count, "5"),
    "times": Form(
        rf"(?:{_words(_TIMES)}|(?:\d{{1,2}}|{_words(_COUNTS)}) ?(?:次|遍|级|times(?![a-z])|levels?(?![a-z])))",
        _times,
        "2 次",
        "2 times",
    ),
    "labels": Form(rf"{_CELL}(?:(?: ?, ?(?:and )?| ?、 ?| ?和 ?| and ){_CELL})*", _labels, "12、13", "12 and 13"),
    "name": Form(rf"(?:{_PLAIN_NAME}|[\"“「][^\"“”「」\n]{{1,80}}[\"”」])", _known_name, "“DECK”", "DECK"),
    "new": Form(_PLAIN_NAME, _name, "“DECK”", "DECK"),
    "axis": Form(r"[xyz](?![a-z])", lambda text: text.upper(), "Z"),
    "axes": Form(r"[xyz](?:(?: ?[、,] ?| ?和 ?| and )?[xyz]){0,2}(?![a-z])", _axes, "X、Y", "x and y"),
    "signed": Form(r"(?:[+-] ?|负 ?|正 ?|minus |plus )?[xyz](?![a-z])|[上下]|(?:up|down)(?:wards)?(?![a-z])", _signed, "-Z"),
    "plane": Form(_words(_PLANES), lambda text: _PLANES[lowered(text)], "XZ"),
    "point": Form(_TRIPLE + _unit(_UNITS_OF_LENGTH), _vector(_UNITS_OF_LENGTH), "0 0 0"),
    "step": Form(_TRIPLE + _unit(_UNITS_OF_LENGTH), _vector(_UNITS_OF_LENGTH, zero=False), "0 0 500"),
    "direction": Form(_TRIPLE, _vector({}, zero=False), "0 0 1"),
    "three": Form(rf"{_TRIPLE}(?:{_NEXT}{_TRIPLE}){{2}}{_unit(_UNITS_OF_LENGTH)}", _points, "0 0 0, 100 0 0, 0 100 0"),
    "four": Form(rf"{_TRIPLE}(?:{_NEXT}{_TRIPLE}){{3}}{_unit(_UNITS_OF_LENGTH)}", _points, "0 0 0, 100 0 0, 100 100 0, 0 100 0"),
    "angle": Form(NUMBER, _quantity({}, whole=False), "90"),
    "modulus": Form(NUMBER + _unit(_UNITS_OF_STRESS), _quantity(_UNITS_OF_STRESS, positive=True), "210000"),
    "ratio": Form(NUMBER, _ratio, "0.3"),
    "density": Form(NUMBER + _unit(_UNITS_OF_DENSITY), _quantity(_UNITS_OF_DENSITY, positive=True), "7.85e-9"),
    "pressure": Form(NUMBER + _unit(_UNITS_OF_STRESS), _quantity(_UNITS_OF_STRESS, whole=False), "0.1 MPa"),
    "force": Form(NUMBER + _unit(_UNITS_OF_FORCE), _quantity(_UNITS_OF_FORCE, whole=False), "100 N"),
    "forces": Form(_TRIPLE + _unit(_UNITS_OF_FORCE), _vector(_UNITS_OF_FORCE, zero=False), "0 0 -100 N"),
    "acceleration": Form(_TRIPLE + _unit(_UNITS_OF_ACCELERATION), _vector(_UNITS_OF_ACCELERATION, zero=False), "0 0 -9810"),
    "material": Form(_words(_MATERIALS), lambda text: _MATERIALS[lowered(text)], "钢", "steel"),
    "shape": Form(_words(_SHAPES), lambda text: _SHAPES[lowered(text)], "四边形", "quads"),
    "side": Form(_SIDE, _side, "x 最小", "x min"),
}
"""What a slot of a phrase may be. *Read* gives None for what is written right and means nothing that a call can hold."""
