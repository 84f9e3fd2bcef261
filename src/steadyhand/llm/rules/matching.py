"""Decides which rule a message means: one that covers all of it, or none. It must not run the rule, and must not choose between two."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from steadyhand.core.language import Language
from steadyhand.llm.rules.book import ReadyRule, Rule
from steadyhand.llm.rules.pattern import MAX_READINGS, lowered
from steadyhand.llm.rules.said import LATIN, MAX_CLAUSES, MAX_SIGNS, Clause, Said, said, without

Why: TypeAlias = Literal["empty", "long", "unknown", "two_meanings", "negated", "supposed", "asked"]


@dataclass(frozen=True, slots=True)
class Meant:
    """One clause that a rule covers, with every reading of its slots, and the fewest signs that stand in loose ones."""

    rule: Rule
    text: str
    readings: tuple[Mapping[str, str], ...]
    loose: int


@dataclass(frozen=True, slots=True)
class Unmet:
    """Why nothing is done: *words* is the clause, or the word in it, that decides so; *rules* are those that it could mean."""

    why: Why
    words: str
    rules: tuple[Rule, ...] = ()
    negated: bool = False


def understand(
    text: str, usual: Language, rules: Mapping[Language, Sequence[ReadyRule]]
) -> tuple[Language, "tuple[Meant, ...] | Unmet"]:
    """Read a message whole: as one clause, or as several that are each understood, in their order.

    One with signs of both scripts is read by its Chinese words first, and by English ones where those do not know it.
    """
    message = said(text, usual)
    if not message.text:
        return usual, Unmet("empty", "")
    if len(message.text) > MAX_SIGNS:
        return message.language, Unmet("long", message.text)
    meant = _read(message, rules[message.language])
    if isinstance(meant, Unmet) and meant.why == "unknown" and message.language == "zh-CN" and LATIN.search(message.text):
        other = _read(said(text, usual, "en"), rules["en"])
        if not isinstance(other, Unmet) or other.why != "unknown":
            return "en", other
    return message.language, meant


def _read(message: Said, rules: Sequence[ReadyRule]) -> "tuple[Meant, ...] | Unmet":
    """Read the message as one clause, or as several where those leave less to loose words."""
    whole = _clause(message, message.clause, rules)
    blamed = whole if isinstance(whole, Unmet) else None
    for weakly in (False, True):
        clauses = message.split(weakly=weakly)
        if not 1 < len(clauses) <= MAX_CLAUSES:
            continue
        found = [_clause(message, clause, rules) for clause in clauses]
        meant = tuple(one for one in found if isinstance(one, Meant))
        if len(meant) < len(found):
            if blamed is not None and blamed.why == "unknown" and meant:
                blamed = next(one for one in found if isinstance(one, Unmet))
        elif isinstance(whole, Unmet) or sum(one.loose for one in meant) < whole.loose:
            return _several(message, whole, meant, weakly=weakly)
    return (whole,) if isinstance(whole, Meant) else blamed or whole


def _several(message: Said, whole: Meant | Unmet, meant: Sequence[Meant], *, weakly: bool) -> "tuple[Meant, ...] | Unmet":
    """Return the clauses that do or tell something; where one may take another back, or be part of its words, that is not certain."""
    rules = tuple(one.rule for one in meant)
    acting = next((place for place, rule in enumerate(rules) if rule.acts), len(rules))
    telling = tuple(one for one in meant if not one.rule.talk)
    kept = isinstance(whole, Meant) and whole.rule.keeps and not all(one.rule.keeps for one in telling)
    refusing = weakly and any(rule.acts and rule.speaks == "no" for rule in rules)
    part = refusing and not all(one.rule.acts or one.rule.speaks == "no" for one in telling)
    if kept or part or any(rule.speaks == "no" for rule in rules[acting + 1 :]):
        return Unmet("two_meanings", message.text, rules)
    return telling or tuple(meant[:1])


def _clause(message: Said, clause: Clause, rules: Sequence[ReadyRule]) -> Meant | Unmet:
    found = _covering(clause, rules)
    if not found:
        return _unknown(message, clause, rules)
    least = min(one.loose for one in found)
    closest = [one for one in found if one.loose == least]
    withheld: list[Why] = [why for one in closest if (why := _withheld(message, clause, one.rule)) is not None]
    open_ones = [one for one in closest if _withheld(message, clause, one.rule) is None]
    if not open_ones:
        why = withheld[0]
        return Unmet(why, {"negated": message.negated, "supposed": message.supposed}.get(why, clause.whole))
    if len({one.rule.name for one in open_ones}) > 1:
        return Unmet("two_meanings", clause.whole, tuple({one.rule.name: one.rule for one in open_ones}.values()))
    return open_ones[0]


def _unknown(message: Said, clause: Clause, rules: Sequence[ReadyRule]) -> Unmet:
    """Say what keeps a clause from being understood: that it only negates or supposes what would act, or that nobody knows it."""
    if message.negated and any(one.rule.acts for one in _covering(without(clause, message), rules)):
        return Unmet("negated", message.negated)
    return (
        Unmet("supposed", message.supposed) if message.supposed else Unmet("unknown", clause.whole, negated=bool(message.negated))
    )


def _withheld(message: Said, clause: Clause, rule: Rule) -> Why | None:
    """Say why a rule that acts is not followed here: negation first, then supposition, then a question."""
    if not rule.acts:
        return None
    outside = message.outside(clause) if rule.speaks else message
    if outside.negated:
        return "negated"
    if (outside if rule.keeps else message).supposed:
        return "supposed"
    asks = {"words": clause.ends_asking, "question": False}.get(rule.speaks, clause.asks)
    if asks and not (clause.polite and rule.acts == "draft"):
        return "asked"
    return "asked" if clause.polite and rule.acts != "draft" else None


def _covering(clause: Clause, rules: Sequence[ReadyRule]) -> list[Meant]:
    """Return every rule that covers one of the clause's forms, its readings from the fewest loose signs to the most."""
    forms = [(form, lowered(form)) for form in clause.forms]
    found: list[Meant] = []
    for ready in rules:
        readings = [reading for form, low in forms for pattern in ready.patterns for reading in pattern.readings(form, low)]
        if readings:
            readings.sort(key=lambda reading: reading.loose)
            slots = [reading.slots for reading in readings]
            distinct = tuple(one for place, one in enumerate(slots) if one not in slots[:place])
            found.append(Meant(ready.rule, clause.whole, distinct[:MAX_READINGS], readings[0].loose))
    return found
