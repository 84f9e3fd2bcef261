"""Decides whether sums, places and what a program does not name are in a read-back as they must be; it must not read a target."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, cast

from steadyhand.domains.cae.compiling.points import TOLERANCE
from steadyhand.domains.cae.compiling.spans import CORNERS

Facts: TypeAlias = Mapping[str, Any]

_ROUNDING: Final = 1e-12
"""What a corner may be off by, in sizes of the part: doubles round, and sums of millions of them more often."""
_NEAR: Final = 2 * TOLERANCE
_ENTRIES: Final = {"materials": "properties", "sections": "properties", "loads": "cases", "supports": "cases"}
_NO_MATTER: Final = frozenset({"count"})
"""What changes with the mesh, not with the entry."""


def sums(promised: Facts, observed: Facts, proof: Facts) -> Iterator[str]:
    """Compare the sums of all elements, of those that got a section, and of each set of which they are known."""
    summary = cast("Facts", observed["summary"])
    loose = _Loose(_size(summary), _slack(promised, summary), summary["shape_counts"])
    for section, wanted in cast("Facts", promised["sections"]).items():
        yield from _sums(f"section {section}.", wanted, cast("Facts", proof.get("sections") or {}).get(section), loose)
    if promised["unless_fewer"] not in (None, summary["element_count"]):
        return
    yield from _sums("", promised["all"], proof.get("moments"), loose)
    for name, wanted in cast("Facts", promised["sets"]).items():
        found = cast("Facts | None", cast("Facts", proof.get("element_sets") or {}).get(name))
        if found is not None:  # of very many sets, not all are told
            yield from _sums(f"set {name}.", wanted, found["moments"], loose)


@dataclass(frozen=True, slots=True)
class _Loose:
    """How exactly sums are known: the *size* of coordinates, what merging moved a corner by, and how many elements of each shape there are."""

    size: float
    slack: float
    counts: Mapping[str, int]

    def reach(self, shape: str, slack: float, *, area: bool) -> float:
        each = _ROUNDING * self.size + slack + self.slack
        return each * (1 + (self.counts.get(shape) or 0) * CORNERS[shape]) * (self.size if area else 1.0)


def _sums(label: str, wanted: Facts, found: Facts | None, loose: _Loose) -> Iterator[str]:
    for place, kind in enumerate(("corners", "directions")):
        for shape, total in cast("Mapping[str, Sequence[float]]", wanted[kind] or {}).items():
            given = [0.0, 0.0, 0.0] if found is None else found[shape][3 * place : 3 * place + 3]
            reach = loose.reach(shape, wanted["slack"], area=kind == "directions" and shape != "BEAM")
            if not all(abs(one - other) <= reach for one, other in zip(total, given, strict=True)):
                yield f"{label}{kind} {shape}: {given}, not {list(total)}"


def _slack(promised: Facts, summary: Facts) -> float:
    nodes, slack = promised["merged"] or (0, 0.0)
    return slack if summary["node_count"] < nodes else 0.0


def _size(summary: Facts) -> float:
    box = cast("Mapping[str, Sequence[float]] | None", summary.get("bounding_box"))
    return 1.0 if box is None else max(1.0, *(abs(number) for corner in box.values() for number in corner))


def places(promised: Facts, proof: Facts, summary: Facts) -> Iterator[str]:
    """Compare where loads and supports act with the regions that they were given."""
    for kind in ("loads", "supports"):
        for name, where in cast("Facts", promised.get(kind) or {}).items():
            found = cast("Facts | None", cast("Facts", proof.get(kind) or {}).get(name))
            if found is None or not found["count"] or not _lies(found, where, proof, summary):
                yield f"{kind} {name}.region: {found}"


def _lies(found: Facts, where: Facts, proof: Facts, summary: Facts) -> bool:
    """Tell whether what was *found* is what *where* means, or as much of it as its shapes leave."""
    low, high = found["box"]["minimum"], found["box"]["maximum"]
    count, wanted = found["count"], _count(where, proof, summary)
    exact = not where.get("shapes") or (where.get("all") and not where["nodes"])
    if wanted is not None and (count != wanted if exact else count > wanted):
        return False
    if where.get("labels") is not None and not where.get("shapes"):
        return found["labels"] == where["labels"]["sha256"]
    if where.get("box") is not None:
        box = where["box"]
        least, most = ([number - _NEAR for number in box["minimum"]], [number + _NEAR for number in box["maximum"]])
        return all(map(_not_above, least, low)) and all(map(_not_above, high, most))
    if where.get("plane") is not None:
        return _flat(low, high, "XYZ".index(where["plane"]["axis"]), where["plane"]["at"])
    if where.get("side") is not None:
        return _flat(low, high, "xyz".index(where["side"][0]), proof["sides"][where["side"]]["at"])
    box = _box_of_set(where, proof)
    return box is None or bool(where.get("shapes")) or box == found["box"]


def _count(where: Facts, proof: Facts, summary: Facts) -> int | None:
    nodes = where["nodes"]
    if where.get("labels") is not None:
        return int(where["labels"]["count"])
    if where.get("side") is not None:
        return proof["sides"][where["side"]]["nodes" if nodes else "elements"]
    if where.get("all"):
        if where.get("shapes") and not nodes:
            return sum(summary["shape_counts"].get(shape) or 0 for shape in where["shapes"])
        return summary["node_count" if nodes else "element_count"]
    held = _set(where, proof)
    return None if held is None else held["nodes"] if nodes and "nodes" in held else held["count"]


def _box_of_set(where: Facts, proof: Facts) -> Facts | None:
    held = _set(where, proof)
    return None if held is None else held["box"]


def _set(where: Facts, proof: Facts) -> Facts | None:
    """Return the set that *where* names: of nodes before that of elements, where nodes are meant."""
    if where.get("set") is None:
        return None
    name, kinds = where["set"], ("node_sets", "element_sets") if where["nodes"] else ("element_sets",)
    return next((proof[kind][name] for kind in kinds if name in (proof.get(kind) or {})), None)


def _flat(low: Sequence[float], high: Sequence[float], axis: int, at: float) -> bool:
    return max(abs(low[axis] - at), abs(high[axis] - at)) <= _NEAR


def _not_above(one: float, other: float) -> bool:
    return one <= other


def rest(promised: Facts, before: Facts, after: Facts, regions: frozenset[str]) -> Iterator[str]:
    """Hold every material, section, load and support that a program does not name to what it was, in the *regions* that are compared."""
    for kind, region in _ENTRIES.items():
        if region not in regions:
            continue
        half = cast("Mapping[str, Mapping[str, Any] | Sequence[str]]", promised[region])
        spared: set[str] = {*(half.get(kind) or {}), *(half.get(f"{kind}_gone") or ())}
        was, is_now = (_entries(facts, kind, spared) for facts in (before, after))
        for name in sorted({*was, *is_now}):
            if was.get(name) != is_now.get(name):
                yield f"{kind} {name}: {is_now.get(name)}, not {was.get(name)}"


def _entries(facts: Facts, kind: str, spared: set[str]) -> dict[str, dict[str, Any]]:
    held = cast("Mapping[str, Facts]", cast("Facts", facts.get("detail") or {}).get(kind) or {})
    return {
        name: {field: _plain(value) for field, value in entry.items() if field not in _NO_MATTER}
        for name, entry in held.items()
        if name not in spared
    }


def _plain(value: Any) -> Any:
    return list(cast("Sequence[Any]", value)) if isinstance(value, list | tuple) else value


def directions_given(promised: Facts, detail: Facts) -> Iterator[str]:
    """Look for the first axis that beams were given, in the assignments of their section."""
    rows = cast("Sequence[Facts]", detail.get("assignments") or ())
    for section, axes in cast("Mapping[str, Sequence[Sequence[float]]]", promised.get("n1") or {}).items():
        found = [row["n1"] for row in rows if row["section"] == section and row["n1"] is not None]
        for axis in axes:
            if not any(all(map(math.isclose, axis, one)) for one in found):
                yield f"assigned {section}.n1: {found}, not {list(axis)}"
