"""Decides which words about reminders and jobs are understood without a model, and by which plan. It must not carry one out."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import ModuleType
from typing import NamedTuple

from steadyhand.core.canonical import Json
from steadyhand.core.language import LANGUAGES, Language
from steadyhand.llm.rules.book import Acts, PhraseBook, Plan, Rule, Speaks
from steadyhand.llm.rules.pattern import Kind
from steadyhand.llm.rules.said import has_quotes, unquoted
from steadyhand.wakeups import asking, phrases_en, phrases_zh, tending, watching
from steadyhand.wakeups.days_off import days_off, ends_with_days_off
from steadyhand.wakeups.moments import spoken
from steadyhand.wakeups.moments_zh import number as zh_number
from steadyhand.wakeups.own_words import holds_time, kept, kept_before_time, taken_back

ROOM = "wakeups"
MOST_ABOUT = 60
KEPT = 4096
_TABLES: Mapping[Language, ModuleType] = {"zh-CN": phrases_zh, "en": phrases_en}
_NUMERAL = re.compile(r"[1-9][0-9]{0,5}|[一二三四五六七八九]?十[一二三四五六七八九]?|[一二三四五六七八九]")
_NUMBERS = re.compile(r"[1-9][0-9]{0,5}(?:号?(?:、|,| and |, and |和|跟|与)\s?[1-9][0-9]{0,5})+号?", re.IGNORECASE)
_ROW = re.compile(r"R-([1-9][0-9]{0,5})", re.IGNORECASE)
_NO_ABOUT = re.compile(
    r"[\n。！!？?；;,，]|\.\s|^(?:先?别|先?不|我|你|这|那|所有|全部|一切|每|哪|什么|刚才|(?:all|every|any|this|that|it|which|what)\b)",
    re.IGNORECASE,
)

_ARTICLE = re.compile(r"^(?:the|my|a|an)\s+", re.IGNORECASE)


class _Means(NamedTuple):
    plan: Plan
    acts: Acts = ""
    speaks: Speaks = ""


def wakeup_phrases() -> tuple[PhraseBook, ...]:
    """Return what can be said about reminders and jobs, a book for each language."""
    return tuple(_book(language) for language in LANGUAGES)


def _book(language: Language) -> PhraseBook:
    table: Mapping[str, Sequence[str]] = _TABLES[language].PHRASES
    rules = tuple(_rule(name, tuple(phrases)) for name, phrases in table.items())
    return PhraseBook(ROOM, language, rules, _kinds(language), _TABLES[language].EXAMPLES, rows={"wakeup": _row})


def _rule(name: str, phrases: tuple[str, ...]) -> Rule:
    means = _MEANS[name]
    return Rule(f"{ROOM}.{name}", phrases, means.plan, means.acts, speaks=means.speaks)


def _row(value: Json) -> str | None:
    number = value.get("wakeup") if isinstance(value, Mapping) else None
    return f"R-{number}" if isinstance(number, int) else None


def _kinds(language: Language) -> tuple[Kind, ...]:
    zh = language == "zh-CN"
    what, question = ("交作业", "跑完了没") if zh else ("to hand in the report", "whether it ran")
    when = ("明天早上8点", "每周五下午三点") if zh else ("tomorrow at 8am", "every friday at 3pm")
    return (
        Kind("when", lambda words: words if spoken(words) is not None else None, when),
        Kind("span", lambda words: words if tending.span_of(words) is not None else None, ("两小时",) if zh else ("two hours",)),
        Kind("number", _number, ("3",)),
        Kind("numbers", lambda words: words if _NUMBERS.fullmatch(words) else None, ("3号和4号",) if zh else ("3 and 4",)),
        Kind("row", _row_number, ("R-3",)),
        Kind("what", _cached(lambda words: kept(words, language)), (what,), loose=True),
        Kind("before", _cached(lambda words: kept_before_time(words, language)), (what,), loose=True),
        Kind("question", _cached(lambda words: kept(words, language, asking=True)), (question,), loose=True),
        Kind(
            "off",
            lambda words: words.strip(" ,，") if days_off(words) is not None else None,
            ("周末除外",) if zh else ("except sundays",),
        ),
        Kind("about", _cached(_about), ("作业",) if zh else ("homework",), loose=True),
    )


def _cached(read: Callable[[str], str | None]) -> Callable[[str], str | None]:
    return lru_cache(maxsize=KEPT)(read)


def _number(words: str) -> str | None:
    return str(zh_number(words)) if _NUMERAL.fullmatch(words) else None


def _row_number(words: str) -> str | None:
    found = _ROW.fullmatch(words)
    return None if found is None else found[1]


def _about(words: str) -> str | None:
    plain = unquoted(words)
    if not 0 < len(plain) <= MOST_ABOUT or has_quotes(plain):
        return None
    if plain == words and (_NO_ABOUT.search(plain) or holds_time(plain) or ends_with_days_off(plain) or taken_back(plain)):
        return None
    return _ARTICLE.sub("", plain) or None


_MEANS: Mapping[str, _Means] = {
    "remind": _Means(asking.book("remind"), "draft", "words"),
    "ask": _Means(asking.book("ask"), "draft", "question"),
    "untimed": _Means(asking.untimed),
    "of_nothing": _Means(asking.of_nothing),
    "list": _Means(tending.listed),
    "show": _Means(tending.shown),
    "cancel": _Means(tending.cancel, "draft"),
    "not_that": _Means(tending.cancel, "draft", "no"),
    "cancel_only": _Means(tending.cancel_only, "draft", "no"),
    "no_need": _Means(tending.cancel_only, "draft", "no"),
    "cancel_all": _Means(tending.cancel_all, "draft"),
    "no_need_at_all": _Means(tending.cancel_all, "draft", "no"),
    "cancel_every_one": _Means(tending.cancel_every_one, "draft"),
    "keep": _Means(tending.keep),
    "cancel_about": _Means(tending.cancel_about, "draft"),
    "no_need_about": _Means(tending.cancel_about, "draft", "no"),
    "move": _Means(tending.move, "draft"),
    "move_only": _Means(tending.move_only, "draft"),
    "later": _Means(tending.shift(1), "draft"),
    "earlier": _Means(tending.shift(-1), "draft"),
    "jobs": _Means(watching.jobs),
    "job": _Means(watching.job),
    "cancel_job": _Means(watching.cancel_job, "own"),
    "stop_job": _Means(watching.cancel_job, "own", "no"),
    "cancel_which_task": _Means(watching.cancel_which_task, "own"),
}
