"""Decides which values are implausible in N-mm-MPa-t, and what was probably meant; it must not change one."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from steadyhand.domains.cae.calls.analysis import ApplyLoad, GravityEntry, PressureEntry
from steadyhand.domains.cae.calls.property import DefineProperty
from steadyhand.tools.base import Arguments

MODULUS: Final = (10.0, 1e7)
DENSEST: Final = 1e-7
"""In t/mm³; osmium has 2.3e-8."""
_KNOWN_MODULI: Final = (
    (re.compile(r"steel|^[qs]\d{3}(?!\d)", re.IGNORECASE), (1e5, 3e5)),
    (re.compile(r"alumin", re.IGNORECASE), (4e4, 1.2e5)),
)
_PRESSURE: Final = 1e4
_NUMBER: Final = r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+|\s*[x×*]\s*10\^?[-+]?\d+)?"
_UNITS: Final = {
    "youngs": r"(?:MPa|N/mm(?:²|\^?2)|兆帕)",
    "density": r"(?:t|ton|tonne|吨)s?/mm(?:³|\^?3)|(?:吨/立方毫米)",
    "magnitude": r"(?:MPa|N/mm(?:²|\^?2)|兆帕)",
    "components": r"mm/s(?:²|\^?2)",
}


@dataclass(frozen=True, slots=True)
class Slip:
    """A *value* of the *field* of what is called *name* that looks like another unit; *meant* is what it would be in ours."""

    name: str
    field: str
    value: float
    meant: float


def slips(arguments: Arguments) -> Iterator[Slip]:
    """Yield what looks like a slip of units."""
    if isinstance(arguments, DefineProperty):
        for material in arguments.materials:
            yield from _modulus(material.name, material.youngs)
            yield from _density(material.name, material.density)
    if isinstance(arguments, ApplyLoad):
        for load in arguments.loads:
            if isinstance(load, PressureEntry):
                yield from _magnitude(load.name, load.magnitude)
            if isinstance(load, GravityEntry):
                yield from _acceleration(load.name, load.components)


def slips_of_part(detail: Mapping[str, Any]) -> Iterator[Slip]:
    """Yield what looks like a slip of units in what a part holds, by the facts of its materials and loads."""
    named = {kind: cast("Mapping[str, Mapping[str, Any]]", detail.get(kind) or {}) for kind in ("materials", "loads")}
    for name, material in named["materials"].items():
        yield from _modulus(name, material["youngs"])
        yield from _density(name, material["density"] or 0.0)
    for name, load in named["loads"].items():
        if load["kind"] == "pressure":
            yield from _magnitude(name, load["magnitude"])
        if load["kind"] == "gravity":
            yield from _acceleration(name, load["components"])


def _magnitude(name: str, value: float) -> Iterator[Slip]:
    if abs(value) > _PRESSURE:
        yield Slip(name, "magnitude", value, value * 1e-6)


def _acceleration(name: str, components: Sequence[float]) -> Iterator[Slip]:
    largest = max(components, key=abs)
    if 9.7 <= abs(largest) <= 9.9:
        yield Slip(name, "components", largest, largest * 1000.0)


def _modulus(name: str, value: float) -> Iterator[Slip]:
    least, most = next((bounds for word, bounds in _KNOWN_MODULI if word.search(name)), MODULUS)
    if value < least:
        yield Slip(name, "youngs", value, value * 1e3)
    elif value > most:
        yield Slip(name, "youngs", value, value * 1e-6 if value > MODULUS[1] else value * 1e-3)


def _density(name: str, value: float) -> Iterator[Slip]:
    if value > DENSEST:
        # kg/m³ (7850), g/cm³ (7.85), kg/mm³ (7.85e-6): the size tells which.
        yield Slip(name, "density", value, value * (1e-12 if value >= 100 else 1e-9 if value > 1e-2 else 1e-3))


def stated(slip: Slip, request: str) -> bool:
    """Tell whether *request* states the value of *slip* with our unit behind it, so that it is meant."""
    for found in re.finditer(rf"({_NUMBER})\s*(?:{_UNITS[slip.field]})", request, re.IGNORECASE):
        text = re.sub(r"\s*[x×*]\s*10\^?", "e", found[1])
        if abs(abs(float(text)) - abs(slip.value)) <= 1e-9 * abs(slip.value):
            return True
    return False
