"""Decides how operations become one script, in phases, with the footprint and the evidence that it needs; it must not depend on anything but them, so that the bytes are the same everywhere."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, cast

from steadyhand.core.canonical import Json
from steadyhand.domains.cae.compiling import giving, loading, looking, shaping, writing
from steadyhand.domains.cae.compiling.accepting import read
from steadyhand.domains.cae.compiling.bringing import BRINGING, ImportDeck, RestoreVersion
from steadyhand.domains.cae.compiling.known import REGIONS, SHAPES, known
from steadyhand.domains.cae.compiling.moments import OPEN
from steadyhand.domains.cae.compiling.refusing import Unfit
from steadyhand.domains.cae.compiling.scene import MOST_ELEMENTS, Fragment, Scene
from steadyhand.domains.cae.compiling.spans import Some, Span
from steadyhand.domains.cae.compiling.weights import Weights
from steadyhand.gate.contract import Observation, Operations, Program, Refusal, Target

COMPILER: Final = "cae-script/1"
ENGINE: Final = "steadyhand-engine/1"
_IMPORTED: Final = (*writing.ENUMERATIONS, "open_model", "preflight")
_HEAD: Final = (
    f"from steadyhand.domains.cae.engine.script import {', '.join(_IMPORTED)}",
    "",
    "model_name = SAM_AGENT_TARGET['model_name']",
    "part_name = SAM_AGENT_TARGET['part_name']",
    "model = open_model(model_name)",
    "part = model.part(part_name)",
)
_COUNTED: Final = ("before_nodes = len(part.nodes)", "before_elements = len(part.elements)")
_UNCHANGED: Final = (
    "if len(part.nodes) != before_nodes or len(part.elements) != before_elements:",
    "    raise RuntimeError('Property workflow changed Part geometry')",
)
_WRITES: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("build_part", "edit_part", "transform_part", "repair_part", "refine_mesh"), REGIONS),
    **dict.fromkeys(BRINGING, REGIONS),
    **dict.fromkeys(("define_property", "assign_property"), ("properties",)),
    **dict.fromkeys(("apply_boundary", "apply_load"), ("cases",)),
}
"""What a tool may change. Geometry carries all: what stands on nodes that go changes with them."""
_READS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("define_property", "assign_property", "apply_boundary", "apply_load"), ("geometry", "sets")),
    **dict.fromkeys(("audit_part", "audit_property", "audit_mesh"), ("geometry", "sets", "properties")),
    "run_job": REGIONS,
}
_FRAGMENTS: Final[Mapping[str, Callable[..., Fragment]]] = {
    "build_part": shaping.build,
    "edit_part": shaping.edit,
    "transform_part": shaping.transform,
    "repair_part": shaping.repair,
    "refine_mesh": shaping.refine,
    "define_property": giving.define,
    "assign_property": giving.assign,
    "apply_boundary": loading.boundary,
    "apply_load": loading.load,
    "audit_part": looking.audit,
    "audit_property": looking.audit,
    "audit_mesh": looking.audit,
    "run_job": loading.run,
}


def compile_program(operations: Operations, target: Target, seen: Observation) -> Program | Refusal:
    """Make the script of *operations* for a part as it was *seen*; *target* is bound by the host and stands nowhere in it."""
    _ = target
    scene = Scene.of(known(seen))
    fragments: list[Fragment] = []
    needs: list[Json] = []
    digests: Json = None
    items = cast("Sequence[Mapping[str, Any]]", operations.items)
    names = [str(item["tool"]) for item in items]
    for index, item in enumerate(items):
        try:
            arguments = read(names[index], item["arguments"], index)
            if isinstance(arguments, ImportDeck | RestoreVersion):
                fragment, need, digests = _bring(arguments, scene)
                needs.append(need)
            else:
                fragment = _FRAGMENTS[names[index]](cast("Any", arguments), scene)
        except Unfit as unfit:
            return Refusal(unfit.refusal.code, unfit.refusal.params, index)
        fragments.append(fragment)
    writes = _regions(names, _WRITES)
    return Program(
        text=_script(fragments, property_only=scene.known.module == "property" and "geometry" not in writes),
        media="text/x-python",
        footprint={name: seen.footprint[name] for name in REGIONS if name in {*writes, *_regions(names, _READS)}},
        writes=writes,
        evidence={
            **_evidence(scene),
            "geometry_unchanged": "geometry" not in writes,
            "needs": needs,
            "digests": digests,
            "operations": [told(item) for item in items],
            "notes": [{"operation": index, **note} for index, item in enumerate(items) for note in item.get("notes", ())],
        },
        compiler=COMPILER,
        engine=ENGINE,
        steps=len(names),
    )


def _regions(names: Sequence[str], of: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    found = {region for name in names for region in of.get(name, ())}
    return tuple(region for region in REGIONS if region in found)


def _script(fragments: Sequence[Fragment], *, property_only: bool) -> str:
    """Put all preflights before all mutations before all postflights; the last line is the completion marker."""
    phases = [
        [line for fragment in fragments for line in fragment.preflight],
        [line for fragment in fragments for line in fragment.mutation],
        [line for fragment in fragments for line in fragment.postflight],
    ]
    if property_only:
        phases[0] += _COUNTED
        phases[1] += _UNCHANGED
    blocks = ["\n".join(lines) for lines in (_HEAD, *phases, ("model.finish(part)",)) if lines]
    return "\n\n".join(blocks) + "\n"


def _bring(arguments: ImportDeck | RestoreVersion, scene: Scene) -> tuple[Fragment, Json, Json]:
    """Say what only code may: the whole part is another one afterwards."""
    if isinstance(arguments, ImportDeck):
        said = f"model.importDeck(sha256={writing.text(arguments.sha256)})"
        need: Json = {"kind": "deck", "sha256": arguments.sha256}
    else:
        said = f"model.restoreVersion(version={arguments.version}, sha256={writing.text(arguments.sha256)})"
        need = {"kind": "version", "version": arguments.version, "sha256": arguments.sha256}
    brought = arguments.summary
    if brought is None:
        anything = Span(0, MOST_ELEMENTS)
        scene.counts.nodes = Span(0, 10 * MOST_ELEMENTS)
        scene.counts.all = Some(anything, dict.fromkeys(SHAPES, anything))
    else:
        scene.counts.nodes = Span.of(brought.node_count)
        shapes: dict[str, Span] = {shape: Span.of(brought.shape_counts.get(shape, 0)) for shape in SHAPES}
        scene.counts.all = Some(Span.of(brought.element_count), shapes)
    scene.counts.sets, scene.replaced, scene.weights = {}, True, Weights(OPEN)
    digests = None if isinstance(arguments, ImportDeck) or arguments.digests is None else dict(arguments.digests)
    return Fragment(mutation=[said]), need, cast("Json", digests)


def _evidence(scene: Scene) -> dict[str, Json]:
    """Say what a read-back must show, as ranges where only the mesh knows."""
    counts = scene.counts
    ranges = {"node_count": counts.nodes, "element_count": counts.all.elements, **counts.all.shapes}
    return {
        "module": scene.known.module,
        "exists": True,
        "ranges": {name: [span.low, span.high] for name, span in ranges.items()},
        "sets": {
            "elements": {name: [some.elements.low, some.elements.high] for name, some in sorted(counts.sets.items())},
            "gone": sorted(scene.gone),
            "names": None if scene.replaced else sorted({*counts.sets, *scene.node_sets}),
        },
        "box": scene.box,
        "moments": {
            "all": scene.weights.all.to_json(),
            "sets": {name: held.to_json() for name, held in sorted(scene.weights.sets.items()) if not held.unknown},
            "sections": {name: held.to_json() for name, held in sorted(scene.weights.sections.items())},
            "unless_fewer": scene.weights.unless_fewer,
            "merged": None if scene.weights.merged is None else list(scene.weights.merged),
        },
        "properties": scene.properties,
        "cases": scene.cases,
        "places": scene.places,
        "artifacts": list(scene.artifacts),
        "job": scene.job,
    }


def told(item: Mapping[str, Any]) -> Json:
    """Return an operation as a review tells it: tables of coordinates and elements as their counts, not the rows again."""
    arguments = dict(cast("Mapping[str, Any]", item["arguments"]))
    tables = ("nodes", "elements", "add_elements") if item["tool"] in ("build_part", "edit_part") else ()
    for name in tables:
        rows = cast("Sequence[Mapping[str, Any]] | None", arguments.pop(name, None))
        if rows:
            arguments[f"{name}_count"] = len(rows)
            shapes = [row.get("shape") for row in rows]
            arguments |= {} if name == "nodes" else {"shape_counts": {shape: shapes.count(shape) for shape in SHAPES}}
    return {"tool": item["tool"], "arguments": arguments}
