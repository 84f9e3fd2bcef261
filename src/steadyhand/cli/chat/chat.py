"""Decides how a person, or a program, talks at the command line: at a terminal, through pipes, once, or as JSON. It must not answer itself."""

import asyncio
import sys
from typing import TYPE_CHECKING

import click

from steadyhand.cli.terminal.frame import REFUSED, Command, Frame, option, pass_frame
from steadyhand.core.errors import SteadyhandError

if TYPE_CHECKING:
    from datetime import datetime

    from steadyhand.cli.chat.room import Face, Room
    from steadyhand.core.ids import SessionId


@click.command(cls=Command)
@option("--session", "wanted", text="chat_session")
@option("--new", text="chat_new", is_flag=True)
@option("--once", text="chat_once")
@pass_frame
def chat(frame: Frame, wanted: str | None, once: str | None, *, new: bool) -> None:
    """Talk: say what is wanted, look at it, decide."""
    try:
        _chat(frame, wanted, once, new=new)
    except SteadyhandError as error:
        if not frame.as_json:
            raise
        _one_line(frame, error)


def _chat(frame: Frame, wanted: str | None, once: str | None, *, new: bool) -> None:
    from steadyhand.cli.chat.log import log_aside
    from steadyhand.cli.chat.opening import session_of

    session = session_of(frame.app, wanted, new=new)
    with log_aside(frame.settings.data_dir):
        if once is None and frame.at_terminal:
            from steadyhand.cli.chat.here import sit

            sit(frame, session)
        elif not _lines(frame, session, once):
            raise click.exceptions.Exit(REFUSED)


def _lines(frame: Frame, session: "SessionId", once: str | None) -> bool:
    """Take one message, or one from each line that comes in; tell whether all of them came to a good end."""
    from steadyhand.cli.chat.pipe import piped
    from steadyhand.cli.chat.room import Room

    well = True
    with asyncio.Runner() as runner:
        room = Room(frame.app, frame.language, _face(frame))
        try:
            runner.run(room.enter(session))
            clock = frame.app.store.clock
            for text, begun in [(once, None)] if once is not None else piped(sys.stdin, clock):
                well = (not text.strip() or runner.run(_taken(room, text, begun))) and well
                if room.terminal.closed:
                    return False
        finally:
            runner.run(room.leave())
    return well


async def _taken(room: "Room", text: str, begun: "datetime | None") -> bool:
    return (await room.take(text.rstrip("\r\n"), begun)).ok


def _face(frame: Frame) -> "Face":
    from steadyhand.cli.chat.json import JsonLines
    from steadyhand.cli.chat.screen import Plain, Screen

    clock = frame.app.store.clock
    if frame.as_json:
        return JsonLines(clock)
    return Screen(frame.language, clock) if sys.stdout.isatty() else Plain()


def _one_line(frame: Frame, error: SteadyhandError) -> None:
    """Tell a failure to a program that reads lines."""
    from steadyhand.cli.chat.json import print_line
    from steadyhand.core.explain import explain

    told = explain(error, frame.language)
    print_line("error", code=told.code, summary=told.summary, detail=told.detail, next=told.next_step)
    raise click.exceptions.Exit(REFUSED)
