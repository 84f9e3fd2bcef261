"""Decides what words can be a time, a task's name, a length, a number; it must not know which tasks there are or what day it is."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from steadyhand.core.language import Language
from steadyhand.domains.schedule.time_words import en, zh
from steadyhand.domains.schedule.time_words.resolve import MAX_TEXT, is_time
from steadyhand.llm.rules.pattern import Kind
from steadyhand.llm.rules.said import has_quotes, unquoted

MOST_NAME = 80
MOST_COUNT = 99

_NO_NAME: Mapping[Language, re.Pattern[str]] = {
    "zh-CN": re.compile(
        r"[。！？!?;；\n,，]|把|^(?:我|你|您|他|她|谁|它|这|那|所有|全部|一切|每|任何|哪|什么|吗)|(?:吗|呢|么)$|^(?:看|下|一下|了|吧)$"
    ),
    "en": re.compile(
        r"[!?;\n,]|^(?:i|you|he|she|we|they|who|all|every|everything|any|anything|it|this|that|these|those|them|and|or|on|in|at|to|for|with|from|of|then|back)\b",
        re.IGNORECASE,
    ),
}
_NO_BEGINNING = "->|*`~•"
"""So begin options of a command, quotations and lists, and no name that is said."""
_JOINS = re.compile(r"[\n。！!；;,，]|\.\s|然后|并且|接着|\b(?:and|then|but)\b", re.IGNORECASE)
"""What joins clauses stands in no words that are judged by a tool alone."""
_IDENTIFIED = re.compile(r"\[[0-9]{1,9}\]")
_UNIT = {
    "zh-CN": re.compile(r"([0-9]{1,2}|[一二两三四五六七八九十]{1,3})\s*(?:节课?|个(?:连续)?(?:的)?时段|个(?:连续)?(?:的)?节次)"),
    "en": re.compile(r"([0-9]{1,2}|[a-z]+)\s+(?:free |consecutive )?(?:slots?|periods?)(?: in a row)?", re.IGNORECASE),
}
_COUNT = {"zh-CN": re.compile(r"[0-9]{1,2}|[一二两三四五六七八九十]{1,3}"), "en": re.compile(r"[0-9]{1,2}|[a-z]+", re.IGNORECASE)}


def time_kind(language: Language) -> Kind:
    """Return the kind of words that read as a time; whether they can be resolved is for `resolve_time`."""

    @lru_cache(maxsize=4096)
    def read(words: str) -> str | None:
        plain = unquoted(words)
        return plain if len(plain) <= MAX_TEXT and is_time(plain, language) else None

    samples = ("周五晚上", "明天第3-4节") if language == "zh-CN" else ("Friday evening", "tomorrow slots 3-4")
    return Kind("time", read, samples)


def moment_kind(language: Language) -> Kind:
    """Return the kind of a time that says behind a name where it goes.

    What is counted there, ``2 days later``, would be counted from the task's place; ``from Friday to Saturday`` may tell that place.
    """
    times = time_kind(language)

    def read(words: str) -> str | None:
        counted = words.lower().endswith(("later", "from now", "from today", "之后", "以后", "后"))
        return None if counted or words.lower().startswith("from ") else times.read(words)

    return Kind("moment", read, times.samples)


def name_kind(language: Language) -> Kind:
    """Return the kind of words that can name a task or a category: anything in quotes, else words that no sentence has inside."""

    def read(words: str) -> str | None:
        plain = unquoted(words)
        if not 0 < len(plain) <= MOST_NAME or plain[0] in _NO_BEGINNING:
            return None
        if plain != words or _IDENTIFIED.match(plain):
            return plain
        return None if has_quotes(plain) or _NO_NAME[language].search(plain) else plain

    return Kind("name", read, ("论文",) if language == "zh-CN" else ("essay",), loose=True)


def number_kind() -> Kind:
    """Return the kind of a task's number alone."""
    known = re.compile(r"\[[0-9]{1,9}\]|#[0-9]{1,9}")
    return Kind("number", lambda words: words if known.fullmatch(words) else None, ("[3]",))


def words_kind(language: Language) -> Kind:
    """Return the kind of any short words, for what a tool will judge."""

    def read(words: str) -> str | None:
        return words if len(words) <= MAX_TEXT and not _JOINS.search(words) else None

    return Kind("words", read, ("晚点",) if language == "zh-CN" else ("later",), loose=True)


def length_kind(language: Language) -> Kind:
    """Return the kind of a length in slots; its value is digits."""

    def read(words: str) -> str | None:
        found = _UNIT[language].fullmatch(words)
        return _digits(found.group(1), language) if found else None

    return Kind("length", read, ("3节",) if language == "zh-CN" else ("3 slots",))


def count_kind(language: Language) -> Kind:
    """Return the kind of a small number; its value is digits."""

    def read(words: str) -> str | None:
        return _digits(words, language) if _COUNT[language].fullmatch(words) else None

    return Kind("count", read, ("2", "两") if language == "zh-CN" else ("2", "two"))


def _digits(words: str, language: Language) -> str | None:
    low = words.lower()
    known = language == "zh-CN" or low.isdigit() or low in en.COUNT_WORDS
    value = (zh if language == "zh-CN" else en).number(low) if known else None
    return str(value) if value is not None and 1 <= value <= MOST_COUNT else None


def part_kind(parts: Sequence[str]) -> Kind:
    """Return the kind of a part of every day, or of every week, out of a closed list."""
    known = frozenset(parts)
    return Kind("part", lambda words: words.lower() if words.lower() in known else None, tuple(parts[:2]))


def kinds(language: Language, parts: Sequence[str]) -> tuple[Kind, ...]:
    """Return every kind that the phrases of the timetable use."""
    return (
        part_kind(parts),
        number_kind(),
        time_kind(language),
        moment_kind(language),
        name_kind(language),
        Kind("name2", name_kind(language).read, ("写作",) if language == "zh-CN" else ("report",), loose=True),
        Kind("time2", time_kind(language).read, ("下周二下午",) if language == "zh-CN" else ("next Tuesday afternoon",)),
        words_kind(language),
        length_kind(language),
        count_kind(language),
    )
