"""Decides which questions about parts can be asked without a model, and which tool answers each. It must only look."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from steadyhand.core.canonical import Json
from steadyhand.core.language import LANGUAGES, Language
from steadyhand.domains.cae.choice import KEY
from steadyhand.domains.cae.phrases import looking_en, looking_zh, taking_back
from steadyhand.domains.cae.phrases.kinds import FORMS
from steadyhand.llm.rules.book import Answer, Asked, Call, Looks, Outcome, PhraseBook, Plan, Rule, Steps
from steadyhand.llm.rules.pattern import Kind, lowered

ROOM: Final = "cae"
PAGE: Final = 50
_TABLES: Final = {"zh-CN": looking_zh, "en": looking_en}
_NAME: Final = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
_HELD: Final = ("axis", "labels", "length", "name", "point", "side")
_REGIONS: Final = {"sets": "set", "labels": "labels", "sides": "side", "planes": "plane", "boxes": "box", "everything": "all"}


def cae_phrases() -> tuple[PhraseBook, ...]:
    """Return what can be asked about parts, a book for each language."""
    return (*(_book(language) for language in LANGUAGES), *(_book_of_chosen(language) for language in LANGUAGES))


def _book_of_chosen(language: Language) -> PhraseBook:
    """Return what can be said of the part that the session is on. Without a term, no timetable has a step to take back either."""
    table = _TABLES[language]
    rule = Rule(f"{ROOM}.undo", table.UNDO, taking_back.plan, "draft")
    return PhraseBook(ROOM, language, (rule,), _kinds(language), table.EXAMPLES_OF_CHOSEN, hints, held=KEY, unless="term")


def _book(language: Language) -> PhraseBook:
    table = _TABLES[language]
    rules = tuple(Rule(f"{ROOM}.{name}", phrases, _plan(name)) for name, phrases in table.PHRASES.items())
    return PhraseBook(ROOM, language, rules, _kinds(language), table.EXAMPLES, rows={"part": _row})


def _row(value: Json) -> str | None:
    return value if isinstance(value, str) and "/" in value else None


def _kinds(language: Language) -> tuple[Kind, ...]:
    named = Kind("part", lambda words: _fitting(rf"{_NAME}(?:/{_NAME})?", words), ("plate", "main/plate"))
    path = Kind("path", lambda words: _fitting(rf"{_NAME}/{_NAME}", words), ("main/plate",))
    held = (_held(name, language) for name in _HELD)
    return (named, path, *held)


def _fitting(pattern: str, words: str) -> str | None:
    return words if re.fullmatch(pattern, words, re.ASCII) else None


def _held(name: str, language: Language) -> Kind:
    form = FORMS[name]

    def read(words: str) -> str | None:
        fits = re.fullmatch(form.pattern, lowered(words)) and form.read(words) is not None
        return words if fits else None

    return Kind(name, read, ((form.english or form.sample) if language == "en" else form.sample,))


def _plan(name: str) -> Plan:
    """Return the plan of a rule: one look, whose own words are the answer."""
    tool, _, what = name.partition(".")

    def plan(asked: Asked) -> Steps:
        about: dict[str, Any] = {"part": asked.slots["part"]} if "part" in asked.slots else {}
        if tool == "inspect_detail":
            kind, _, way = what.partition("_")
            about |= {"region": _region(_REGIONS[way], asked.slots), "kind": kind, "limit": PAGE}
        (outcome,) = yield [Call(tool, about)]
        return _counted(asked, what, outcome) if tool == "observe_part" else Answer(outcome.text, well=outcome.ok)

    return plan


def _counted(asked: Asked, what: str, outcome: Outcome) -> Answer:
    """Return the look's own words, the number that was asked for above them; of a part without geometry that it is not there yet."""
    if outcome.fields.get("target_exists") is False:
        choice = asked.part(KEY)
        name = asked.slots.get("part") or "/".join(str(choice[key]) for key in ("model", "part") if key in choice)
        return Answer(asked.say("cae.look.absent", name=name), well=False)
    summary = outcome.fields.get("summary")
    if not what or summary is None:
        return Answer(outcome.text, well=outcome.ok)
    number = asked.say(f"cae.phrases.count.{what}", nodes=summary["node_count"], elements=summary["element_count"])
    return Answer(f"{number}\n{outcome.text}")


def _region(way: str, slots: Mapping[str, str]) -> Mapping[str, Json]:
    held = {name: FORMS[name.rstrip("12")].read(words) for name, words in slots.items() if name.rstrip("12") in _HELD}
    match way:
        case "set":
            return {"set": held["name"]}
        case "plane":
            return {"plane": {"axis": held["axis"], "at": held["length"]}}
        case "box":
            pairs = [sorted(pair) for pair in zip(held["point1"], held["point2"], strict=True)]
            return {"box": {"minimum": [low for low, _ in pairs], "maximum": [high for _, high in pairs]}}
        case "all":
            return {"all": True}
        case _:
            return {way: held[way]}


def hints(asked: Asked) -> Looks[Sequence[str]]:
    """Return what can be said of the part that the session is on; nothing where none is chosen."""
    yield from ()
    choice = asked.context.get(KEY)
    module = cast("Mapping[str, str]", choice).get("module", "") if isinstance(choice, Mapping) else ""
    return [asked.say(f"cae.phrases.hint.{module}"), asked.say("cae.phrases.hint.look")] if module else []
