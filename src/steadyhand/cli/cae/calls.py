"""Decides what a file holds that a person hands over for a change of a part: calls, or words. It must not check a call, which the domain does."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import click

from steadyhand.cli.terminal.files import read_bytes
from steadyhand.core.arguments import KeyTwice, no_constant, no_key_twice, shown
from steadyhand.core.canonical import Json
from steadyhand.core.errors import ToolRefusal
from steadyhand.domains.cae.calls.table import MODULES, TOOLS

MOST_WORDS = 20_000
LONGEST_NAME = 250
ENDINGS = (".json", ".txt", ".md")


@dataclass(frozen=True, slots=True)
class GivenCalls:
    """What a file of calls says: its module, where it names one, and the calls as operations."""

    module: str
    operations: tuple[Json, ...]


def is_file_of_calls(text: str) -> bool:
    """Tell whether *text* names a file of calls rather than words."""
    return text.lower().endswith(".json")


def words_of(text: str) -> str:
    """Return the words of a request: *text* itself, or what stands in the file that it names."""
    words = text
    if _names_a_file(text):
        try:
            words = read_bytes(Path(text)).decode("utf-8-sig")
        except UnicodeDecodeError:
            raise ToolRefusal("cae_words_unreadable", file=click.format_filename(text)) from None
    words = words.strip()
    if not words:
        raise ToolRefusal("cae_words_missing")
    if len(words) > MOST_WORDS:
        raise ToolRefusal("cae_words_too_many", most=MOST_WORDS, length=len(words))
    return words


def _names_a_file(text: str) -> bool:
    if len(text) > LONGEST_NAME or not text.isprintable():
        return False
    if text.lower().endswith(ENDINGS):
        return True
    try:
        return Path(text).is_file()
    except OSError:
        return False


def read_calls(name: str) -> GivenCalls:
    """Read a file of calls. Raises `ToolRefusal` ``cae_calls_*`` where it is none."""
    content = _json(name)
    module = ""
    if isinstance(content, Mapping):
        outer = cast("Mapping[str, Any]", content)
        module, content = outer.get("module", ""), outer.get("calls")
        if set(outer) - {"module", "calls"} or not isinstance(module, str) or (module and module not in MODULES):
            raise ToolRefusal("cae_calls_shape", file=click.format_filename(name), modules=" ".join(MODULES))
    if not isinstance(content, list):
        raise ToolRefusal("cae_calls_shape", file=click.format_filename(name), modules=" ".join(MODULES))
    calls = cast("Sequence[object]", content)
    return GivenCalls(module, tuple(_operation(place, call) for place, call in enumerate(calls, 1)))


def _json(name: str) -> object:
    try:
        return json.loads(read_bytes(Path(name)), parse_constant=no_constant, object_pairs_hook=no_key_twice)
    except KeyTwice as error:
        raise ToolRefusal("cae_calls_key_twice", file=click.format_filename(name), key=shown(error.key)) from None
    except (ValueError, RecursionError) as error:
        place = f"{error.lineno}:{error.colno}" if isinstance(error, json.JSONDecodeError) else "-"
        raise ToolRefusal("cae_calls_unreadable", file=click.format_filename(name), place=place) from None


def _operation(place: int, call: object) -> Json:
    entry: Mapping[str, Any] = cast("Mapping[str, Any]", call) if isinstance(call, Mapping) else {}
    name = entry.get("name")
    if not isinstance(name, str) or set(entry) - {"name", "arguments"} or not isinstance(entry.get("arguments", {}), Mapping):
        raise ToolRefusal("cae_call_shape", place=place)
    if name not in TOOLS:
        raise ToolRefusal("cae_call_unknown", name=shown(name), calls=", ".join(TOOLS))
    return {"tool": name, "arguments": entry.get("arguments", {})}
