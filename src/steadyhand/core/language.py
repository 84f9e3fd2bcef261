"""Decides which words a person sees for a message id; it must not decide whether something is said.

A catalogue is one TOML file per language and folder (``texts/zh-CN.toml``, ``texts/en.toml``): dotted keys are message ids.
Templates use `str.format`; ``{n:task|tasks}`` prints the number with the form that fits it.
"""

import string
import tomllib
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Literal, TypeAlias

Language: TypeAlias = Literal["zh-CN", "en"]
LANGUAGES: tuple[Language, ...] = ("zh-CN", "en")


class _Formatter(string.Formatter):
    def format_field(self, value: object, format_spec: str) -> str:
        if "|" in format_spec and isinstance(value, int):
            one, many = format_spec.split("|", 1)
            return f"{value} {one if value == 1 else many}"
        return str(super().format_field(value, format_spec))


_FORMATTER = _Formatter()


def _flatten(prefix: str, node: object, into: dict[str, str]) -> None:
    if isinstance(node, dict):
        for key, value in node.items():  # type: ignore[reportUnknownVariableType]  # tomllib yields str keys
            _flatten(f"{prefix}.{key}" if prefix else str(key), value, into)  # type: ignore[reportUnknownArgumentType]  # as above
    else:
        into[prefix] = str(node)


def _folders() -> list[Traversable]:
    """Return the ``texts`` of every package, and of every domain."""
    root = resources.files("steadyhand")
    packages = [*root.iterdir(), *root.joinpath("domains").iterdir()]
    return [one.joinpath("texts") for one in sorted(packages, key=lambda one: one.name) if one.joinpath("texts").is_dir()]


@cache
def catalogue(language: Language) -> dict[str, str]:
    """Return every message of *language*, read once from the packages that carry texts."""
    messages: dict[str, str] = {}
    for folder in _folders():
        for entry in sorted(folder.iterdir(), key=lambda item: item.name):
            if entry.name.endswith(f"{language}.toml"):
                _flatten("", tomllib.loads(entry.read_text(encoding="utf-8")), messages)
    return messages


def say(language: Language, message: str, /, **params: object) -> str:
    """Return the text of *message*; a missing id raises `KeyError`, since a person must never see an id."""
    return _FORMATTER.vformat(catalogue(language)[message], (), params)


def has(language: Language, message: str) -> bool:
    """Tell whether *language* has a text for *message*."""
    return message in catalogue(language)


def choose(text: str | None) -> Language:
    """Turn a locale or language name (``zh_CN.UTF-8``, ``en-GB``) into one of the two languages; the default is en."""
    return "zh-CN" if (text or "").lower().startswith("zh") else "en"
