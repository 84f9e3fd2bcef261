"""Decides whether arguments have the form that a tool's JSON Schema asks for: names and types; it must not judge values."""

from collections.abc import Mapping, Sequence
from typing import cast

from steadyhand.core.canonical import Json

Schema = Mapping[str, Json]
EMPTY: Schema = {}


def misfit(arguments: Mapping[str, Json], schema: Schema) -> str | None:
    """Return where *arguments* do not fit *schema* (a missing, an unknown, or one of another type), or None when they do."""
    try:
        return _misfit(arguments, {"type": "object", **schema}, schema, "")
    except RecursionError:
        return "$ref"


def _misfit(value: Json, schema: Json, root: Schema, path: str) -> str | None:
    if not isinstance(schema, Mapping):
        return path if schema is False else None
    schema = _resolved(schema, root)
    for choices in (schema.get("anyOf"), schema.get("oneOf")):
        if _is_list(choices) and all(_misfit(value, choice, root, path) is not None for choice in _list(choices)):
            return path
    for part in _list(schema.get("allOf")):
        found = _misfit(value, part, root, path)
        if found is not None:
            return found
    kinds = schema.get("type")
    wanted = [kinds] if isinstance(kinds, str) else _list(kinds)
    if wanted and not any(_is_kind(value, str(kind)) for kind in wanted):
        return path
    if isinstance(value, Mapping):
        return _object_misfit(value, schema, root, path)
    if _is_list(value):
        return _items_misfit(_list(value), schema, root, path)
    return None


def _object_misfit(value: Mapping[str, Json], schema: Schema, root: Schema, path: str) -> str | None:
    for name in _list(schema.get("required")):
        if name not in value:
            return _under(path, str(name))
    properties = schema.get("properties")
    known = properties if isinstance(properties, Mapping) else EMPTY
    others = schema.get("additionalProperties", True)
    if "patternProperties" in schema:
        others = True
    for name, inner in value.items():
        found = _misfit(inner, known.get(name, others), root, _under(path, name))
        if found is not None:
            return found
    return None


def _items_misfit(value: Sequence[Json], schema: Schema, root: Schema, path: str) -> str | None:
    first = _list(schema.get("prefixItems"))
    for number, inner in enumerate(value):
        form = first[number] if number < len(first) else schema.get("items", True)
        found = _misfit(inner, form, root, f"{path}[{number}]")
        if found is not None:
            return found
    return None


def _resolved(schema: Schema, root: Schema) -> Schema:
    """Follow references within the document; what points elsewhere asks for nothing that could be checked here."""
    for _ in range(100):
        target = schema.get("$ref")
        if not isinstance(target, str):
            return schema
        node: Json = root if target.startswith("#") else EMPTY
        for step in target.removeprefix("#").strip("/").split("/"):
            if step and isinstance(node, Mapping):
                node = node.get(step.replace("~1", "/").replace("~0", "~"))
        if not isinstance(node, Mapping):
            return EMPTY
        schema = node
    return EMPTY


def _is_kind(value: Json, kind: str) -> bool:
    match kind:
        case "object":
            return isinstance(value, Mapping)
        case "array":
            return _is_list(value)
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
        case "integer":
            return not isinstance(value, bool) and (isinstance(value, int) or (isinstance(value, float) and value.is_integer()))
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case _:
            return True


def _is_list(value: Json) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _list(value: Json) -> Sequence[Json]:
    return cast("Sequence[Json]", value) if _is_list(value) else ()


def _under(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
