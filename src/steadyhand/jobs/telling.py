"""Decides how a job is put in words for somebody who asks after it. It must not decide who may ask."""

from collections.abc import Mapping
from typing import Any, cast

from steadyhand.core.canonical import Json
from steadyhand.core.language import Language, say
from steadyhand.core.visible import visible
from steadyhand.jobs import ending
from steadyhand.store.later.jobs import ENDED, Job


def line(row: Job, language: Language) -> str:
    """Return a job on one line: number, title, state, and how far it is."""
    state = say(language, f"job.state.{row.state}")
    far = "" if row.state in ENDED else progress(row, language)
    return say(language, "job.row", number=row.number, title=visible(row.title, keep=""), state=state, progress=far)


def progress(row: Job, language: Language) -> str:
    """Return how far a job is; empty when it has not said so."""
    far = cast("Mapping[str, Any] | None", row.progress)
    if far is None:
        return ""
    note = f", {visible(far['note'], keep='')}" if far["note"] else ""
    return say(
        language, "job.progress.of" if far["total"] else "job.progress.counted", done=far["done"], total=far["total"], note=note
    )


def whole(row: Job, language: Language) -> str:
    """Return a job with what it came to."""
    if row.state not in ENDED:
        return line(row, language)
    return "\n".join(part for part in (line(row, language), ending.why(row, language), ending.for_llm(row, language)) if part)


def cancelling(row: Job, language: Language) -> str:
    """Say what came of the wish to cancel a job, by how it stands after it."""
    if row.state == "running":
        key = "job.cancel_asked"
    elif row.state == "cancelled" and row.started_at is None:
        key = "job.cancelled_now"
    else:
        key = "job.cancel_too_late"
    return say(language, key, number=row.number, title=visible(row.title, keep=""), state=say(language, f"job.state.{row.state}"))


def job_json(row: Job) -> dict[str, Json]:
    """Return a job for code."""
    return {
        "id": row.id,
        "number": row.number,
        "kind": row.kind,
        "title": row.title,
        "session": row.session_id,
        "state": row.state,
        "reason": row.reason,
        "progress": row.progress,
        "cancel_asked": row.cancel_asked,
        "delivery": ending.delivery_of(row),
        "result": row.result,
        "attempt": row.attempt,
        "depth": row.depth,
        "created_at": row.created_at,
        "started_at": row.started_at,
        "ended_at": row.ended_at,
        "told_at": row.told_at,
    }
