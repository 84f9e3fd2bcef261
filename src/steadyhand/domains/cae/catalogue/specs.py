"""Decides what a model is told of a wire tool: its manual and the JSON Schema of its arguments. It must not offer one: a brief does.

The schema is that of the argument model without what costs tokens and says nothing to a model: titles, notes for programmers, the
bounds that every number has. No tool takes the name of a model or a part: the target is bound by the program.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, cast

from steadyhand.core.canonical import Json
from steadyhand.core.language import Language, say
from steadyhand.core.wire import ToolSpec
from steadyhand.domains.cae.calls.table import TOOLS
from steadyhand.domains.cae.calls.words import LARGEST

_DROPPED = frozenset({"title", "description", "discriminator"})
_BOUNDS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
_NAMED = frozenset({"properties", "$defs"})
"""Keywords whose keys are names, not keywords."""
_SAYS_NOTHING: Sequence[Json] = (None, [], False)


def specs(tools: Iterable[str], language: Language) -> tuple[ToolSpec, ...]:
    """Return what a model is told of *tools*, in their order."""
    return tuple(ToolSpec(name, _manual(name, language), parameters(name)) for name in tools)


@cache
def parameters(name: str) -> Mapping[str, Json]:
    """Return the JSON Schema of a tool's arguments."""
    return cast("Mapping[str, Json]", _lean(TOOLS[name].arguments.model_json_schema()))


def _manual(name: str, language: Language) -> str:
    paragraphs = [say(language, f"cae.manual.{name}")]
    if "Region" in cast("Mapping[str, Json]", parameters(name).get("$defs", {})):
        paragraphs.append(say(language, "cae.region"))
    return "\n".join([*paragraphs, say(language, "cae.bounds")])


def _lean(node: Any) -> Any:
    if isinstance(node, list):
        return [_lean(value) for value in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    schema = cast("dict[str, Any]", node)
    found: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword in _NAMED:
            found[keyword] = {name: _lean(inner) for name, inner in value.items()}
        elif keyword == "prefixItems" and all(one == value[0] for one in value):
            found["items"] = _lean(value[0])
        elif not _is_idle(keyword, value):
            found["anyOf" if keyword == "oneOf" else _BOUNDS.get(keyword, keyword)] = _lean(value)
    return found


def _is_idle(keyword: str, value: Any) -> bool:
    if keyword == "default":
        return any(value is nothing or value == nothing == [] for nothing in _SAYS_NOTHING)
    widest = keyword in {*_BOUNDS, *_BOUNDS.values()} and abs(value) == LARGEST
    return keyword in _DROPPED or widest
