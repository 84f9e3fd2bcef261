"""Decides how jobs are asked after and cancelled without a model. It must not take a task of another kind for one."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from steadyhand.llm.rules.book import Answer, Asked, Call, Steps
from steadyhand.wakeups.asking import by_person, choose, not_here, refused

OPEN = ("queued", "running")
"""States of a job that has not ended."""


def jobs(asked: Asked) -> Steps:
    """List the jobs that have not ended."""
    (outcome,) = yield [Call("job_status")]
    if not outcome.ok:
        return refused(asked, outcome)
    rows = cast("Sequence[Mapping[str, Any]]", outcome.fields.get("jobs") or ())
    lines = dict(zip((row["number"] for row in rows), outcome.text.split("\n"), strict=False))
    running = [lines[row["number"]] for row in rows if row["state"] in OPEN]
    return Answer("\n".join(running) or asked.say("wakeups.say.no_jobs"))


def job(asked: Asked) -> Steps:
    """Tell how one job stands."""
    (outcome,) = yield [Call("job_status", {"number": int(asked.slots["number"])})]
    return Answer(outcome.text) if outcome.ok else refused(asked, outcome)


def cancel_job(asked: Asked) -> Steps:
    """Cancel a job."""
    if not by_person(asked):
        return not_here(asked)
    (outcome,) = yield [Call("cancel_job", {"number": int(asked.slots["number"])}, acts=True)]
    return Answer(outcome.text) if outcome.ok else refused(asked, outcome)


def cancel_which_task(asked: Asked) -> Steps:
    """Ask whether a job is meant, or a task of the timetable: both are called so."""
    number = int(asked.slots["number"])
    (outcome,) = yield [Call("job_status", {"number": number})]
    found = cast("Mapping[str, Any]", outcome.fields.get("job") or {})
    if not outcome.ok or found.get("state") not in OPEN:
        return Answer(asked.say("wakeups.say.no_such_job", number=number), well=False)
    requests = [asked.say(f"wakeups.say.to_{what}", number=number) for what in ("cancel_job", "take_out")]
    return (yield from choose(asked, asked.say("wakeups.say.which_task", number=number, title=found["title"]), requests))
