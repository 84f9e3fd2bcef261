"""Decides for an effect, and for a tool by name, whether its calls run, wait for a person or are refused; it must not run or ask."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

Answer: TypeAlias = Literal["allow", "ask", "deny"]

DEFAULTS: Mapping[str, Answer] = MappingProxyType(
    {
        "read": "allow",
        "draft": "allow",
        "own": "allow",
        "say": "allow",
        "workspace": "allow",
        "external": "ask",
        "exec": "deny",
    }
)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its *answer* is for the calls of *effect*, of *tool*, or of both together; None stands for any."""

    answer: Answer
    effect: str | None = None
    tool: str | None = None

    def speaks_of(self, tool: str, effect: str) -> bool:
        """Tell whether the rule is about calls of *tool* with *effect*."""
        return self.effect in (None, effect) and self.tool in (None, tool)


@dataclass(frozen=True, slots=True)
class ToolPolicy:
    """The rules of an installation. Where none of them speaks the defaults do; an effect that nobody knows is asked about."""

    rules: tuple[Rule, ...] = ()

    def answer(self, tool: str, effect: str, *, can_ask: bool) -> Answer:
        """Return what holds for a call: deny beats ask beats allow, and with nobody to ask, ask is deny."""
        usual: Answer = DEFAULTS.get(effect, "ask")
        spoken = [rule.answer for rule in self.rules if rule.speaks_of(tool, effect)] or [usual]
        if "deny" in spoken:
            return "deny"
        if "ask" in spoken:
            return "ask" if can_ask else "deny"
        return "allow"
