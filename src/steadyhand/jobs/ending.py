"""Decides what the end of a job leaves: its result on record, then one inbound for its session and, by its delivery, one message. It must not run one.

The result is stored first and told in a second transaction, so that nothing that goes wrong with the telling can lose it:
what has ended and was not told is told later, once. Functions here are given a transaction; they await nothing.
"""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from steadyhand.core.canonical import Json, legible
from steadyhand.core.delivery import Delivery
from steadyhand.core.errors import Param
from steadyhand.core.ids import JobId, UserId
from steadyhand.core.language import Language, has, say
from steadyhand.jobs.outcomes import Cancelled, Done, Failed, Killed, Outcome, OutOfMemory, TimedOut, TooMuchOutput
from steadyhand.store import Tx
from steadyhand.store.later import jobs
from steadyhand.store.later.jobs import Job, State
from steadyhand.store.people import people
from steadyhand.store.sessions import conversations, inbox, outbox
from steadyhand.store.sessions.conversations import Said

LARGE = "large"
"""Under this key a result's data says where the whole is, when it was too large for its row."""
MOST_STARTS = 2
"""Work that may be repeated is begun at most so often."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a job ended. *for_llm* and *for_user* are what it found, also when it did not come to its end.

    *reason* is a stable code whose text is ``job.reason.<code>`` or ``error.<code>.summary``, with *params*.
    """

    state: State
    for_llm: str = ""
    for_user: str = ""
    data: Json = None
    reason: str = ""
    params: Mapping[str, Param] = field(default_factory=dict[str, Param])

    def to_json(self) -> dict[str, Json]:
        """Return what is stored as the job's result."""
        params: Json = {name: legible(value) if isinstance(value, str) else value for name, value in self.params.items()}
        texts: dict[str, Json] = {"for_llm": legible(self.for_llm), "for_user": legible(self.for_user)}
        return {**texts, "data": self.data, "params": params}


def of_outcome(outcome: Outcome) -> Ended:
    """Return what the run of a body has come to."""
    match outcome:
        case Done(result=result):
            return _returned(result)
        case Failed(code=code, params=params):
            return Ended("failed", reason=code, params=params)
        case TimedOut(seconds=seconds):
            return Ended("timed_out", reason="job_timed_out", params={"seconds": seconds})
        case OutOfMemory(memory_mib=memory_mib):
            return Ended("failed", reason="job_out_of_memory", params={"memory_mib": memory_mib})
        case TooMuchOutput(output_bytes=output_bytes):
            return Ended("failed", reason="job_too_much_output", params={"output_bytes": output_bytes})
        case Cancelled():
            return Ended("cancelled", reason="job_cancelled")
        case Killed(signal=signal, exit_code=exit_code):
            return Ended("failed", reason="job_killed", params={"signal": signal, "exit_code": exit_code})


def _returned(result: Json) -> Ended:
    """Return a body's result: its texts where it names them, everything else as data."""
    if not isinstance(result, Mapping):
        return Ended("done", data=result)
    texts = [value if isinstance(value := result.get(name), str) else "" for name in ("for_llm", "for_user")]
    rest: Json = {name: value for name, value in result.items() if name not in ("for_llm", "for_user")}
    return Ended("done", *texts, data=rest or None)


def end(tx: Tx, user: UserId, job: JobId, token: str | None, ended: Ended) -> Job | None:
    """Store how a job ended that still runs under *token* (None: that is queued); None when it is no longer so.

    What a job has started itself does not outlive one that was broken off.
    """
    people.hold_user(tx, user)
    row = jobs.by_id(tx, user, job)
    if row is None or row.owner_token != token or row.state != ("queued" if token is None else "running"):
        return None
    columns = {"owner": None, "owner_token": None, "lease_until": None}
    stored = jobs.change(tx, row, state=ended.state, result=ended.to_json(), reason=ended.reason, ended_at=tx.now(), **columns)
    if not stored:
        return None
    if ended.state in ("cancelled", "timed_out", "unknown"):
        for child in jobs.children(tx, user, job):
            stop(tx, user, child.id)
    return jobs.by_id(tx, user, job)


def stop(tx: Tx, user: UserId, job: JobId) -> Job | None:
    """End a queued job now, and ask one that runs to end, with all that it has started; None when there is none such."""
    people.hold_user(tx, user)
    row = jobs.by_id(tx, user, job)
    while row is not None and row.state in ("queued", "running") and not row.cancel_asked:
        if row.state == "queued":
            ended = end(tx, user, job, None, Ended("cancelled", reason="job_cancelled"))
            if ended is not None:
                tell(tx, ended)
        elif jobs.change(tx, row, cancel_asked=True):
            for child in jobs.children(tx, user, job):
                stop(tx, user, child.id)
        row = jobs.by_id(tx, user, job)
    return row


def settle_lost(tx: Tx, user: UserId, job: JobId, token: str | None) -> Job | None:
    """Settle a job whose process is gone: queued again where that is safe, else told as unknown; None when it moved meanwhile.

    One that had not started is safe; so is, once, one that had and may be repeated. Everything else may have had its effect.
    """
    people.hold_user(tx, user)
    row = jobs.by_id(tx, user, job)
    if row is None or row.state != "running" or row.owner_token != token:
        return None
    begun = row.started_at is not None
    if row.cancel_asked and (row.repeatable or not begun):
        return _ended_and_told(tx, row, Ended("cancelled", reason="job_cancelled"))
    if begun and not (row.repeatable and row.attempt < MOST_STARTS):
        return _ended_and_told(tx, row, Ended("unknown", reason="job_lost"))
    attempt = row.attempt if begun else row.attempt - 1
    columns = {"owner": None, "owner_token": None, "lease_until": None, "started_at": None, "progress": None}
    jobs.change(tx, row, state="queued", attempt=attempt, **columns)
    return jobs.by_id(tx, user, job)


def _ended_and_told(tx: Tx, row: Job, ended: Ended) -> Job | None:
    found = end(tx, row.user_id, row.id, row.owner_token, ended)
    if found is not None:
        tell(tx, found)
    return found


def tell(tx: Tx, row: Job) -> bool:
    """Hand the end of a job to its session, once; tell whether this call did so.

    It becomes one inbound. With a delivery to the person the message is owed at once; one that goes to no agent is settled with
    that, so that it wakes nothing. Where the session is gone there is nobody to tell.
    """
    if not jobs.change(tx, row, told_at=tx.now()):
        return False
    user, session = row.user_id, row.session_id
    if conversations.find_session(tx, user, session) is None:
        return True
    language = people.require_user(tx, user).language
    delivery = delivery_of(row)
    text = told(row, language)
    inbound, new = inbox.accept(tx, user, session, "job", _body(row, text, language), f"job:{row.id}")
    if new and delivery in ("user", "both"):
        owe(tx, row.user_id, inbound)
    if new and delivery in ("user", "none"):
        inbox.start(tx, user, [inbound.id], row.id)
        inbox.settle(tx, user, row.id)
    return True


def owe(tx: Tx, user: UserId, inbound: inbox.Inbound) -> None:
    """Let the person of the session be owed what the inbound of a finished job tells them; a second time nothing is."""
    body = cast("Mapping[str, Any]", inbound.body)
    owed = outbox.owe(
        tx,
        user,
        inbound.session_id,
        body["job"],
        body["told"],
        source="job",
        data={"job": body["number"], "state": body["state"]},
    )
    if owed is not None:
        conversations.add(tx, user, inbound.session_id, [Said(owed.id, "assistant", owed.content, "job", body["job"])])


def owe_instead(tx: Tx, user: UserId, inbound: inbox.Inbound) -> None:
    """Let the person be owed an end that was meant for an agent alone and that none has read: it is not lost with its turn."""
    if inbound.source == "job" and cast("Mapping[str, Any]", inbound.body)["delivery"] == "parent":
        owe(tx, user, inbound)


def _body(row: Job, text: str, language: Language) -> Json:
    return {
        "job": row.id,
        "number": row.number,
        "title": row.title,
        "kind": row.kind,
        "state": row.state,
        "delivery": delivery_of(row),
        "told": text,
        "why": why(row, language),
        "for_user": result_of(row)["for_user"],
        "for_llm": for_llm(row, language),
        "reply_to": row.reply_to,
    }


def delivery_of(row: Job) -> Delivery:
    """Return to whom the end of a job goes."""
    return cast("Delivery", cast("Mapping[str, Any]", row.reply_to or {}).get("delivery", "user"))


def result_of(row: Job) -> Mapping[str, Any]:
    """Return the result of a job, with empty texts where it has none."""
    empty: dict[str, Any] = {"for_llm": "", "for_user": "", "data": None, "params": {}}
    return empty | cast("dict[str, Any]", row.result or {})


def for_llm(row: Job, language: Language) -> str:
    """Return what an agent reads of a job's result: its text, else its data."""
    result = result_of(row)
    text, data = cast("str", result["for_llm"]), result["data"]
    if text or data is None:
        return "\n".join(part for part in (text, _large(row, language)) if part)
    return shown_data(data)


def _large(row: Job, language: Language) -> str:
    """Say where the whole of a result is that was too large for its row."""
    data = result_of(row)["data"]
    large = cast("Mapping[str, Any]", data).get(LARGE) if isinstance(data, Mapping) else None
    if large is None:
        return ""
    return say(language, "job.large" if "file" in large else "job.larger", **large)


def shown_data(data: Json) -> str:
    """Return data as a text that an agent can read."""
    import json  # noqa: PLC0415  # standing here alone, where a value is written for reading and not for keeping

    return json.dumps(data, ensure_ascii=False, sort_keys=True)


def why(row: Job, language: Language) -> str:
    """Return why a job ended as it did, in words; empty for one that is done."""
    if not row.reason:
        return ""
    params = result_of(row)["params"]
    for message in (f"job.reason.{row.reason}", f"error.{row.reason}.summary"):
        if has(language, message):
            with contextlib.suppress(KeyError):  # a child names its failure itself, and may leave out what the text wants
                return say(language, message, **params)
    return say(language, "error.job_failed.summary")


def told(row: Job, language: Language) -> str:
    """Return what a person is told of a job's end: one line, and behind it what it has for them."""
    line = say(language, f"job.told.{row.state}", number=row.number, title=row.title, reason=why(row, language))
    return "\n".join(part for part in (line, result_of(row)["for_user"].rstrip(), _large(row, language)) if part)
