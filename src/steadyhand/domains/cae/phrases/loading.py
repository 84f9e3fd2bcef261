"""Decides the calls for supports, loads, audits and the job. It must not hold a phrase."""

from collections.abc import Mapping
from typing import Any, Final

from steadyhand.domains.cae.calls.table import MODULES
from steadyhand.domains.cae.phrases.drafting import FACES, Draft, Misfit
from steadyhand.domains.cae.phrases.matching import Statement
from steadyhand.domains.cae.phrases.places import cells, spots

GRAVITY: Final = 9810.0
_DOFS: Final[Mapping[str, list[int] | None]] = {"fix": None, "pin": [1, 2, 3]}
_NAMES: Final = {"fix": "FIXED", "pin": "PINNED", "hold": "HELD"}
_AUDITS: Final = {
    "audit": ("audit_part", "audit_property", "audit_mesh"),
    "audit_mesh": ("audit_mesh",),
    "audit_property": ("audit_property",),
}


def boundary(draft: Draft, one: Statement) -> None:
    """Hold nodes, or take a support away."""
    call = draft.call("apply_boundary")
    if one.kind == "remove_support":
        call.setdefault("remove", []).append(_there(draft, "supports", one))
        return
    held = call.setdefault("supports", [])
    if one.kind == "symmetry":
        region = {"plane": {"axis": one.held["axis"], "at": one.held["at"]}}
        name = _fresh(draft, f"SYMMETRY_{one.held['axis']}")
        held.append({"kind": "symmetry", "name": name, "region": region, "axis": one.held["axis"]})
    else:
        for region in spots(draft, one.held["place"], one.text):
            name = _fresh(draft, f"{_NAMES[one.kind]}_{region['side'].upper()}" if "side" in region else _NAMES[one.kind])
            dofs = one.held["axes"] if one.kind == "hold" else _DOFS[one.kind]
            held.append({"kind": "fix", "name": name, "region": region, **({} if dofs is None else {"dofs": dofs})})
    _beside(draft, "supports")


def load(draft: Draft, one: Statement) -> None:
    """Load elements or nodes, or take a load away."""
    call = draft.call("apply_load")
    if one.kind == "remove_load":
        call.setdefault("remove", []).append(_there(draft, "loads", one))
        return
    call.setdefault("loads", []).extend(_loads(draft, one))
    _beside(draft, "loads")


def _loads(draft: Draft, one: Statement) -> list[dict[str, Any]]:
    held = one.held
    if one.kind == "pressure":
        region = draft.everything(FACES)
        if "where" in held and (where := cells(draft, held["where"])) != {"all": True}:
            others = draft.shapes - set(FACES)
            region = {**where, "shapes": list(FACES)} if others and "shapes" not in where else where
        draft.note("coordinates", "pressure_way")
        return [{"kind": "pressure", "name": _fresh(draft, "PRESSURE"), "region": region, "magnitude": held["magnitude"]}]
    if one.kind == "gravity":
        if "components" not in held:
            draft.assume("gravity", value=GRAVITY)
        if "components" not in held and "signed" not in held:
            draft.assume("gravity_down")
        pull = held.get("components") or tuple(GRAVITY * part + 0.0 for part in held.get("signed", (0.0, 0.0, -1.0)))
        return [{"kind": "gravity", "name": _fresh(draft, "GRAVITY"), "components": list(pull)}]
    return _forces(draft, one)


def _forces(draft: Draft, one: Statement) -> list[dict[str, Any]]:
    held = one.held
    regions = spots(draft, held["place"], one.text)
    if len(regions) > 1:
        raise Misfit("force_on_several", one.text)
    along = tuple(held["magnitude"] * part + 0.0 for part in held["signed"]) if "signed" in held else held["components"]
    if one.kind in ("force_plain", "force_along"):
        draft.assume("force_total")
    share = {"share": "each"} if one.kind == "force_each" else {}
    return [{"kind": "force", "name": _fresh(draft, "FORCE"), "region": regions[0], "components": list(along), **share}]


def _fresh(draft: Draft, name: str) -> str:
    return draft.fresh(name, (*draft.facts.named("loads"), *draft.facts.named("supports")))


def _there(draft: Draft, kind: str, one: Statement) -> str:
    if one.held["name"] not in draft.facts.named(kind):
        raise Misfit("unknown_case", one.text, name=one.held["name"])
    draft.note("standing", "stands.case_removed", name=one.held["name"])
    return str(one.held["name"])


def _beside(draft: Draft, kind: str) -> None:
    gone = draft.calls["apply_load" if kind == "loads" else "apply_boundary"].get("remove", ())
    stay = sorted(set(draft.facts.named(kind)) - set(gone))
    if stay:
        draft.note("standing", f"stands.{kind}_kept", names=", ".join(stay))


def audit(draft: Draft, one: Statement) -> None:
    """Look at what the module looks at."""
    draft.call(next((tool for tool in _AUDITS[one.kind] if tool in MODULES[draft.module]), _AUDITS[one.kind][0]))


def solve(draft: Draft, one: Statement) -> None:
    """Solve, to second order where accuracy is asked for."""
    call = draft.call("run_job")
    if one.kind == "solve_accurately":
        call["elements"] = "S8R"
    draft.note("limits", "limit.linear")
