"""Decides how the reading of a calendar file is addressed as a job; it must not decide what is read."""

from datetime import date
from typing import cast

from steadyhand.core.canonical import Json
from steadyhand.domains.schedule.imports import reader
from steadyhand.jobs.bodies import Arguments, Report, body


@body
def read_calendar(arguments: Arguments, payload: bytes, report: Report) -> Json:
    """Read the bytes of a calendar file; *arguments* are ``zone`` and, when the term is known, ``first`` and ``last`` (ISO dates)."""
    first, last = cast("str | None", arguments.get("first")), cast("str | None", arguments.get("last"))
    span = (date.fromisoformat(first), date.fromisoformat(last)) if first and last else None
    return reader.read(payload, cast("str", arguments["zone"]), span, report).to_json()
