"""Decides how the calls that make and change geometry become fragments, and what they are refused for; it must not touch a mesh."""

from typing import Final, TypeAlias

from steadyhand.domains.cae.calls.geometry import (
    BuildPart,
    EditPart,
    LinearArray,
    Mirror,
    PolarArray,
    RefineMesh,
    RepairPart,
    Rotate,
    Transform,
    TransformPart,
    Translate,
)
from steadyhand.domains.cae.calls.words import Box, Region
from steadyhand.domains.cae.compiling import adding, writing
from steadyhand.domains.cae.compiling.known import SHAPES
from steadyhand.domains.cae.compiling.points import lattice
from steadyhand.domains.cae.compiling.refusing import Unfit
from steadyhand.domains.cae.compiling.scene import MOST_ELEMENTS, Fragment, Scene
from steadyhand.domains.cae.compiling.sketch import sketch
from steadyhand.gate.contract import Refusal

Array: TypeAlias = LinearArray | PolarArray

_FULL_TURN: Final = 360.0 - 1e-9


def build(call: BuildPart, scene: Scene) -> Fragment:
    """Say the first geometry of an empty part."""
    if not call.nodes and not call.grids:
        raise Unfit(Refusal("nothing_to_do"))
    fragment = Fragment(["preflight.is_empty(part)"])
    added = adding.check(call, call.elements)
    adding.say(call, call.elements, scene, fragment)
    adding.put(call, added, scene, call.elements)
    scene.change_geometry()
    scene.sketch = sketch(call, added.where)
    corners = [lattice(grid.model_copy(update={"divisions": (1, 1)})) for grid in call.grids]
    points = [*added.where.values(), *(point for table in corners for row in table for point in row)]
    low, high = (tuple(end(values) + 0.0 for values in zip(*points, strict=True)) for end in (min, max))
    scene.box = {"minimum": list(low), "maximum": list(high)}
    return fragment


def edit(call: EditPart, scene: Scene) -> Fragment:
    """Say what goes, then what comes; coordinates are resolved among what is left."""
    deletes = call.delete_element_labels or call.delete_node_labels or call.delete_region
    if call.clear_all and deletes:
        raise Unfit(Refusal("clear_all_alone"))
    if not (deletes or call.clear_all or call.nodes or call.grids or call.remove_sets):
        raise Unfit(Refusal("nothing_to_do"))
    fragment = Fragment()
    added = adding.check(call, call.add_elements)
    if call.clear_all:
        fragment.mutation.append("part.clear()")
        scene.counts.clear()
        scene.weights.clear()
    _delete(call, scene, fragment)
    _remove_sets(call, scene, fragment)
    adding.say(call, call.add_elements, scene, fragment)
    adding.put(call, added, scene, call.add_elements)
    scene.change_geometry()
    return fragment


def _delete(call: EditPart, scene: Scene, fragment: Fragment) -> None:
    doomed = _doomed(call)
    looked: list[str | None] = []
    deletions: list[str] = []
    for where in doomed:
        check_region(where)
        gone = scene.meant(where)
        looked.append(scene.foreseen(where, fragment))
        # Picked before anything goes: a side is that of the part as it was.
        labels = scene.picked(where, fragment) if where.labels is None else writing.labels(where.labels)
        deletions.append(f"part.deleteElement(labels={labels})")
        scene.counts.take_elements(gone)
        scene.weights.take(where if len(doomed) == 1 else None)
    fragment.mutation += deletions
    if len(doomed) > 1 and all(looked):
        fragment.preflight.append(f"preflight.apart(part, {writing.sequence(name for name in looked if name)})")
    if call.delete_node_labels:
        scene.foreseen(Region(labels=call.delete_node_labels), fragment, nodes=True)
        fragment.mutation.append(f"part.deleteNode(labels={writing.labels(call.delete_node_labels)})")
        scene.counts.take_nodes(len(call.delete_node_labels))
        scene.weights.take(None)


def _doomed(call: EditPart) -> list[Region]:
    named = [Region(labels=call.delete_element_labels)] if call.delete_element_labels else []
    return [*named, *([call.delete_region] if call.delete_region is not None else [])]


def _remove_sets(call: EditPart, scene: Scene, fragment: Fragment) -> None:
    for name in call.remove_sets:
        if name not in scene.counts.sets and name not in scene.node_sets:
            raise Unfit(Refusal("unknown_set", {"name": name}))
        fragment.mutation.append(f"part.removeSet(name={writing.text(name)})")
        scene.counts.sets.pop(name, None)
        scene.weights.sets.pop(name, None)
        scene.node_sets.discard(name)
        scene.gone.add(name)


def transform(call: TransformPart, scene: Scene) -> Fragment:
    """Say one or several transforms, in their order."""
    fragment = Fragment()
    for operation in call.operations:
        _transform(operation, scene, fragment)
        scene.change_geometry()
    return fragment


def _transform(operation: Transform, scene: Scene, fragment: Fragment) -> None:
    check_region(operation.region)
    _check_directions(operation)
    some = scene.meant(operation.region)
    chosen = scene.foreseen(operation.region, fragment)
    name = scene.picked(operation.region, fragment)
    fragment.mutation.append(_words(operation, name))
    copies = _copies(operation)
    scene.weights.move(operation, some, scene.counts.sets)
    if isinstance(operation, LinearArray | PolarArray) and chosen is not None:
        fragment.preflight.append(f"preflight.array_fits(part, {chosen}, count={operation.count})")
    if copies:
        scene.counts.copy(some, copies)
        scene.within_limit("array_too_large", {"count": copies, "elements": some.elements.low, "limit": MOST_ELEMENTS})


def _copies(operation: Transform) -> int:
    if isinstance(operation, LinearArray | PolarArray):
        return operation.count
    return 1 if operation.copy_elements else 0


def _check_directions(operation: Transform) -> None:
    direction = {
        Translate: "vector",
        LinearArray: "vector",
        Rotate: "direction",
        PolarArray: "direction",
        Mirror: "normal",
    }[type(operation)]
    if not any(getattr(operation, direction)):
        raise Unfit(Refusal("zero_vector", {"name": operation.kind}))
    if isinstance(operation, Rotate) and operation.degrees % 360.0 == 0.0:
        raise Unfit(Refusal("turns_nowhere", {"degrees": operation.degrees}))
    if isinstance(operation, PolarArray) and (operation.degrees == 0.0 or abs(operation.degrees) * operation.count > _FULL_TURN):
        raise Unfit(Refusal("array_overlaps", {"degrees": operation.degrees, "count": operation.count}))


def _words(operation: Transform, name: str) -> str:
    match operation:
        case Translate():
            return f"part.translate(elements={name}, vector={writing.vector(operation.vector)}, copy={operation.copy_elements})"
        case Rotate():
            return f"part.rotate(elements={name}, {_axis(operation)}, copy={operation.copy_elements})"
        case Mirror():
            plane = f"point={writing.vector(operation.point)}, normal={writing.vector(operation.normal)}"
            return f"part.mirror(elements={name}, {plane}, copy={operation.copy_elements})"
        case LinearArray():
            return f"part.linearArray(elements={name}, vector={writing.vector(operation.vector)}, count={operation.count})"
        case PolarArray():
            return f"part.polarArray(elements={name}, {_axis(operation)}, count={operation.count})"


def _axis(operation: Rotate | PolarArray) -> str:
    axis = f"point={writing.vector(operation.point)}, direction={writing.vector(operation.direction)}"
    return f"{axis}, degrees={writing.number(operation.degrees)}"


def repair(call: RepairPart, scene: Scene) -> Fragment:
    """Say what is to be cleaned, always in this order: merge, duplicates, free nodes."""
    if call.merge_tolerance is None and not call.remove_duplicate_elements and not call.remove_free_nodes:
        raise Unfit(Refusal("nothing_to_do"))
    if call.region is not None and call.merge_tolerance is None:
        raise Unfit(Refusal("region_needs_merge"))
    fragment = Fragment()
    if call.merge_tolerance is not None:
        _merge(call.merge_tolerance, call.region, scene, fragment)
    if call.remove_duplicate_elements:
        fragment.mutation.append("part.removeDuplicateElements()")
        scene.weights.take_duplicates(scene.counts.all.elements)
        scene.counts.take_duplicates()
    if call.remove_free_nodes:
        fragment.mutation.append("part.removeFreeNodes()")
        scene.counts.take_free_nodes(kept=scene.known.kept)
    scene.change_geometry()
    return fragment


def _merge(tolerance: float, where: Region | None, scene: Scene, fragment: Fragment) -> None:
    said = f"tolerance={writing.number(tolerance)}"
    if where is None:
        if not scene.touched:
            fragment.preflight.append(f"preflight.tolerance_fits(part, {said})")
        fragment.mutation.append(f"part.mergeNodes({said})")
    else:
        check_region(where)
        scene.meant(where)
        chosen = scene.foreseen(where, fragment)
        if chosen is not None:
            fragment.preflight.append(f"preflight.tolerance_fits(part, {said}, elements={chosen})")
        fragment.mutation.append(f"part.mergeNodes({said}, elements={scene.picked(where, fragment)})")
    scene.weights.merge(tolerance, scene.counts.nodes)
    scene.counts.merge()


def refine(call: RefineMesh, scene: Scene) -> Fragment:
    """Say a refinement of all elements, of some shapes, or of a region."""
    where = call.region or Region(all=True)
    shapes = [shape for shape in SHAPES if shape in (call.shapes or SHAPES) and shape in (where.shapes or SHAPES)]
    # A filter that lets everything pass is none: then the counts stay exact.
    where = where.model_copy(update={"shapes": () if len(shapes) == len(SHAPES) else tuple(shapes)})
    check_region(where)
    some = scene.meant(where)
    if not shapes or some.elements.high == 0:
        raise Unfit(Refusal("region_empty"))
    fragment = Fragment()
    chosen = scene.foreseen(where, fragment)
    if chosen is not None:
        fragment.preflight.append(f"preflight.refine_fits(part, {chosen}, levels={call.levels})")
    said = f"levels={call.levels}, elemShapes={writing.sequence(shapes)}"
    if call.region is not None:
        said += f", elements={scene.picked(where, fragment)}"
    fragment.mutation.append(f"part.refine({said})")
    scene.counts.refine(some, call.levels)
    scene.weights.halve(where, call.levels)
    scene.within_limit()
    box = scene.box
    scene.change_geometry()
    scene.box = box
    return fragment


def check_region(where: Region) -> None:
    """Refuse a box whose corners are the wrong way round."""
    box: Box | None = where.box
    if box is not None and any(low > high for low, high in zip(box.minimum, box.maximum, strict=True)):
        raise Unfit(Refusal("region_box"))
