"""Decides how values stand in a script: one literal form each, enumerations as the objects that they are. It must not know a tool."""

from collections.abc import Iterable, Sequence
from typing import Final

from steadyhand.domains.cae.calls.words import Region

ENUMERATIONS: Final = ("BEAM", "BOX", "CIRC", "PIPE", "QUAD", "RECT", "TRI", "X", "Y", "Z")
"""What a script imports; a word of a call becomes the object of that name, never a string."""


def number(value: float) -> str:
    """Return the shortest literal that reads back as the same double; −0 is 0."""
    return repr(float(value) + 0.0)


def vector(values: Iterable[float]) -> str:
    """Return a tuple of numbers."""
    return sequence(number(value) for value in values)


def sequence(parts: Iterable[str]) -> str:
    """Return a tuple of what is written already."""
    held = list(parts)
    return f"({held[0]},)" if len(held) == 1 else f"({', '.join(held)})"


def rows(parts: Sequence[str], indent: str = "    ") -> str:
    """Return a tuple with a line for each part, so that a person can read a long table."""
    return "(\n" + "".join(f"{indent}{part},\n" for part in parts) + ")"


def labels(values: Iterable[int]) -> str:
    """Return a tuple of labels."""
    return sequence(str(value) for value in values)


def text(value: str) -> str:
    """Return a string literal in ASCII, whatever letters a name that came in has."""
    return ascii(value)


def region(where: Region) -> str:
    """Return a region as the keyword arguments of the picking words."""
    said = _way(where)
    return f"{said}, shapes={sequence(where.shapes)}" if where.shapes else said


def _way(where: Region) -> str:
    if where.set is not None:
        return f"set={text(where.set)}"
    if where.labels is not None:
        return f"labels={labels(where.labels)}"
    if where.box is not None:
        return f"box=({vector(where.box.minimum)}, {vector(where.box.maximum)})"
    if where.plane is not None:
        return f"plane=({where.plane.axis}, {number(where.plane.at)})"
    if where.side is not None:
        return f"side={text(where.side)}"
    return "everything=True"
