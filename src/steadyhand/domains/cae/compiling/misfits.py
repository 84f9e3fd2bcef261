"""Decides which words tell that an argument of a call does not fit: what was allowed in its place. It must not check one."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic_core import ErrorDetails

from steadyhand.core.arguments import shown
from steadyhand.gate.contract import Refusal
from steadyhand.tools.checking import path_of

_PLAIN: Final[Mapping[str, str]] = {
    "missing": "missing",
    "extra_forbidden": "unknown",
    "string_pattern_mismatch": "name",
    "unprinted": "unprinted",
    "region_ways": "region",
    "int_type": "integer",
    "int_from_float": "integer",
    "float_type": "number",
    "finite_number": "number",
    "string_type": "text",
    "bool_type": "boolean",
    "list_type": "list",
    "tuple_type": "list",
    "dict_type": "object",
    "model_type": "object",
    "model_attributes_type": "object",
    "union_tag_not_found": "kind",
}
_BOUND: Final[Mapping[str, tuple[str, str]]] = {
    "literal_error": ("choice", "expected"),
    "union_tag_invalid": ("choice", "expected_tags"),
    "greater_than_equal": ("at_least", "ge"),
    "greater_than": ("above", "gt"),
    "less_than_equal": ("at_most", "le"),
    "less_than": ("below", "lt"),
    "too_short": ("too_few", "min_length"),
    "too_long": ("too_many", "max_length"),
    "string_too_short": ("short", "min_length"),
    "string_too_long": ("long", "max_length"),
}
_KINDS: Final = frozenset(
    ("translate", "rotate", "mirror", "linear_array", "polar_array", "force", "pressure", "gravity", "fix", "symmetry")
)
"""Words that stand in the place of an entry for its kind; nobody wrote them there."""


def misfit(tool: str, found: ErrorDetails, index: int | None) -> Refusal:
    """Return the refusal of the argument of *tool* that *found* is about, with its place and what is allowed there."""
    places, problem = found["loc"], found["type"]
    path = tuple(
        place for before, place in zip((None, *places), places, strict=False) if not (isinstance(before, int) and place in _KINDS)
    )
    if problem == "union_tag_invalid":
        path = (*path, "kind")
    params: dict[str, str | int | float | bool] = {"tool": tool, "path": path_of(path)}
    if problem in _BOUND:
        message, name = _BOUND[problem]
        return Refusal(f"bad_argument_{message}", {**params, "bound": _bound(found.get("ctx", {})[name])}, index)
    return Refusal(f"bad_argument_{_PLAIN[problem]}" if problem in _PLAIN else "bad_argument", params, index)


def _bound(value: Any) -> str:
    """Return a limit, or the allowed words, as a person reads them."""
    if isinstance(value, int | float):
        return f"{value:.12g}"
    return shown(str(value).replace("'", "").replace(" or ", ", "))
