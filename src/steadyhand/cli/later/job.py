"""Decides how a person's jobs are listed, shown and cancelled at the command line. It must not run one."""

import click

from steadyhand.cli.terminal.frame import Command, Frame, Group, option, pass_frame
from steadyhand.core.canonical import Json
from steadyhand.jobs.book import Book
from steadyhand.jobs.telling import cancelling, job_json, line, whole
from steadyhand.store.later.jobs import Job

LAST = 20
"""So many are listed unless all are asked for."""
MOST = 10_000


@click.group(cls=Group)
def job() -> None:
    """Work in the background: how it stands, what came of it, and how to end it."""


@job.command("list", cls=Command)
@option("--all", "everything", text="all_jobs", is_flag=True)
@option("--open", "only_open", text="open_jobs", is_flag=True)
@pass_frame
def list_jobs(frame: Frame, *, everything: bool, only_open: bool) -> None:
    """List jobs, the newest first."""
    states = ("queued", "running") if only_open else None
    rows = frame.run(_book(frame).list(frame.app.user.id, states=states, limit=MOST if everything else LAST))
    text = "\n".join(line(row, frame.language) for row in rows) or frame.say("job.none")
    listed: Json = [job_json(row) for row in rows]
    frame.show(text, {"jobs": listed})


@job.command(cls=Command)
@click.argument("number", type=click.IntRange(1))
@pass_frame
def show(frame: Frame, number: int) -> None:
    """Show a job with what it came to."""
    row = frame.run(_book(frame).find(frame.app.user.id, number))
    _show(frame, row, whole(row, frame.language))


@job.command(cls=Command)
@click.argument("number", type=click.IntRange(1))
@pass_frame
def cancel(frame: Frame, number: int) -> None:
    """Cancel a job with all that it has started."""
    row = frame.run(_book(frame).cancel(frame.app.user.id, number))
    _show(frame, row, cancelling(row, frame.language))


def _book(frame: Frame) -> Book:
    return frame.app.toolbox.book


def _show(frame: Frame, row: Job, text: str) -> None:
    frame.show(text, {"job": job_json(row)})
