"""Decides how a model is told why its call was not run: which tool, which argument, and what was expected. It must not mend the call."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, cast

from steadyhand.core.arguments import parse_arguments, shown
from steadyhand.core.language import Language, has, say
from steadyhand.core.wire import ToolCall
from steadyhand.tools.base import Tool
from steadyhand.tools.checking import Unfit
from steadyhand.tools.registry import Registry

NEAREST = 5
ALIKE = 0.5
MOST_NAMED = 80
MOST_ARGUMENTS = 24
WRAPPERS = frozenset({"arguments", "args", "parameters", "params", "input", "kwargs", "tool_input"})
"""Names under which models wrap the arguments that they should give directly."""


def not_called(registry: Registry, call: ToolCall, unfit: Unfit, offered: Iterable[str], language: Language) -> str:
    """Return what the model reads of a call that does not fit: the tool, each reason, and what the tool takes, or which tools there are."""
    tool = registry.find(call.name)
    if tool is None:
        return "\n".join([unfit.text(language), _others(call.name, list(offered), language)])
    lines = [say(language, "tools.not_called", tool=tool.name), unfit.text(language)]
    if _is_wrapped(tool, call.arguments):
        lines.append(say(language, "tools.wrapped", tool=tool.name))
    return "\n".join([*lines, takes(tool, language)])


def takes(tool: Tool[Any], language: Language) -> str:
    """Return the arguments of *tool* in one line: each with its kind, and whether it must be there."""
    schema = tool.arguments.model_json_schema()
    properties = cast("Mapping[str, Any]", schema.get("properties") or {})
    if not properties:
        return say(language, "tools.takes_nothing", tool=tool.name)
    required = set(cast("Sequence[str]", schema.get("required") or ()))
    told = [_argument(name, node, name in required, language) for name, node in list(properties.items())[:MOST_ARGUMENTS]]
    return say(language, "tools.takes", tool=tool.name, arguments=say(language, "tools.between").join(told))


def _argument(name: str, node: Any, required: bool, language: Language) -> str:
    kind = _kind(node, language)
    return say(language, "tools.required" if required else "tools.optional", argument=shown(name), kind=kind)


def _kind(node: Any, language: Language) -> str:
    """Return the kind of value that a part of a schema asks for, in a word, or the values themselves where they are few."""
    if not isinstance(node, Mapping):
        return say(language, "tools.kind.any")
    part = cast("Mapping[str, Any]", node)
    if part.get("enum"):
        return say(language, "tools.kind.one_of", values=", ".join(shown(str(value)) for value in part["enum"][:MOST_ARGUMENTS]))
    for choices in (part.get("anyOf"), part.get("oneOf")):
        wanted = [one for one in cast("Sequence[Mapping[str, Any]]", choices or ()) if one != {"type": "null"}]
        if wanted:
            return _kind(wanted[0], language)
    kind = part.get("type", "object" if "$ref" in part else "any")
    message = f"tools.kind.{kind}"
    return say(language, message if isinstance(kind, str) and has(language, message) else "tools.kind.any")


def _is_wrapped(tool: Tool[Any], text: str) -> bool:
    """Tell whether the arguments stand one level too deep."""
    given = parse_arguments(text)
    if given is None or len(given) != 1:
        return False
    [name] = given
    return name in WRAPPERS and name not in (tool.arguments.model_json_schema().get("properties") or {})


def _others(name: str, offered: Sequence[str], language: Language) -> str:
    """Return the offered tools whose names are nearest to *name*; all of them where none is near."""
    near = get_close_matches(name.lower(), offered, NEAREST, ALIKE)
    parts = {part for part in name.lower().replace("-", "_").split("_") if len(part) > 2}
    near += [other for other in offered if other not in near and parts & set(other.split("_"))]
    if near:
        return say(language, "tools.nearest", tools=", ".join(near[:NEAREST]))
    return (
        say(language, "tools.offered", tools=", ".join(offered[:MOST_NAMED])) if offered else say(language, "tools.none_offered")
    )
