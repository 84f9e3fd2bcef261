"""Decides how the reading of a foreign file is addressed as a job; it must not decide what is read.

It runs in a child, which waits for each import: the readers of each kind of file come with the first such file.
"""

from collections.abc import Sequence
from datetime import date
from typing import cast

from steadyhand.core.canonical import Json
from steadyhand.domains.schedule.imports.detecting import kind_of
from steadyhand.domains.schedule.term.records import Term, TimeScale
from steadyhand.jobs.bodies import Arguments, Report, body


@body
def read_courses(arguments: Arguments, payload: bytes, report: Report) -> Json:
    """Read a calendar, a table, a school's export or an app's.

    *arguments* are ``zone`` (``own_zone``: only where the file names none); when the term is known ``first`` and ``last``
    (ISO dates) and ``weeks``; and ``unsaid``, the weeks of rows that say none.
    """
    if kind_of(payload) != "calendar":
        from steadyhand.domains.schedule.imports.schools.registry import read_file  # noqa: PLC0415  # see the module's docstring

        weeks = cast("int | None", arguments.get("weeks"))
        return {"lessons": read_file(payload, weeks, cast("str", arguments.get("unsaid", ""))).to_json()}
    from steadyhand.domains.schedule.imports import reader  # noqa: PLC0415  # as above
    from steadyhand.domains.schedule.imports.same_name import by_name  # noqa: PLC0415  # as above

    first, last = cast("str | None", arguments.get("first")), cast("str | None", arguments.get("last"))
    span = (date.fromisoformat(first), date.fromisoformat(last)) if first and last else None
    zone, own_zone = cast("str", arguments["zone"]), arguments.get("own_zone") is True
    return {"calendar": by_name(reader.read(payload, zone, span, report, own_zone=own_zone)).to_json()}


@body
def read_tasks(arguments: Arguments, payload: bytes, report: Report) -> Json:
    """Read a list or a *table* of tasks for a term that begins on ``first``, has ``weeks`` and the time scale ``slots``."""
    from steadyhand.domains.schedule.imports import task_file  # noqa: PLC0415  # as above

    del report
    slots = tuple((begin, end) for begin, end in cast("Sequence[tuple[str, str]]", arguments["slots"]))
    first, weeks = date.fromisoformat(cast("str", arguments["first"])), cast("int", arguments["weeks"])
    term = Term(0, "", "UTC", first, weeks, TimeScale("", slots))
    found = task_file.read(payload, term, cast("str", arguments["category"]), table=arguments["table"] is True)
    return task_file.to_json(found)
