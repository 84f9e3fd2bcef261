"""Decides that an open chat is the host for as long as nobody else is or wants to be, and says so. It must not take up the chat's own session: that is its room's."""

import asyncio
import contextlib
from typing import TYPE_CHECKING

from steadyhand.cli.chat.room import Room
from steadyhand.cli.terminal.frame import Frame
from steadyhand.core.errors import SteadyhandError
from steadyhand.core.logs import get_logger
from steadyhand.wakeups.seat import seat, seated

if TYPE_CHECKING:
    from collections.abc import Callable

    from steadyhand.wakeups.host import Host

TRY_SECONDS = 5.0
"""How often a chat looks whether there is no host any more."""

GRACE_SECONDS = 2.0
"""So long somebody who leaves the chat waits for what runs elsewhere."""

log = get_logger(__name__)


async def host_meanwhile(frame: Frame, room: Room, stop: asyncio.Event) -> None:
    """Be the host whenever there is none, until *stop* is set; what fails here does not end the chat."""
    while not stop.is_set():
        try:
            await _once(frame, room, stop)
        except SteadyhandError as error:
            log.warning("chat_does_not_host", code=error.code)
        except Exception:
            log.exception("chat_does_not_host")
        finally:
            frame.hosts = False
        if not stop.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), TRY_SECONDS)


async def _once(frame: Frame, room: Room, stop: asyncio.Event) -> None:
    store = room.app.store
    there = await asyncio.to_thread(seated, store)
    if there is not None and not there.suspended:
        return
    async with seat(store, "chat", wait_seconds=0.0) as own:
        if own is None:
            return
        frame.hosts = True
        text = room.say("hosts")
        await room.terminal.above(lambda: room.face.note(text))
        await _host(room, own.holds).serve(stop)
        if not stop.is_set():
            text = room.say("hosts_no_more")
            await room.terminal.above(lambda: room.face.note(text))


def _host(room: Room, holds: "Callable[[], bool]") -> "Host":
    from steadyhand.wiring.hosting import host_beside

    return host_beside(
        room.app, room.talk, lambda user, session: (user, session) == (room.user, room.session), holds, grace=GRACE_SECONDS
    )
