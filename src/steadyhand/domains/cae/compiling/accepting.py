"""Decides what of given operations or collected calls becomes an operation: valid, normalised, within what the person asked for.

What was not asked for is left out and said; what may not be done is refused. It must not compile one.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

from pydantic import ValidationError

from steadyhand.core.arguments import shown
from steadyhand.core.canonical import Json
from steadyhand.domains.cae.calls.geometry import BuildPart, EditPart
from steadyhand.domains.cae.calls.table import EMPTY_ONLY, MODULES, ORDER, TOOLS, ModuleName
from steadyhand.domains.cae.compiling.bringing import BRINGING, ImportDeck
from steadyhand.domains.cae.compiling.clearing import clears_unasked
from steadyhand.domains.cae.compiling.intent import asks_for_sets, asks_to_remove_sets
from steadyhand.domains.cae.compiling.known import SHAPES, Known, known
from steadyhand.domains.cae.compiling.misfits import misfit
from steadyhand.domains.cae.compiling.refusing import Unfit
from steadyhand.domains.cae.compiling.units import slips, stated
from steadyhand.gate.contract import Calls, Given, Observation, Operations, Refusal, Source
from steadyhand.tools.base import Arguments

_PLACES: Final = {tool.name: place for place, tool in enumerate(ORDER)}
_ON_ANY_PART: Final = frozenset({"define_property", *EMPTY_ONLY, *BRINGING})
_LABELS: Final = frozenset({"labels", "delete_element_labels", "delete_node_labels", "dofs", "remove", "remove_sets"})
"""Lists whose order means nothing: they are sorted, and each entry stands once."""


@dataclass(slots=True)
class _Step:
    """An operation on its way: *place* is where it stood in the source."""

    place: int
    tool: str
    arguments: Arguments
    notes: list[Json] = field(default_factory=list[Json])

    def note(self, note: str, **params: str) -> None:
        self.notes.append({"note": note, "params": params})


def operations(source: Source, seen: Observation, request: str) -> Operations | Refusal:
    """Return the operations of *source*, in the one order in which they run, or why they may not.

    A given file is the person's own word. A model's calls are held against *request*: sets are left out unless it asks for some,
    deleting everything is refused unless it asks for that.
    """
    facts = known(seen)
    try:
        steps = _steps(source)
        _check_tools(steps, facts)
        if isinstance(source, Calls):
            steps = [_within(step, facts, request) for step in steps]
        for step in steps:
            _check_units(step, request, given=isinstance(source, Given))
    except Unfit as unfit:
        return unfit.refusal
    return Operations(tuple(_item(step) for step in _ordered(steps)), {"module": facts.module})


def read(tool: str, arguments: Json, index: int | None = None) -> Arguments:
    """Read the arguments of *tool*. Raises `Unfit` ``bad_argument…`` with the place of the first that does not fit."""
    model = BRINGING[tool] if tool in BRINGING else TOOLS[tool].arguments
    try:
        return model.model_validate_json(json.dumps(arguments))
    except ValidationError as error:
        raise Unfit(misfit(tool, error.errors(include_url=False, include_input=False)[0], index)) from None


def _steps(source: Source) -> list[_Step]:
    if isinstance(source, Calls):
        named: list[tuple[int, str, Json]] = [(call.index, call.name, dict(call.arguments)) for call in source.calls]
    elif isinstance(source, Given):
        named = [_given(place, item) for place, item in enumerate(source.operations)]
    else:
        raise Unfit(Refusal("cae_takes_no_draft"))
    if not named:
        raise Unfit(Refusal("nothing_to_do"))
    for place, name, _ in named:
        if name not in TOOLS and not (name in BRINGING and isinstance(source, Given)):
            raise Unfit(Refusal("cae_tool_unknown", {"tool": shown(name)}, place))
    return [_Step(place, name, read(name, arguments, place)) for place, name, arguments in named]


def _given(place: int, item: Json) -> tuple[int, str, Json]:
    if not isinstance(item, Mapping) or not isinstance(item.get("tool"), str) or set(item) - {"tool", "arguments"}:
        raise Unfit(Refusal("operation_unreadable", {"place": place + 1}, place))
    return place, cast("str", item["tool"]), item.get("arguments", {})


def _check_tools(steps: Sequence[_Step], facts: Known) -> None:
    names = [step.tool for step in steps]
    offered = MODULES.get(cast("ModuleName", facts.module), ())
    for step in steps:
        if names.count(step.tool) > 1:
            raise Unfit(Refusal("tool_twice", {"tool": step.tool}, step.place))
        if step.tool in BRINGING:
            if len(steps) > 1:
                raise Unfit(Refusal("stands_alone", {"tool": step.tool}, step.place))
        elif step.tool not in offered:
            raise Unfit(Refusal("tool_not_in_module", {"tool": step.tool, "module": facts.module}, step.place))
        bringing = isinstance(step.arguments, ImportDeck) and not step.arguments.replace
        if (step.tool in EMPTY_ONLY or bringing) and not facts.empty:
            raise Unfit(Refusal("part_not_empty", {"nodes": facts.nodes, "elements": facts.elements}, step.place))
        needs = step.tool not in _ON_ANY_PART
        made = bool(EMPTY_ONLY & set(names)) and step.tool not in {"edit_part", "transform_part", "repair_part"}
        if needs and facts.empty and not made:
            raise Unfit(Refusal("part_empty", {"tool": step.tool}, step.place))


def _within(step: _Step, facts: Known, request: str) -> _Step:
    """Hold a model's call against the person's words."""
    arguments = step.arguments
    if isinstance(arguments, EditPart) and clears_unasked(arguments, facts, request):
        raise Unfit(Refusal("clear_all_not_asked", {}, step.place))
    if isinstance(arguments, BuildPart | EditPart) and arguments.element_sets and not asks_for_sets(request):
        step.note("sets_dropped", names=", ".join(sorted({entry.name for entry in arguments.element_sets})))
        step.arguments = arguments = arguments.model_copy(update={"element_sets": ()})
    if isinstance(arguments, EditPart) and arguments.remove_sets and not asks_to_remove_sets(request):
        step.note("set_removal_dropped", names=", ".join(sorted(set(arguments.remove_sets))))
        step.arguments = arguments.model_copy(update={"remove_sets": ()})
    return step


def _check_units(step: _Step, request: str, *, given: bool) -> None:
    for slip in slips(step.arguments):
        if stated(slip, request):
            continue
        params: dict[str, str | int | float | bool] = {
            "name": slip.name,
            "field": slip.field,
            "value": f"{slip.value:g}",
            "meant": f"{slip.meant:g}",
        }
        if not given:
            raise Unfit(Refusal("units_unlikely", params, step.place))
        step.note("units_unlikely", name=slip.name, field=slip.field, value=f"{slip.value:g}", meant=f"{slip.meant:g}")


def _ordered(steps: Sequence[_Step]) -> list[_Step]:
    ordered = sorted(steps, key=lambda step: _PLACES.get(step.tool, -1))
    for before, step in zip(steps, ordered, strict=True):
        if before is not step:
            ordered[0].note("reordered", tools=", ".join(one.tool for one in ordered))
            break
    return ordered


def _item(step: _Step) -> Json:
    arguments = normalised(step.arguments)
    item: dict[str, Json] = {"tool": step.tool, "arguments": arguments}
    return {**item, "notes": step.notes} if step.notes else item


def normalised(arguments: Arguments) -> Json:
    """Return *arguments* in their one form: enumerations in capitals, defaults filled in, labels ascending and once, −0 as 0."""
    return _even(arguments.model_dump(mode="json", exclude_none=True), "")


def _even(value: Any, key: str) -> Json:
    if isinstance(value, Mapping):
        return {name: _even(inner, name) for name, inner in cast("Mapping[str, Any]", value).items()}
    if not isinstance(value, list):
        return cast("Json", value)
    held = cast("list[Any]", value)
    if key in _LABELS:
        return sorted(set(held))
    if key in ("shapes", "element_ids"):
        return _once(held, SHAPES if key == "shapes" else ())
    return [_even(inner, key) for inner in held]


def _once(values: Iterable[str], order: Sequence[str]) -> list[str]:
    found = list(dict.fromkeys(values))
    return [name for name in order if name in found] if order else found
