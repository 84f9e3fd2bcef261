"""Decides whether a call can be run at all: its tool is there, the policy lets it, its arguments fit; it must not run it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pydantic import ValidationError

from steadyhand.core.arguments import parse_arguments, shown
from steadyhand.core.language import Language, say
from steadyhand.core.wire import ToolCall
from steadyhand.tools.base import Tool
from steadyhand.tools.policy import ToolPolicy
from steadyhand.tools.registry import Registry

MAX_NAMED = 5
"""Of many unfit arguments that many are named; mending those shows the rest."""

BY_SETTING = ("exec", "external", "workspace")
"""The effects that have a setting ``policy_<effect>``."""

Params: TypeAlias = Mapping[str, "str | int | float"]


class Misfit(ValueError):
    """Arguments do not fit what a tool declares; each reason is a message of the catalogue with its values."""

    def __init__(self, reasons: tuple[tuple[str, Params], ...]) -> None:
        super().__init__("; ".join(message for message, _ in reasons))
        self.reasons = reasons


@dataclass(frozen=True, slots=True)
class Unfit:
    """Why a call is not run: a stable *code*, and each reason as a message of the catalogue with its values."""

    code: str
    reasons: tuple[tuple[str, Params], ...]

    def text(self, language: Language) -> str:
        """Return the reasons in *language*, one a line."""
        return "\n".join(say(language, f"refusal.{message}", **params) for message, params in self.reasons)


@dataclass(frozen=True, slots=True)
class ReadyCall:
    """A call that may run now, with its checked arguments."""

    tool: Tool[Any]
    call: ToolCall
    arguments: Any


@dataclass(frozen=True, slots=True)
class HeldCall:
    """A call that may run when a person says so; its arguments are checked already, so that nobody is asked in vain."""

    ready: ReadyCall


def consider(registry: Registry, policy: ToolPolicy, call: ToolCall, *, can_ask: bool) -> ReadyCall | HeldCall | Unfit:
    """Check the right to the tool first, then the arguments; with *can_ask* a call that policy asks about is held."""
    tool = registry.find(call.name)
    if tool is None:
        return Unfit("tool_unknown", (("tool_unknown", {"tool": shown(call.name)}),))
    answer = policy.answer(tool.name, tool.effect, can_ask=can_ask)
    if answer == "deny":
        return Unfit("denied", (_denied(policy, tool),))
    arguments = check_arguments(tool, call.arguments)
    if isinstance(arguments, Unfit):
        return arguments
    ready = ReadyCall(tool, call, arguments)
    return HeldCall(ready) if answer == "ask" else ready


def _denied(policy: ToolPolicy, tool: Tool[Any]) -> tuple[str, Params]:
    """Name the setting by which the call could be allowed, where it is one, so that nobody has to look for it."""
    if tool.effect in BY_SETTING and policy.answer(tool.name, tool.effect, can_ask=True) == "deny":
        return "tool_denied_by_setting", {"tool": tool.name, "setting": f"policy_{tool.effect}"}
    return "tool_denied", {"tool": tool.name}


def check_arguments(tool: Tool[Any], text: str) -> Any | Unfit:
    """Read *text* as the arguments of *tool*; an argument that does not fit is named."""
    if parse_arguments(text) is None:
        return Unfit("bad_argument", (("arguments_unreadable", {"tool": tool.name}),))
    try:
        return tool.arguments.model_validate_json(text)
    except Misfit as error:
        return Unfit("bad_argument", error.reasons[:MAX_NAMED])
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        return Unfit("bad_argument", tuple(_reason(detail["type"], detail) for detail in details[:MAX_NAMED]))


MESSAGES: Mapping[str, str] = {
    "missing": "argument_missing",
    "extra_forbidden": "argument_unknown",
    "int_type": "argument_integer",
    "int_from_float": "argument_integer",
    "float_type": "argument_number",
    "finite_number": "argument_number",
    "string_type": "argument_text",
    "bool_type": "argument_boolean",
    "list_type": "argument_list",
    "tuple_type": "argument_list",
    "dict_type": "argument_object",
    "model_type": "argument_object",
}

BOUNDS: Mapping[str, tuple[str, str]] = {
    "literal_error": ("argument_choice", "expected"),
    "enum": ("argument_choice", "expected"),
    "greater_than_equal": ("argument_at_least", "ge"),
    "greater_than": ("argument_above", "gt"),
    "less_than_equal": ("argument_at_most", "le"),
    "less_than": ("argument_below", "lt"),
    "too_short": ("argument_too_short", "min_length"),
    "string_too_short": ("argument_too_short", "min_length"),
    "too_long": ("argument_too_long", "max_length"),
    "string_too_long": ("argument_too_long", "max_length"),
}


def _reason(kind: str, detail: Any) -> tuple[str, Params]:
    argument = path_of(detail["loc"])
    if kind in BOUNDS:
        message, name = BOUNDS[kind]
        bound = str(detail["ctx"][name]).replace(" or ", ", ")
        return message, {"argument": argument, "bound": bound}
    return MESSAGES.get(kind, "argument_unusable"), {"argument": argument}


def path_of(places: tuple[int | str, ...]) -> str:
    """Write the place of an argument as ``moves[0].day``."""
    text = "".join(f"[{place}]" if isinstance(place, int) else f".{place}" for place in places)
    return shown(text.removeprefix(".")) or "-"
