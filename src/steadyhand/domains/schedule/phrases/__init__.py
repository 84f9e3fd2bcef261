"""Decides which phrases about the timetable a person can say without a model, and which examples fit how things stand. It holds no rule of the timetable."""

from collections.abc import Mapping, Sequence
from types import ModuleType

from steadyhand.core.canonical import Json
from steadyhand.core.language import LANGUAGES, Language, say
from steadyhand.domains.schedule.phrases import en, zh
from steadyhand.domains.schedule.phrases.hints import hints
from steadyhand.domains.schedule.phrases.kinds import kinds
from steadyhand.domains.schedule.phrases.plans import PLANS
from steadyhand.llm.rules.book import PhraseBook, Rule

ROOM = "schedule"
_TABLES: Mapping[Language, ModuleType] = {"zh-CN": zh, "en": en}


def schedule_phrases() -> tuple[PhraseBook, ...]:
    """Return what can be said about the timetable, a book for each language."""
    return tuple(_book(language) for language in LANGUAGES)


def _row(value: Json) -> str | None:
    return f"[{value}]" if isinstance(value, int) else None


def _book(language: Language) -> PhraseBook:
    table: Mapping[str, Sequence[str]] = _TABLES[language].PHRASES
    rules = tuple(Rule(f"{ROOM}.{name}", tuple(phrases), *PLANS[name]) for name, phrases in table.items())
    parts: tuple[str, ...] = _TABLES[language].KINDS_OF_PARTS
    start = (say(language, "schedule.say.hint.import"),)
    examples = _TABLES[language].EXAMPLES
    return PhraseBook(ROOM, language, rules, kinds(language, parts), examples, hints, {"task": _row}, needs="term", start=start)
