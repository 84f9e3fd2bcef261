"""Decides how a search is addressed as a job and what it reports; it must not decide what is found.

The payload is the timetable. A report carries the best answer when it is new, so that whoever asked keeps it when this process is ended.
"""

import json
import os
from typing import cast

from steadyhand.core.canonical import Json
from steadyhand.domains.schedule.arrange.attempts import Jobs
from steadyhand.domains.schedule.arrange.door import searched
from steadyhand.domains.schedule.arrange.explain import place_to_json
from steadyhand.domains.schedule.arrange.optimise import News
from steadyhand.domains.schedule.arrange.options import ArrangeOptions
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.jobs.bodies import Arguments, Report, body


@body
def arrange_aside(arguments: Arguments, payload: bytes, report: Report) -> Json:
    """Search an arrangement; *arguments* are ``options`` and, to do without the constraint solver, ``solver`` (false)."""
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):  # each thread would reserve address space, which is limited here
        os.environ[name] = "1"
    timetable = Timetable.from_json(json.loads(payload))
    jobs = Jobs.of(timetable, ArrangeOptions.from_json(arguments["options"]))

    told: list[News] = []

    def tell(news: News) -> None:
        better = not told or told[-1].attempt is not news.attempt
        told[:] = [news]
        report(news.done, news.total, json.dumps(news_to_json(news, places=better)))

    return searched(jobs, tell, solver=cast("bool | None", arguments.get("solver"))).to_json()


def news_to_json(news: News, *, places: bool) -> Json:
    """Return what is known so far as data, the places only on demand: most reports have no new ones."""
    known: dict[str, Json] = {"engine": news.attempt.engine, "cost": news.attempt.objective.total, "bound": news.bound}
    if not places:
        return known
    return {**known, "placed": [place_to_json(placement) for placement in news.attempt.placements.values()]}
