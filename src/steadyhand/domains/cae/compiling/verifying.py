"""Decides whether a read-back shows what a program promised; it must not read a target, and what is missing is not verified.

Differences are told as ``what: found, not expected`` in words that are no language's: names, numbers and files.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from steadyhand.domains.cae.compiling import figures
from steadyhand.domains.cae.compiling.known import element_sets
from steadyhand.gate.contract import Observation, Program, Receipt, Verdict

MOST_SHOWN: Final = 50
_UNBALANCED: Final = 0.05
"""The share of the loads by which reactions may differ from them; the solver's own check is finer."""
_BOX: Final = 1e-6


def verify(program: Program, before: Observation, receipt: Receipt | None, after: Observation) -> Verdict:
    """Compare the read-back *after* with the evidence that *program* promised, and with *before* where nothing may change."""
    promised = cast("Mapping[str, Any]", program.evidence)
    facts = cast("Mapping[str, Any] | None", after.facts)
    if not facts or "observation" not in facts:
        return Verdict(matched=None, differences=("observation: -",))
    found = list(_differences(promised, facts, receipt))
    found += _unchanged(program, before, receipt, after)
    found += _digests(promised, after)
    return Verdict(not found, tuple(found[:MOST_SHOWN]), after.facts)


def _differences(promised: Mapping[str, Any], facts: Mapping[str, Any], receipt: Receipt | None) -> Iterator[str]:
    observed = cast("Mapping[str, Any]", facts["observation"])
    detail = cast("Mapping[str, Any]", facts.get("detail") or {})
    if promised["exists"] and not observed.get("target_exists"):
        yield "target: False, not True"
        return
    yield from _counts(promised, observed)
    yield from _sets(promised["sets"], observed, detail)
    yield from _properties(promised["properties"], detail)
    yield from _cases(promised["cases"], detail)
    yield from _figures(promised, observed, detail)
    yield from _artifacts(promised["artifacts"], facts, receipt)
    if promised["job"] is not None:
        yield from _job(promised["job"], facts, receipt)


def _figures(promised: Mapping[str, Any], observed: Mapping[str, Any], detail: Mapping[str, Any]) -> Iterator[str]:
    proof = cast("Mapping[str, Any] | None", detail.get("proof"))
    if proof is None:
        yield "proof: None"
        return
    yield from figures.sums(promised["moments"], observed, proof)
    yield from figures.places(promised["places"], proof, observed["summary"])
    yield from figures.directions_given(promised["properties"], detail)


def _counts(promised: Mapping[str, Any], observed: Mapping[str, Any]) -> Iterator[str]:
    summary = cast("Mapping[str, Any]", observed.get("summary") or {})
    counts = {**summary, **cast("Mapping[str, Any]", summary.get("shape_counts") or {})}
    for name, (low, high) in cast("Mapping[str, Sequence[int]]", promised["ranges"]).items():
        if not _within(counts.get(name), low, high):
            yield f"{name}: {counts.get(name)}, not {_range(low, high)}"
    box = promised["box"]
    if box is not None and not _same_box(box, summary.get("bounding_box")):
        yield f"bounding_box: {summary.get('bounding_box')}, not {dict(box)}"


def _within(count: Any, low: int, high: int) -> bool:
    return isinstance(count, int) and not isinstance(count, bool) and low <= count <= high


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}..{high}"


def _same_box(box: Mapping[str, Sequence[float]], found: Mapping[str, Sequence[float]] | None) -> bool:
    if found is None:
        return False
    return all(
        math.isclose(wanted, given, rel_tol=1e-9, abs_tol=_BOX)
        for corner in ("minimum", "maximum")
        for wanted, given in zip(box[corner], found[corner], strict=True)
    )


def _sets(promised: Mapping[str, Any], observed: Mapping[str, Any], detail: Mapping[str, Any]) -> Iterator[str]:
    names = set(cast("Sequence[str]", observed.get("sets") or ()))
    held = element_sets(detail)
    for name, (low, high) in cast("Mapping[str, Sequence[int]]", promised["elements"]).items():
        count = held[name]["count"] if name in held else None
        if name not in names or not _within(count, low, high):
            yield f"set {name}: {count}, not {_range(low, high)}"
    for name in promised["gone"]:
        if name in names:
            yield f"set {name}: True, not False"
    extra = promised.get("names")
    if extra is not None:
        yield from (f"set {name}: True, not False" for name in sorted(names - set(extra)))


def _properties(promised: Mapping[str, Any], detail: Mapping[str, Any]) -> Iterator[str]:
    for kind in ("materials", "sections"):
        yield from _entries(kind, promised.get(kind) or {}, detail.get(kind) or {})
    given: dict[str, int] = {}
    for row in cast("Sequence[Mapping[str, Any]]", detail.get("assignments") or ()):
        given[row["section"]] = given.get(row["section"], 0) + int(row["count"])
    for section, (low, high) in cast("Mapping[str, Sequence[int]]", promised.get("assigned") or {}).items():
        if not low <= given.get(section, 0) <= high:
            yield f"assigned {section}: {given.get(section, 0)}, not {_range(low, high)}"
    bare = cast("Mapping[str, Any]", detail.get("unassigned") or {}).get("count")
    if "unassigned" in promised and bare != promised["unassigned"]:
        yield f"unassigned: {bare}, not {promised['unassigned']}"


def _cases(promised: Mapping[str, Any], detail: Mapping[str, Any]) -> Iterator[str]:
    for kind in ("loads", "supports"):
        held = cast("Mapping[str, Mapping[str, Any]]", detail.get(kind) or {})
        wanted = cast("Mapping[str, Any]", promised.get(kind) or {})
        yield from _entries(kind, wanted, held)
        yield from (f"{kind} {name}: 0" for name in wanted if name in held and held[name].get("count", 1) == 0)
        yield from (f"{kind} {name}: True, not False" for name in promised.get(f"{kind}_gone") or () if name in held)


def _entries(kind: str, promised: Mapping[str, Any], held: Mapping[str, Any]) -> Iterator[str]:
    for name, wanted in promised.items():
        found = cast("Mapping[str, Any] | None", held.get(name))
        if found is None:
            yield f"{kind} {name}: None"
            continue
        for field, value in cast("Mapping[str, Any]", wanted).items():
            if _plain(found.get(field)) != _plain(value):
                yield f"{kind} {name}.{field}: {found.get(field)}, not {value}"


def _plain(value: Any) -> Any:
    return list(cast("Sequence[Any]", value)) if isinstance(value, list | tuple) else value


def _artifacts(promised: Sequence[str], facts: Mapping[str, Any], receipt: Receipt | None) -> Iterator[str]:
    found = set(cast("Mapping[str, str]", facts.get("artifacts") or {}))
    handed = found if receipt is None else found & set(receipt.artifacts)
    for name in promised:
        if name not in handed:
            yield f"{name}: None"


def _job(job: Mapping[str, Any], facts: Mapping[str, Any], receipt: Receipt | None) -> Iterator[str]:
    """Look at what the solver left; a rehearsal, which has no receipt, may have checked the job only."""
    name = str(job["name"])
    found = cast("Mapping[str, Any] | None", cast("Mapping[str, Any]", facts.get("results") or {}).get(name))
    if found is None:
        yield f"job {name}: None"
        return
    if found.get("elements_as") != job["elements"]:
        yield f"job {name}.elements: {found.get('elements_as')}, not {job['elements']}"
    status = found.get("status")
    if status != "solved":
        if receipt is not None or status != "checked":
            yield f"job {name}: {status}, not solved"
        return
    for path in (("displacement", "max"), ("von_mises", "max")):
        value = cast("Mapping[str, Any]", found.get(path[0]) or {}).get(path[1])
        if not _finite(value):
            yield f"job {name}.{path[0]}: {value}"
    yield from _balance(name, found)


def _balance(name: str, found: Mapping[str, Any]) -> Iterator[str]:
    """Hold the reactions to the loads, on the scale of the forces at hand: loads may cancel out."""
    loads, reactions = _force(found.get("loads")), _force(found.get("reactions"))
    held = [_force(force) for force in cast("Mapping[str, Any]", found.get("supports") or {}).values()]
    if loads is None or reactions is None or None in held or not _finite(found.get("unbalanced")):
        yield f"job {name}.reactions: {found.get('reactions')}, not {found.get('loads')}"
        return
    scale = math.hypot(*loads) + sum(math.hypot(*force) for force in held if force is not None)
    left = math.hypot(*(load + reaction for load, reaction in zip(loads, reactions, strict=True)))
    if left > _UNBALANCED * scale or found["unbalanced"] > _UNBALANCED:
        yield f"job {name}.reactions: {found['reactions']}, not {found['loads']}"


def _force(value: Any) -> tuple[float, ...] | None:
    given = cast("Sequence[Any]", value or ())
    return tuple(float(one) for one in given) if len(given) == 3 and all(_finite(one) for one in given) else None


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _unchanged(program: Program, before: Observation, receipt: Receipt | None, after: Observation) -> Iterator[str]:
    """Hold what the program does not write to what it was, digests of whole regions and, within those it writes, what it does not name.

    Without a receipt, *before* is what the program ran on; with one, other changes may have come between, but not to its footprint.
    """
    compared = frozenset(before.footprint if receipt is None else program.footprint)
    for name in sorted(compared - set(program.writes)):
        if before.footprint.get(name) != after.footprint.get(name):
            yield f"{name}: changed"
    promised = cast("Mapping[str, Any]", program.evidence)
    if promised["sets"]["names"] is not None:
        facts = cast("Mapping[str, Any]", before.facts), cast("Mapping[str, Any]", after.facts)
        yield from figures.rest(promised, *facts, compared)


def _digests(promised: Mapping[str, Any], after: Observation) -> Iterator[str]:
    for name, wanted in cast("Mapping[str, str]", promised["digests"] or {}).items():
        if after.footprint.get(name) != wanted:
            yield f"{name}: differs"
