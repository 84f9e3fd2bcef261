"""Decides what of a rehearsed part a person is told unasked: slips of units, what lies twice, what a copy leaves behind. It must not refuse anything."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias, cast

from steadyhand.core.canonical import Json
from steadyhand.domains.cae.compiling.units import slips_of_part

Facts: TypeAlias = Mapping[str, Any]
Remark: TypeAlias = tuple[str, dict[str, Json]]


def remarks(operations: Sequence[Facts], before: Facts, after: Facts) -> Iterator[Remark]:
    """Yield what is worth a line, as the last part of a message's name (``cae.review.seen.<name>``) and its parameters."""
    was, now = (cast("Facts", facts.get("detail") or {}) for facts in (before, after))
    tools = {str(one["tool"]) for one in operations}
    if tools & {"import_deck", "run_job"}:
        for slip in slips_of_part(now):
            yield "units", {"name": slip.name, "field": slip.field, "value": f"{slip.value:g}", "meant": f"{slip.meant:g}"}
    if "import_deck" in tools and "ELEMENT" in (now.get("kept") or {}):
        yield "nothing_usable" if not _elements(after) else "some_unusable", {}
    known = "stacked" in (was.get("proof") or {}) or not _elements(before)  # a version of long ago does not say it
    if known and "restore_version" not in tools:
        yield from _grown(_stacked(was), _stacked(now))
    cases = len(was.get("loads") or ()) + len(was.get("supports") or ())
    if cases and any(_copies(one) for one in operations):
        yield "cases_stay", {"count": cases}


def _grown(before: Mapping[str, int], after: Mapping[str, int]) -> Iterator[Remark]:
    """Yield that elements, or where none do nodes alone, lie over others that did not."""
    for kind in ("elements", "nodes"):
        if after.get(kind, 0) > before.get(kind, 0):
            yield f"stacked_{kind}", {"count": after[kind], "before": before.get(kind, 0)}
            return


def _stacked(detail: Facts) -> Mapping[str, int]:
    return cast("Mapping[str, int]", cast("Facts", detail.get("proof") or {}).get("stacked") or {})


def _copies(operation: Facts) -> bool:
    if operation["tool"] != "transform_part":
        return False
    steps = cast("Sequence[Facts]", operation["arguments"]["operations"])
    return any(one.get("copy_elements") or one["kind"].endswith("_array") for one in steps)


def _elements(facts: Facts) -> int:
    return int(cast("Facts", facts["observation"])["summary"]["element_count"])
