"""Decides what ``the second one`` means: the row of the list that was last shown to the session; where there is none it must not mean anything."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from steadyhand.core.canonical import Json
from steadyhand.llm.rules.book import PhraseBook
from steadyhand.llm.rules.said import QUOTED, cleaned

_NUMERALS = "一二三四五六七八九"
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_ROW = re.compile(
    r"第\s*([1-9]|[一二三四五六七八九])\s*(?:个|项|条|行)(?!月|星期|礼拜|小时)"
    rf"|\b(?:the )?({'|'.join(_ORDINALS)})(?: one| row| entry)\b|\b(?:number|row|no\.) ?([1-9])\b",
    re.IGNORECASE,
)
_ALONE = re.compile(rf"(?:([1-9]|[{_NUMERALS}])|(?:the )?({'|'.join(_ORDINALS)}))[.。)]?", re.IGNORECASE)


def with_rows(text: str, last_list: Json, books: Sequence[PhraseBook]) -> str:
    """Return *text* with rows of the last list in the words that their room knows them by."""
    shown = cast("Mapping[str, Any]", last_list if isinstance(last_list, Mapping) else {})
    kind, rows = cast("str", shown.get("kind", "")), cast("Sequence[Mapping[str, Any]]", shown.get("rows") or ())
    worded = next((book.rows[kind] for book in books if kind in book.rows), None)
    if worded is None or not rows:
        return text

    def reference(match: re.Match[str]) -> str:
        place = _place(match)
        value = rows[place - 1].get("value") if place <= len(rows) else None
        found = None if value is None else worded(value)
        return match.group() if found is None else found

    plain = cleaned(text)
    if (alone := _ALONE.fullmatch(plain.strip())) is not None:
        return reference(alone)
    held = [match.span() for match in QUOTED.finditer(plain)]
    return _ROW.sub(
        lambda match: match.group() if any(a < match.end() and match.start() < b for a, b in held) else reference(match), plain
    )


def is_row(text: str) -> bool:
    """Tell whether *text* is nothing but the number of a row."""
    return _ALONE.fullmatch(cleaned(text).strip()) is not None


def _place(match: re.Match[str]) -> int:
    mark = next(group for group in match.groups() if group)
    if mark.lower() in _ORDINALS:
        return _ORDINALS.index(mark.lower()) + 1
    return _NUMERALS.index(mark) + 1 if mark in _NUMERALS else int(mark)
