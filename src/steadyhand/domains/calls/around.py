"""Decides how what a held call hangs on besides its arguments is told in its review; it must not look at it."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from steadyhand.core.canonical import Json
from steadyhand.core.language import Language, has, say
from steadyhand.core.visible import visible

_SHOWN_DIGEST = 12


def surroundings(around: Mapping[str, Json], language: Language) -> Iterator[str]:
    """Yield a line for each fact: the fence first, then the files that the command names."""
    for name, fact in sorted(around.items(), key=lambda item: (item[0].startswith("file:"), item[0])):
        yield _line(name, cast("Mapping[str, Any]", fact), language)


def _line(name: str, fact: Mapping[str, Any], language: Language) -> str:
    kind, _, rest = name.partition(":")
    state = str(fact.get("state", next(iter(sorted(fact.keys() & {"absent", "more", "sha256", "modified"})), "")))
    message = f"calls.around.{kind}.{state}"
    if not has(language, message):
        return visible(f"{name}: {dict(fact)}")
    short = str(fact.get("sha256", ""))[:_SHOWN_DIGEST]
    return say(language, message, name=visible(rest, keep=""), bytes=fact.get("bytes", 0), digest=short)
