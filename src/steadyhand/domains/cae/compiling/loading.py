"""Decides how loads, supports and the job become fragments, and what they are refused for; it must not know a solver."""

from collections.abc import Sequence
from typing import Final, Literal

from steadyhand.core.canonical import Json
from steadyhand.domains.cae.calls.analysis import (
    ApplyBoundary,
    ApplyLoad,
    FixEntry,
    ForceEntry,
    GravityEntry,
    LoadEntry,
    PressureEntry,
    RunJob,
    SupportEntry,
)
from steadyhand.domains.cae.calls.words import Region
from steadyhand.domains.cae.compiling import writing
from steadyhand.domains.cae.compiling.moments import digest_of
from steadyhand.domains.cae.compiling.refusing import Unfit
from steadyhand.domains.cae.compiling.scene import Fragment, Scene
from steadyhand.domains.cae.compiling.shaping import check_region
from steadyhand.domains.cae.engine.shapes import SYMMETRY_DOFS, Axis
from steadyhand.gate.contract import Refusal

_FACES: Final = ("QUAD", "TRI")


def boundary(call: ApplyBoundary, scene: Scene) -> Fragment:
    """Say which supports go, and which come."""
    fragment = _removed(call.remove, scene.supports, "support")
    if not call.supports and not call.remove:
        raise Unfit(Refusal("nothing_to_do"))
    stands: dict[str, Json] = {}
    places: dict[str, Json] = {}
    for entry in call.supports:
        _take_name(entry, scene.supports, scene.loads, stands)
        _check_nodes(entry.region, scene)
        scene.foreseen(entry.region, fragment, nodes=True)
        name = scene.picked(entry.region, fragment, nodes=True)
        fragment.mutation.append(_support(entry, name))
        dofs = entry.dofs if isinstance(entry, FixEntry) else SYMMETRY_DOFS[Axis[entry.axis]]
        places[entry.name] = _place(entry.region, nodes=True)
        stands[entry.name] = {"dofs": sorted(dofs), "symmetry": not isinstance(entry, FixEntry)}
    scene.places["supports"] = places
    scene.cases |= {"supports": stands, "supports_gone": [name for name in call.remove if name not in stands]}
    return fragment


def _support(entry: SupportEntry, nodes: str) -> str:
    named = f"name={writing.text(entry.name)}, nodes={nodes}"
    if isinstance(entry, FixEntry):
        return f"part.Fix({named}, dofs={writing.labels(sorted(set(entry.dofs)))})"
    return f"part.Symmetry({named}, axis={entry.axis})"


def load(call: ApplyLoad, scene: Scene) -> Fragment:
    """Say which loads go, and which come."""
    fragment = _removed(call.remove, scene.loads, "load")
    if not call.loads and not call.remove:
        raise Unfit(Refusal("nothing_to_do"))
    stands: dict[str, Json] = {}
    places: dict[str, Json] = {}
    for entry in call.loads:
        _take_name(entry, scene.loads, scene.supports, stands)
        stands[entry.name] = _load(entry, scene, fragment)
        if not isinstance(entry, GravityEntry):
            places[entry.name] = _place(entry.region, nodes=isinstance(entry, ForceEntry))
    scene.places["loads"] = places
    scene.cases |= {"loads": stands, "loads_gone": [name for name in call.remove if name not in stands]}
    return fragment


def _place(where: Region, *, nodes: bool) -> Json:
    told = where.model_dump(mode="json", exclude_none=True)
    if where.labels is not None:
        told["labels"] = digest_of(where.labels)
    return {**told, "nodes": nodes}


def _load(entry: LoadEntry, scene: Scene, fragment: Fragment) -> Json:
    named = f"name={writing.text(entry.name)}"
    if isinstance(entry, PressureEntry):
        return _pressure(entry, named, scene, fragment)
    if not any(entry.components):
        raise Unfit(Refusal("zero_vector", {"name": entry.name}))
    pull = f"components={writing.vector(entry.components)}"
    if isinstance(entry, GravityEntry):
        fragment.mutation.append(f"part.Gravity({named}, {pull})")
        return {"kind": "gravity", "components": list(entry.components)}
    _check_nodes(entry.region, scene)
    scene.foreseen(entry.region, fragment, nodes=True)
    name = scene.picked(entry.region, fragment, nodes=True)
    total = entry.share == "total"
    fragment.mutation.append(f"part.Force({named}, nodes={name}, {pull}, total={total})")
    return {"kind": "force", "components": list(entry.components), "total": total}


def _pressure(entry: PressureEntry, named: str, scene: Scene, fragment: Fragment) -> Json:
    if entry.magnitude == 0.0:
        raise Unfit(Refusal("pressure_zero", {"name": entry.name}))
    check_region(entry.region)
    some = scene.meant(entry.region)
    if some.shapes["BEAM"].low or "BEAM" in entry.region.shapes or not any(some.shapes[shape].high for shape in _FACES):
        raise Unfit(Refusal("pressure_needs_faces", {"name": entry.name}))
    chosen = scene.foreseen(entry.region, fragment)
    if chosen is not None:
        fragment.preflight.append(f"preflight.faces(part, {chosen}, load={writing.text(entry.name)})")
    name = scene.picked(entry.region, fragment)
    fragment.mutation.append(f"part.Pressure({named}, elements={name}, magnitude={writing.number(entry.magnitude)})")
    return {"kind": "pressure", "magnitude": entry.magnitude}


def _check_nodes(where: Region, scene: Scene) -> None:
    check_region(where)
    if where.set is not None and where.set not in scene.counts.sets and where.set not in scene.node_sets:
        raise Unfit(Refusal("unknown_set", {"name": where.set}))


def _removed(names: Sequence[str], there: dict[str, str], kind: Literal["load", "support"]) -> Fragment:
    fragment = Fragment()
    word = "removeLoad" if kind == "load" else "removeSupport"
    for name in names:
        if name not in there:
            raise Unfit(Refusal(f"unknown_{kind}", {kind: name}))
        fragment.mutation.append(f"part.{word}(name={writing.text(name)})")
        del there[name]
    return fragment


def _take_name(entry: LoadEntry | SupportEntry, own: dict[str, str], others: dict[str, str], stands: dict[str, Json]) -> None:
    """Let *entry* replace one of its name and kind, and no other."""
    holder = others.get(entry.name) or (own[entry.name] if own.get(entry.name, entry.kind) != entry.kind else None)
    if holder is not None or entry.name in stands:
        raise Unfit(Refusal("case_name_taken", {"name": entry.name, "kind": holder or entry.kind}))
    own[entry.name] = entry.kind


def run(call: RunJob, scene: Scene) -> Fragment:
    """Say the job; a rehearsal only checks it."""
    scene.job = {"name": call.name, "kind": call.kind, "elements": call.elements}
    return Fragment(
        postflight=[f"model.StaticJob(name={writing.text(call.name)}, elements={writing.text(call.elements)}).submit()"]
    )
