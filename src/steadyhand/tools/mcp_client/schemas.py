"""Decides whether arguments fit the JSON Schema that a foreign server declares; it must not let a hostile schema cost time or fetch anything.

What cannot be checked in bounded time (patterns, and what depends on them) is left to the server, which checks for itself anyway.
"""

import copy
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from functools import cache
from itertools import islice
from typing import Any, TypeAlias, cast

from steadyhand.core.arguments import parse_arguments, shown
from steadyhand.core.canonical import Json, canonical
from steadyhand.tools.checking import MAX_NAMED, Misfit, Params, path_of
from steadyhand.tools.outside import one_line

MAX_SCHEMA_BYTES = 64_000
MAX_DEPTH = 40
MAX_STEPS = 50_000
"""So many keywords are looked at for one call; a schema that needs more is built to take for ever."""
MAX_TOLD = 400

LEFT_TO_THE_SERVER = ("pattern", "patternProperties", "unevaluatedProperties", "unevaluatedItems", "uniqueItems")

Rule: TypeAlias = Callable[[Any, Any, Any, Any], Iterator[Any] | None]
_left: ContextVar[int] = ContextVar("steps_left")


class TooManySteps(Exception):
    """The schema was built to take for ever."""


class ForeignSchema:
    """Stands where a tool of ours has its model of arguments; see `tools.base.Declared`."""

    def __init__(self, schema: Mapping[str, Json]) -> None:
        self._schema = schema
        self._told = cast("dict[str, Any]", _tidied(copy.deepcopy(dict(schema))))

    def model_json_schema(self) -> dict[str, Any]:
        """Return the schema as a model is told it: its prose cleaned and cut."""
        return copy.deepcopy(self._told)

    def model_validate_json(self, json_data: str, /) -> Mapping[str, Json]:
        """Read and check arguments; those that do not fit raise `Misfit`."""
        values = parse_arguments(json_data)
        if values is None:
            raise Misfit((("argument_unusable", {"argument": "-"}),))
        reasons = tuple(self._reasons(values))
        if reasons:
            raise Misfit(reasons)
        return values

    def _reasons(self, values: Mapping[str, Json]) -> list[tuple[str, Params]]:
        from referencing.exceptions import Unresolvable  # noqa: PLC0415  # slow to import, and few sessions have such tools

        token = _left.set(MAX_STEPS)
        try:
            errors = islice(_checker(self._schema).iter_errors(values), MAX_NAMED)
            return [reason for error in errors for reason in _in_words(error)]
        except (TooManySteps, RecursionError, Unresolvable):
            return [("argument_unusable", {"argument": "-"})]
        finally:
            _left.reset(token)


def fault_of(schema: Mapping[str, Json]) -> str | None:
    """Return why a tool with that schema is not offered, in a word for the log; None when it can be."""
    from jsonschema.exceptions import SchemaError  # noqa: PLC0415  # as above

    try:
        if _depth(schema) > MAX_DEPTH:
            return "too_deep"
        if len(canonical(schema)) > MAX_SCHEMA_BYTES:
            return "too_large"
        if schema.get("type") != "object":
            return "no_object"
        if any(not ref.startswith("#") for ref in _refs(schema)):
            return "refers_elsewhere"
        _base(schema).check_schema(schema)
    except (SchemaError, ValueError, TypeError, RecursionError):
        return "no_schema"
    return None


def _base(schema: Mapping[str, Json]) -> Any:
    from jsonschema.validators import Draft202012Validator, validator_for  # noqa: PLC0415  # as above

    return cast("Any", validator_for(cast("Any", schema), default=Draft202012Validator))


def _checker(schema: Mapping[str, Json]) -> Any:
    import referencing  # noqa: PLC0415  # as above

    return _counting(_base(schema))(schema, registry=cast("Any", referencing).Registry())  # an empty one: nothing is fetched


@cache
def _counting(base: Any) -> Any:
    """Return *base* with every keyword counted, and without those whose cost has no bound."""
    import jsonschema.validators  # noqa: PLC0415  # as above

    keywords: dict[str, Rule] = {name: _counted(rule) for name, rule in base.VALIDATORS.items()}
    keywords |= dict.fromkeys(LEFT_TO_THE_SERVER, _passed)
    keywords["additionalProperties"] = _unless_patterns(keywords["additionalProperties"])
    return cast("Any", jsonschema.validators).extend(base, keywords)


def _counted(rule: Rule) -> Rule:
    def count(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any] | None:
        left = _left.get()
        if left <= 0:
            raise TooManySteps
        _left.set(left - 1)
        return rule(validator, value, instance, schema)

    return count


def _passed(validator: Any, value: Any, instance: Any, schema: Any) -> None:
    del validator, value, instance, schema


def _unless_patterns(rule: Rule) -> Rule:
    def apply(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any] | None:
        return None if "patternProperties" in schema else rule(validator, value, instance, schema)

    return apply


def _in_words(error: Any) -> Iterator[tuple[str, Params]]:
    """Say in the catalogue's words why one place does not fit."""
    place: tuple[int | str, ...] = tuple(error.absolute_path)
    kind, wanted, given = error.validator, error.validator_value, error.instance
    if kind == "required":
        yield from (("argument_missing", {"argument": path_of((*place, name))}) for name in wanted if name not in given)
    elif kind == "additionalProperties":
        known = error.schema.get("properties", {})
        yield from (("argument_unknown", {"argument": path_of((*place, name))}) for name in given if name not in known)
    elif kind == "type":
        yield TYPES.get(str(wanted), "argument_unusable"), {"argument": path_of(place)}
    elif kind in BOUNDS and isinstance(wanted, int | float):
        yield BOUNDS[kind], {"argument": path_of(place), "bound": str(wanted)}
    elif kind == "enum":
        yield (
            "argument_choice",
            {"argument": path_of(place), "bound": ", ".join(shown(str(one)) for one in wanted[: MAX_NAMED * 2])},
        )
    else:
        yield "argument_unusable", {"argument": path_of(place)}


TYPES: Mapping[str, str] = {
    "integer": "argument_integer",
    "number": "argument_number",
    "string": "argument_text",
    "boolean": "argument_boolean",
    "array": "argument_list",
    "object": "argument_object",
}

BOUNDS: Mapping[str, str] = {
    "minimum": "argument_at_least",
    "exclusiveMinimum": "argument_above",
    "maximum": "argument_at_most",
    "exclusiveMaximum": "argument_below",
    "minLength": "argument_too_short",
    "minItems": "argument_too_short",
    "maxLength": "argument_too_long",
    "maxItems": "argument_too_long",
}


def _depth(value: object) -> int:
    level, nodes = 0, [value]
    while nodes and level <= MAX_DEPTH:
        level += 1
        nodes = [inner for node in nodes for inner in _inside(node)]
    return level


def _refs(schema: object) -> Iterator[str]:
    waiting: list[object] = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Mapping):
            entries = cast("Mapping[str, object]", node)
            yield from (str(entries[key]) for key in ("$ref", "$dynamicRef", "$recursiveRef") if key in entries)
        waiting.extend(_inside(cast("object", node)))


def _inside(node: object) -> list[object]:
    if isinstance(node, Mapping):
        return list(cast("Mapping[str, object]", node).values())
    return cast("list[object]", node) if isinstance(node, list) else []


def _tidied(node: object) -> object:
    """Clean and cut the prose of a schema; its names and values stay as they are, since arguments must match them."""
    if isinstance(node, dict):
        entries = cast("dict[str, object]", node)
        return {
            key: one_line(value, MAX_TOLD)
            if key in {"description", "title", "$comment"} and isinstance(value, str)
            else _tidied(value)
            for key, value in entries.items()
        }
    return [_tidied(one) for one in cast("list[object]", node)] if isinstance(node, list) else node
