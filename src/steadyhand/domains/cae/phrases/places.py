"""Decides which region a place in a sentence is: of elements, or of nodes, where edges are told by the size of the part. It must not hold a phrase."""

from collections.abc import Mapping
from typing import Any, Final

from steadyhand.domains.cae.phrases.drafting import Corners, Draft, Misfit

_FLAT: Final = 1e-6
_SAME: Final = 1e-9
_BY_SHAPE: Final = frozenset({"short", "one_short", "long", "one_long", "edges"})


def cells(draft: Draft, where: tuple[str, Mapping[str, Any]] | None) -> dict[str, Any]:
    """Return a region of elements; all of them where none is said, which is told as taken."""
    if where is None:
        draft.assume("all_elements")
        return {"all": True}
    way, held = where
    if way == "shape":
        return {"all": True, "shapes": [held["shape"]]}
    return {"all": True} if way == "all" else _region(draft, way, held)


def spots(draft: Draft, places: tuple[tuple[str, Mapping[str, Any]], ...], clause: str) -> list[dict[str, Any]]:
    """Return the regions of nodes that *places* name, each once."""
    found: list[dict[str, Any]] = []
    for way, held in places:
        if way == "hands":
            regions: list[dict[str, Any]] = [{"side": "xmin"}, {"side": "xmax"}]
        else:
            regions = _edges(draft, way, clause) if way in _BY_SHAPE else [_region(draft, way, held)]
        found += [region for region in regions if region not in found]
    return found


def _region(draft: Draft, way: str, held: Mapping[str, Any]) -> dict[str, Any]:
    match way:
        case "set":
            if held["name"] not in {*draft.facts.sets, *draft.sentence.sets}:
                raise Misfit("unknown_set", name=held["name"])
            return {"set": held["name"]}
        case "labels":
            return {"labels": sorted(set(held["labels"]))}
        case "side":
            return {"side": held["side"]}
        case "plane":
            return {"plane": {"axis": held["axis"], "at": held["at"]}}
        case _:
            pairs = [sorted(pair) for pair in zip(held["low"], held["high"], strict=True)]
            return {"box": {"minimum": [low for low, _ in pairs], "maximum": [high for _, high in pairs]}}


def _edges(draft: Draft, way: str, clause: str) -> list[dict[str, Any]]:
    """Return the sides that are the edges of a flat part."""
    low, high = _box(draft, clause)
    sizes = [b - a for a, b in zip(low, high, strict=True)]
    flat = [axis for axis in range(3) if sizes[axis] > _FLAT * max(sizes)]
    if len(flat) != 2:
        raise Misfit("not_flat", clause)
    one, two = flat
    longer = one if sizes[one] > sizes[two] else two
    if way != "edges" and abs(sizes[one] - sizes[two]) <= _SAME * max(sizes):
        raise Misfit("square", clause)
    along = flat if way == "edges" else [longer if way.endswith("short") else one + two - longer]
    ends = ("min",) if way.startswith("one_") else ("min", "max")
    sides = [f"{'xyz'[axis]}{end}" for axis in along for end in ends]
    draft.assume("edges" if len(ends) == 2 else "one_edge", sides=", ".join(sides), one=sizes[one], two=sizes[two])
    return [{"side": side} for side in sides]


def _box(draft: Draft, clause: str) -> Corners:
    """Return the corners of the part as it will be; what other statements move has none that is known."""
    if {"transform_part"} & set(draft.calls) or (not draft.facts.empty and "edit_part" in draft.calls):
        raise Misfit("size_changes", clause)
    if not draft.corners:
        if draft.facts.box is None:
            raise Misfit("no_geometry", clause)
        return draft.facts.box
    xs, ys, zs = zip(*draft.corners, strict=True)
    return (min(xs), min(ys), min(zs)), (max(xs), max(ys), max(zs))
