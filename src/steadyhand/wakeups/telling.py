"""Decides the words that code says for wake-ups, to the person and to the woken turn. It must not tell a person the reason that was noted."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from steadyhand.core.canonical import Json, digest
from steadyhand.core.clock import from_text, local, to_text
from steadyhand.core.ids import SessionId, new_id
from steadyhand.core.language import Language, say
from steadyhand.session.speaking import PROACTIVE
from steadyhand.store import Tx
from steadyhand.store.later.wakeups import Wakeup
from steadyhand.store.people import people
from steadyhand.store.sessions import conversations, outbox
from steadyhand.store.sessions.conversations import Said
from steadyhand.wakeups.judging import IN_TIME, Rules, Why
from steadyhand.wakeups.times import rhythm_of

TRIGGERS: Mapping[str, str] = {"followup": "scheduled_followup", "cron": "cron"}
UNITS = (("days", 2 * 24 * 60), ("hours", 60), ("minutes", 1))
"""Spans of time as they are said, each from so many minutes on."""
MOST_NAMED = 3
LONGEST_SHOWN = 80
LOOKED_AT = 60


def moment(at: str, zone: str, language: Language) -> str:
    """Write a moment as people read it, in a zone."""
    here = local(from_text(at), zone)
    weekday = say(language, f"agent.weekday.{here.isoweekday()}")
    return say(language, "wakeups.moment", date=f"{here:%Y-%m-%d}", weekday=weekday, time=f"{here:%H:%M}")


def rhythm(row: Wakeup, language: Language) -> str:
    """Write when a row comes: once, or again and again."""
    found = rhythm_of(row.rhythm, row.zone)
    if found is None:
        return say(language, "wakeups.once")
    if found.kind == "cron":
        return say(language, "wakeups.by_cron", expression=found.expression, zone=row.zone)
    seconds = int(found.seconds)
    for unit, size in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if seconds % size == 0:
            return say(language, f"wakeups.every_{unit}", n=seconds // size)
    return say(language, "wakeups.every_seconds", n=seconds)


def late(tx: Tx, row: Wakeup, language: Language) -> str:
    """Say that a row comes late, and for when it was meant; nothing where it is in time."""
    behind = tx.clock.now() - from_text(row.meant_at)
    if behind < IN_TIME:
        return ""
    minutes = int(behind / timedelta(minutes=1))
    unit, n = next((unit, minutes // size) for unit, size in UNITS if minutes >= size)
    at = moment(row.meant_at, people.require_user(tx, row.user_id).zone, language)
    return say(language, "wakeups.late", at=at, by=say(language, f"wakeups.span.{unit}", n=n))


def not_done(tx: Tx, row: Wakeup, language: Language, reason: str, ran: str, again: datetime | None) -> str:
    """Say which timed task could not be done, for when it was meant, and when it comes again."""
    zone = people.require_user(tx, row.user_id).zone
    named = {"number": row.number, "words": words(row), "at": moment(row.meant_at, zone, language), "reason": reason, "ran": ran}
    if again is None:
        return say(language, "wakeups.not_done", **named)
    return say(language, "wakeups.not_done_again", **named, next=moment(to_text(again), zone, language))


def words(row: Wakeup) -> str:
    """Return what a row is known by: what was promised, else its name."""
    return row.assistant_commitment_text or row.name or row.text


def tail_block(tx: Tx, row: Wakeup, language: Language) -> str:
    """Return the block at the tail of a woken turn."""
    zone = people.require_user(tx, row.user_id).zone
    at = f"{moment(row.meant_at, zone, language)} ({zone})"
    if row.family == "cron":
        text = say(language, "wakeups.block.cron", trigger_at=at, name=row.name, text=row.text)
    else:
        text = say(
            language,
            "wakeups.block.followup",
            trigger_at=at,
            followup_reason=row.followup_reason,
            assistant_commitment_text=row.assistant_commitment_text,
        )
        text += _named_messages(tx, row, language)
    inside = text.strip().replace("system-reminder>", "system-reminder >")  # what was noted cannot end the block
    return f"<system-reminder>\n{inside}\n</system-reminder>"


def _named_messages(tx: Tx, row: Wakeup, language: Language) -> str:
    """Name the person's last messages, so that one of them can be replied to."""
    session = row.session_id
    entries = [] if session is None else conversations.history(tx, row.user_id, session, LOOKED_AT)
    said = [entry for entry in entries if entry.source == "person"][-MOST_NAMED:]
    lines = [f"- {entry.id}: {' '.join(entry.content.split())[:LONGEST_SHOWN]}" for entry in said]
    return "\n\n" + say(language, "wakeups.block.messages", lines="\n".join(lines)) if lines else ""


def correction(language: Language) -> str:
    """Return what a plain text of a woken turn is answered with."""
    return f"<system-reminder>\n{say(language, 'wakeups.block.correction')}\n</system-reminder>"


def due(tx: Tx, row: Wakeup, turn: str, language: Language) -> None:
    """Owe the person what a due wake-up says without a model: its exact text, or the promise in the catalogue's form."""
    text = row.text if row.kind == "text" else say(language, "wakeups.due", commitment=row.assistant_commitment_text)
    _owe(tx, row, turn, "\n".join(part for part in (late(tx, row, language), text) if part))


def broken_off(tx: Tx, row: Wakeup, language: Language) -> None:
    """Tell the person that a wake-up was broken off while it ran, and is not run again."""
    _owe(tx, row, new_id("told"), say(language, "wakeups.broken_off", number=row.number, words=words(row)))


def skipped(tx: Tx, row: Wakeup, why: Why, rules: Rules) -> None:
    """Tell the person that a wake-up was skipped; that the day is full, once a day. In quiet hours it is told when they end."""
    user = people.require_user(tx, row.user_id)
    now, language = tx.clock.now(), user.language
    at = moment(row.meant_at, user.zone, language)
    text, turn = say(language, "wakeups.skipped.late", number=row.number, at=at, words=words(row)), new_id("told")
    if why == "cap":
        text = say(language, "wakeups.skipped.cap", most=rules.most_per_day)
        turn = f"cap:{local(now, user.zone):%Y-%m-%d}:{digest(row.session_id)[:12]}"
    until = None if rules.quiet is None or row.exact else rules.quiet.ends(now, user.zone)
    _owe(tx, row, turn, text, None if until is None else to_text(until))


def kept_with(row: Wakeup) -> Json:
    """Return what is kept with a message that a wake-up sends."""
    return {"trigger_source": TRIGGERS[row.family], "wakeup": row.number}


def _owe(tx: Tx, row: Wakeup, turn: str, text: str, not_before: str | None = None) -> None:
    session = row.session_id
    if session is None or row.delivery == "none":
        return
    data = kept_with(row)
    people.ensure_session(tx, row.user_id, SessionId(session), "terminal")
    owed = outbox.owe(tx, row.user_id, session, turn, text, source=PROACTIVE, data=data)
    if owed is None:
        return
    if not_before is not None:
        outbox.move(tx, owed, "queued", next_at=not_before)
    conversations.add(tx, row.user_id, session, [Said(owed.id, "assistant", text, PROACTIVE, turn, data=data)])
