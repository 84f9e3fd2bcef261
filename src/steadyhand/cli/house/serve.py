"""Decides how the host is started and ended at the command line. It must not do a host's work, nor print on its output beyond where it is."""

import asyncio
import signal
from typing import TYPE_CHECKING

import click

from steadyhand.cli.terminal.frame import Command, Frame, pass_frame
from steadyhand.cli.terminal.printing import echo
from steadyhand.core.errors import OperatorRepairs, ToolRefusal

if TYPE_CHECKING:
    from steadyhand.wakeups.seat import Seated, What
    from steadyhand.wiring.app import App
    from steadyhand.wiring.hosting import Hosted


@click.command(cls=Command)
@pass_frame
def serve(frame: Frame) -> None:
    """See to all that happens later, and to the channels."""
    frame.run(_host(frame, frame.app, "serve"))


@click.command(cls=Command)
@pass_frame
def worker(frame: Frame) -> None:
    """Share a server's work, without channels."""
    app = frame.app
    if app.store.on_sqlite:
        raise ToolRefusal("worker_needs_server")
    frame.run(_host(frame, app, "worker"))


async def _host(frame: Frame, app: "App", what: "What") -> None:
    from steadyhand.wakeups.seat import seat, seated
    from steadyhand.wiring.hosting import hosting

    async with seat(app.store, what) as own:
        if own is None:
            raise _refusal(app, seated(app.store))
        frame.hosts = True
        async with hosting(app, frame.language, with_channels=what == "serve", holds=own.holds) as hosted:
            await _until_ended(frame, own, hosted)
        if not own.holds():  # it was suspended, and another has its place
            raise _refusal(app, seated(app.store))


async def _until_ended(frame: Frame, own: "Seated", hosted: "Hosted") -> None:
    """Host until a signal comes; the second one breaks off what the first lets come to its end."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    serving = asyncio.ensure_future(hosted.serve(stop))

    def on_signal() -> None:
        if stop.is_set():
            serving.cancel()
            return
        stop.set()
        if not frame.as_json:
            echo(frame.say("serve.ending"), err=True)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, on_signal)
    _tell(frame, own, hosted)  # from here on it can be asked to end
    try:
        await asyncio.wait({serving})
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
    if not serving.cancelled():
        serving.result()


def _tell(frame: Frame, own: "Seated", hosted: "Hosted") -> None:
    place = frame.settings.data_dir if frame.settings.on_sqlite else frame.say("serve.server")
    lines = [frame.say("serve.hosts", pid=own.pid, place=place)]
    if hosted.address is not None:
        lines.append(frame.say("serve.listens", address=hosted.address))
    lines += frame.app.toolbox.silent_servers(frame.language)
    if frame.as_json:
        frame.show("", {"what": own.what, "pid": own.pid, "since": own.since, "address": hosted.address})
    else:
        echo("\n".join(lines), err=True)


def _refusal(app: "App", there: "Seated | None") -> OperatorRepairs:
    """Return the refusal that names the host that there is."""
    from steadyhand.core.clock import from_text, local

    if there is None or not there.pid:
        return OperatorRepairs("host_there", what="serve", pid="?", since="?")
    since = local(from_text(there.since), app.user.zone).strftime("%Y-%m-%d %H:%M:%S")
    return OperatorRepairs("host_there", what=there.what, pid=there.pid, since=since)
