"""Decides the one line that a person sees of a change, rendered from the record; it must never take words from a model."""

from collections.abc import Mapping, Sequence
from typing import cast

from steadyhand.core.canonical import Json, short
from steadyhand.core.ids import change_name
from steadyhand.core.language import Language, has, say
from steadyhand.gate.claims import claims_done
from steadyhand.gate.machine import State
from steadyhand.store.changes.changes import ChangeRow

TOLD_WITH_REASON = (
    State.DRAFTING,
    State.IN_REVIEW,
    State.REJECTED,
    State.WITHDRAWN,
    State.EXPIRED,
    State.STALE,
    State.INVALID,
    State.FAILED,
    State.UNKNOWN,
)


def target_label(row: ChangeRow, language: Language) -> str:
    """Return what the target is called in *language*; a name of several parts tells its *kind* first, ids behind."""
    message, kind = f"target.{row.domain}", row.target_name.partition(":")[0]
    return say(language, message, name=row.target_name, kind=kind) if has(language, message) else row.target_name


def reason(row: ChangeRow, language: Language) -> str:
    """Return the stored reason in words, or nothing when the record has none."""
    if row.reason is None:
        return ""
    stored = cast("Mapping[str, Json]", row.reason)
    cause = cast("Mapping[str, Json] | None", stored.get("cause"))
    text = _stored_text(row.domain, stored, language)
    return (
        text if cause is None else say(language, "gate.line.cause", reason=text, cause=_stored_text(row.domain, cause, language))
    )


def _stored_text(domain: str, stored: Mapping[str, Json], language: Language) -> str:
    """Return a stored reason in the words of its domain where it has some, else in those of all."""
    code, params = cast("str", stored["code"]), cast("Mapping[str, object]", stored["params"])
    own = f"{domain}.refusal.{code}"
    return say(language, own, **params) if has(language, own) else reason_text(code, params, language)


def reason_text(code: str, params: Mapping[str, object], language: Language) -> str:
    """Return a refusal or an error code in words; so is the *kind* of failure that a reason names."""
    kind = params.get("kind")
    if code == "provider_failed" and isinstance(kind, str) and has(language, f"error.{kind}.summary"):
        params = {**params, "kind": say(language, f"error.{kind}.summary")}
    for message in (f"refusal.{code}", f"error.{code}.summary"):
        if has(language, message):
            return say(language, message, **params)
    return say(language, "refusal.other", code=code)


def line(row: ChangeRow, language: Language) -> str:
    """Return the state line of a change, with its reason where there is one; a domain may have a line of its own for a state."""
    again = row.state == State.IN_REVIEW and row.reason is not None
    own = f"{row.domain}.line.{row.state}"
    text = say(
        language,
        own if has(language, own) else ("gate.line.in_review_again" if again else f"gate.line.{row.state}"),
        name=change_name(row.number),
        target=target_label(row, language),
        digest=short(row.seal_digest or row.spec_digest or ""),
        k=len(cast("Sequence[Json]", row.calls or [])),
        n=len(cast("Sequence[Json]", row.route or [])),
    )
    why = reason(row, language) if row.state in TOLD_WITH_REASON else ""
    return say(language, "gate.line.reason", line=text, reason=why) if why else text


def closing(reply: str, rows: Sequence[ChangeRow], language: Language) -> str:
    """Return *reply* with the state line of each change it is about below it.

    A reply that speaks of something done while none of them is verified gets the correcting line first.
    """
    parts = [reply.rstrip()] if reply.strip() else []
    if claims_done(reply) and not any(row.state == State.VERIFIED for row in rows):
        parts.append(say(language, "gate.correcting"))
    return "\n".join([*parts, *(line(row, language) for row in rows)])
