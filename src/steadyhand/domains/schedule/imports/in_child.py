"""Decides how a foreign file is read from here: in a child process, within limits, with progress and stop. It must not parse itself."""

from collections.abc import Mapping
from typing import cast

from steadyhand.core.canonical import Json
from steadyhand.domains.schedule.imports import body, task_file
from steadyhand.domains.schedule.imports.events import CalendarFile
from steadyhand.domains.schedule.imports.incoming import TaskList
from steadyhand.domains.schedule.imports.lesson_file import LessonFile
from steadyhand.domains.schedule.term.records import DAYS_IN_WEEK, Term
from steadyhand.jobs.bodies import Arguments, name_of
from steadyhand.jobs.here import Limits, Progress, Stop, run_here
from steadyhand.jobs.outcomes import demand

READ_COURSES = name_of(body.read_courses)
READ_TASKS = name_of(body.read_tasks)


def read_courses_here(
    data: bytes,
    zone: str,
    term: Term | None = None,
    *,
    own_zone: bool = False,
    unsaid: str = "",
    limits: Limits | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> CalendarFile | LessonFile:
    """Read *data* in a child and wait for it, for *term* when it is known. Limits, stop and failures raise as `outcomes.demand` says.

    Its times are in *zone*; with *own_zone* in the one that a calendar names, and in *zone* only when it names none.
    """
    arguments: Arguments = {"zone": zone, "own_zone": own_zone, "unsaid": unsaid, **(_known(term) if term else {})}
    outcome = run_here(READ_COURSES, arguments, data, limits=limits, progress=progress, stop=stop)
    found = cast("Mapping[str, Json]", demand(outcome))
    return CalendarFile.from_json(found["calendar"]) if "calendar" in found else LessonFile.from_json(found["lessons"])


def read_tasks_here(data: bytes, term: Term, category: str, *, table: bool, limits: Limits | None = None) -> TaskList:
    """Read a file of tasks in a child and wait for it; tasks that name no category belong to *category*."""
    slots: Json = [list(slot) for slot in term.scale.slots]
    arguments: Arguments = {**_known(term), "slots": slots, "category": category, "table": table}
    return task_file.from_json(demand(run_here(READ_TASKS, arguments, data, limits=limits)))


def _known(term: Term) -> Arguments:
    last = term.date_of(term.weeks, DAYS_IN_WEEK)
    return {"first": term.first_monday.isoformat(), "last": last.isoformat(), "weeks": term.weeks}
