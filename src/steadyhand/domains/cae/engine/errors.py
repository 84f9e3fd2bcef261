"""Decides how the engine says no: a stable code with parameters, which the domain's catalogue words. It must not hold a sentence."""

from collections.abc import Mapping


class EngineRefusal(Exception):
    """Something that the engine does not do; nothing that was stored is changed. *params* are JSON scalars."""

    def __init__(self, code: str, **params: "str | int | float | bool") -> None:
        super().__init__(code)
        self.code = code
        self.params: Mapping[str, str | int | float | bool] = params

    def __str__(self) -> str:
        return f"{self.code}: " + ", ".join(f"{name}={value}" for name, value in self.params.items())


class PreflightRefusal(EngineRefusal):
    """A program must not begin: found out before its first mutation."""
