"""Decides how changes and sessions are asked about without a model, and how the answers are told. It must not decide a change.

A yes or a no is read by code before any provider is asked; one that comes as far as here decided nothing, and that is what it is told.
"""

import re
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, cast

from steadyhand.core.canonical import Json
from steadyhand.core.ids import change_name, parse_change_name
from steadyhand.core.language import LANGUAGES, Language
from steadyhand.llm.rules.book import Acts, Answer, Asked, Call, Looks, Outcome, PhraseBook, Plan, Rule, Steps, finished
from steadyhand.llm.rules.pattern import Kind
from steadyhand.llm.rules.said import has_quotes, unquoted
from steadyhand.session import phrases_en, phrases_zh
from steadyhand.session.decisions import ACCEPT
from steadyhand.session.reading import answer

ROOM = "session"
MOST_WORDS = 60
MOST_LISTED = 20
_TABLES: Mapping[Language, ModuleType] = {"zh-CN": phrases_zh, "en": phrases_en}


def session_phrases() -> tuple[PhraseBook, ...]:
    """Return what can be said about changes and sessions, a book for each language."""
    return tuple(_book(language) for language in LANGUAGES)


def _book(language: Language) -> PhraseBook:
    table: Mapping[str, Sequence[str]] = _TABLES[language].PHRASES
    rules = tuple(
        Rule(f"{ROOM}.{name}", tuple(phrases), *_PLANS[name], speaks="no" if name == "decision" else "")
        for name, phrases in table.items()
    )
    return PhraseBook(ROOM, language, rules, _kinds(language), _TABLES[language].EXAMPLES, hints, {"change": _change_row})


def _change_row(value: Json) -> str | None:
    number = value.get("change") if isinstance(value, Mapping) else None
    return change_name(number) if isinstance(number, int) else None


# ---- what words can be -----------------------------------------------------------------------------------------------


def _kinds(language: Language) -> tuple[Kind, ...]:
    zh = language == "zh-CN"
    return (
        Kind("change", _change, ("C-3",)),
        Kind("decision", _decides, ("批准吧",) if zh else ("approve it",)),
        Kind("which", lambda words: words if _WHICH.fullmatch(words) else None, ("第一条",) if zh else ("the first one",)),
        Kind("title", _words, ("“期末”",) if zh else ('"finals"',), loose=True),
        Kind("key", _words, ("时间",) if zh else ("time",), loose=True),
        Kind("value", _words, ("晚上",) if zh else ("evenings",), loose=True),
    )


_JOINS = re.compile(r"[\n?!？！。;；,，]|\.\s|然后|并且|接着|\b(?:and|then|but)\b", re.IGNORECASE)
_WHICH = re.compile(
    r"第?[0-9一二三四五六七八九十]{1,3}(?:个|条|项)|(?:the )?(?:first|second|third|fourth|fifth|last)(?: one| change)?|number [0-9]{1,3}",
    re.IGNORECASE,
)


def _change(words: str) -> str | None:
    number = parse_change_name(words) if re.fullmatch(r"[cC]-?[0-9]{1,9}|#[cC]?-?[0-9]{1,9}", words) else None
    if number is None and re.fullmatch(r"[cC][0-9]{1,9}", words):
        number = int(words[1:])
    return None if number is None else str(number)


def _words(words: str) -> str | None:
    plain = unquoted(words)
    if not 0 < len(plain) <= MOST_WORDS or has_quotes(plain):
        return None
    return plain if plain != words or not _JOINS.search(plain) else None


# ---- changes ---------------------------------------------------------------------------------------------------------


def list_changes(asked: Asked) -> Steps:
    """List the person's changes, each with the line that code made of it."""
    (outcome,) = yield [Call("list_changes")]
    if not outcome.ok:
        return _refused(asked, outcome)
    rows = _labels(outcome)
    return Answer(_numbered(asked, "session.say.changes", rows) if rows else asked.say("session.say.no_changes"))


def _labels(outcome: Outcome) -> list[str]:
    shown = cast("Mapping[str, Any]", outcome.fields.get("choices") or {})
    return [row["label"] for row in cast("Sequence[Mapping[str, Any]]", shown.get("rows") or ())]


def _numbered(asked: Asked, head: str, rows: Sequence[str]) -> str:
    lines = [asked.say("session.say.row", n=place, text=text) for place, text in enumerate(rows[:MOST_LISTED], 1)]
    return "\n".join([asked.say(head, n=len(rows)), *lines])


def show_change(asked: Asked) -> Steps:
    """Show a change: the one that is named, or the only one that is open."""
    number = int(asked.slots["change"]) if "change" in asked.slots else None
    waiting = asked.rows("changes")
    if number is None and len(waiting) != 1:
        return (yield from _open_ones(asked))
    number = waiting[0]["number"] if number is None else number
    (outcome,) = yield [Call("show_change", {"number": number})]
    if not outcome.ok:
        return _refused(asked, outcome)
    return Answer(asked.say("session.say.shown", name=change_name(number)))


def propose_undo(asked: Asked) -> Steps:
    """Propose to take a change back."""
    number = int(asked.slots["change"])
    (outcome,) = yield [Call("propose_undo", {"number": number}, acts=True)]
    if not outcome.ok:
        return _refused(asked, outcome)
    return Answer(asked.say("session.say.undo_proposed", name=change_name(number)))


def _decides(words: str) -> str | None:
    """Return *words* that would decide if anything waited; "wait" says only that it may go on waiting."""
    found = answer(words)
    return words if found is not None and found.meant != "not_now" else None


def decision(asked: Asked) -> Steps:
    """Say that words which sound like a decision decided nothing, and how one is made."""
    return (yield from _open_ones(asked))


def _open_ones(asked: Asked) -> Looks[Answer]:
    yield from ()
    waiting = asked.rows("changes")
    if not waiting:
        return Answer(asked.say("session.say.nothing_waits"), well=False)
    lines = [asked.say("session.say.line", line=change["line"]) for change in waiting]
    return Answer("\n".join([asked.say("session.say.decided_nothing"), *lines, *_how(asked, waiting)]), well=False)


def _how(asked: Asked, waiting: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say how what waits is decided; where several wait, a bare yes is about none of them."""
    named = [(ACCEPT[change["state"]], change_name(change["number"])) for change in waiting if change["state"] in ACCEPT]
    if len(waiting) == 1 and named:
        return [asked.say("session.say.decide", name=named[0][1], command=named[0][0])]
    return [asked.say("session.say.several", commands=" · ".join(" ".join(one) for one in named))] if named else []


# ---- sessions, preferences, what is typed at the command line -------------------------------------------------------


def list_sessions(asked: Asked) -> Steps:
    """List the person's sessions."""
    (outcome,) = yield [Call("list_sessions")]
    if not outcome.ok:
        return _refused(asked, outcome)
    return Answer(_numbered(asked, "session.say.sessions", _labels(outcome)))


def rename_session(asked: Asked) -> Steps:
    """Give this session a name."""
    (outcome,) = yield [Call("rename_session", {"name": asked.slots["title"]}, acts=True)]
    return Answer(asked.say("session.say.named", name=asked.slots["title"])) if outcome.ok else _refused(asked, outcome)


def preferences(asked: Asked) -> Steps:
    """List what the person prefers."""
    (outcome,) = yield [Call("list_preferences")]
    if not outcome.ok:
        return _refused(asked, outcome)
    kept = cast("Mapping[str, str]", outcome.fields.get("preferences") or {})
    lines = [asked.say("session.say.preference", key=key, value=value) for key, value in kept.items()]
    return Answer("\n".join(lines) or asked.say("session.say.no_preferences"))


def remember(asked: Asked) -> Steps:
    """Keep what the person prefers."""
    kept = {"key": asked.slots["key"], "value": asked.slots["value"]}
    (outcome,) = yield [Call("remember", kept, acts=True)]
    return Answer(asked.say("session.say.remembered", **kept)) if outcome.ok else _refused(asked, outcome)


def forget(asked: Asked) -> Steps:
    """Let go of what the person preferred."""
    (outcome,) = yield [Call("forget", {"key": asked.slots["key"]}, acts=True)]
    if outcome.code == "not_found":
        return Answer(asked.say("session.say.not_remembered", key=asked.slots["key"]), well=False)
    return Answer(asked.say("session.say.forgotten", key=asked.slots["key"])) if outcome.ok else _refused(asked, outcome)


def _typed(message: str) -> Plan:
    """Return the plan that names the command which a person types for it."""

    def plan(asked: Asked) -> Steps:
        return (yield from finished(asked.say(f"session.say.typed.{message}")))

    return plan


def _refused(asked: Asked, outcome: Outcome) -> Answer:
    return Answer(outcome.text.strip() or asked.say("session.say.refused"), well=False)


def hints(asked: Asked) -> Looks[Sequence[str]]:
    """Return what fits while a change waits for a decision."""
    yield from ()
    waiting = asked.rows("changes")
    return [asked.say("session.say.hint", name=change_name(waiting[0]["number"]))] if waiting else []


_PLANS: Mapping[str, tuple[Plan, Acts]] = {
    "list_changes": (list_changes, ""),
    "show_change": (show_change, ""),
    "propose_undo": (propose_undo, "draft"),
    "decision": (decision, ""),
    "list_sessions": (list_sessions, ""),
    "rename_session": (rename_session, "own"),
    "open_session": (_typed("open_session"), ""),
    "delete_session": (_typed("delete_session"), ""),
    "preferences": (preferences, ""),
    "remember": (remember, "own"),
    "forget": (forget, "own"),
    "language": (_typed("language"), ""),
    "backup": (_typed("backup"), ""),
    "doctor": (_typed("doctor"), ""),
}
