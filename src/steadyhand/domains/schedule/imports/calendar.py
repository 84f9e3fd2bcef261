"""Decides how a calendar file is read from here: in a child process, within limits, with progress and stop. It must not parse itself."""

from datetime import date

from steadyhand.domains.schedule.imports.body import read_calendar
from steadyhand.domains.schedule.imports.events import CalendarFile
from steadyhand.jobs.bodies import Arguments, name_of
from steadyhand.jobs.here import Limits, Progress, Stop, run_here
from steadyhand.jobs.outcomes import demand

READ_CALENDAR = name_of(read_calendar)


def _arguments(zone: str, span: tuple[date, date] | None) -> Arguments:
    return {"zone": zone, **({"first": span[0].isoformat(), "last": span[1].isoformat()} if span else {})}


def read_calendar_here(
    data: bytes,
    zone: str,
    span: tuple[date, date] | None = None,
    *,
    limits: Limits | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> CalendarFile:
    """Read *data* in a child and wait for it; see `reader.read`. Limits, stop and failures raise as `outcomes.demand` says."""
    outcome = run_here(READ_CALENDAR, _arguments(zone, span), data, limits=limits, progress=progress, stop=stop)
    return CalendarFile.from_json(demand(outcome))
