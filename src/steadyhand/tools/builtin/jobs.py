"""Decides how an agent starts, watches and cancels work that goes on by itself. It must not wait for any of it."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from steadyhand.core.canonical import Json
from steadyhand.core.delivery import Delivery
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.language import say
from steadyhand.jobs.telling import cancelling, job_json, line, whole
from steadyhand.store.later.jobs import Job
from steadyhand.tools.base import Arguments, Tool, ToolContext
from steadyhand.tools.ports import Jobs
from steadyhand.tools.result import ToolResult, async_result, tool_result


class JobStatus(Arguments):
    """Which job; none for the last ones."""

    number: int | None = Field(default=None, ge=1, le=999_999_999)


class CancelJob(Arguments):
    """Which job."""

    number: int = Field(ge=1, le=999_999_999)


def require_jobs(context: ToolContext) -> Jobs:
    """Return the port for jobs; raises `ToolRefusal` where a turn has none."""
    if context.ports.jobs is None:
        raise ToolRefusal("no_jobs_here")
    return context.ports.jobs


async def start_in_background(
    context: ToolContext,
    body: str,
    title: str,
    arguments: Mapping[str, Json],
    *,
    delivery: Delivery = "user",
    repeatable: bool = False,
    seconds: float = 300.0,
) -> ToolResult:
    """Start the body at an address as a job and return at once; its end arrives by *delivery*."""
    jobs = require_jobs(context)
    row = await jobs.start_body(
        body, title, call=context.call_id, arguments=arguments, delivery=delivery, repeatable=repeatable, seconds=seconds
    )
    return started(context, row, "job.started", delivery)


def started(context: ToolContext, row: Job, message: str, delivery: Delivery) -> ToolResult:
    """Return the result of a call that has started a job: the text of *message*, and behind it which job it is."""
    text = f"{say(context.language, message)}\n{line(row, context.language)}"
    return async_result(text, job_id=row.id, delivery=delivery)


async def job_status(context: ToolContext, arguments: JobStatus) -> ToolResult:
    """Tell how jobs stand."""
    jobs = require_jobs(context)
    if arguments.number is not None:
        row = await jobs.find(arguments.number)
        return tool_result(whole(row, context.language), data={"job": job_json(row)})
    rows = await jobs.list()
    text = "\n".join(line(row, context.language) for row in rows) or say(context.language, "job.none")
    return tool_result(text, data={"jobs": [job_json(row) for row in rows]})


async def cancel_job(context: ToolContext, arguments: CancelJob) -> ToolResult:
    """Cancel a job."""
    row = await require_jobs(context).cancel(arguments.number)
    return tool_result(cancelling(row, context.language), data={"job": job_json(row)})


def job_tools() -> tuple[Tool[Any], ...]:
    """Return the tools about jobs."""
    return (
        Tool("job_status", "read", JobStatus, job_status, repeatable=True),
        Tool("cancel_job", "own", CancelJob, cancel_job),
    )
