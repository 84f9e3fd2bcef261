"""Decides which session a chat sits in: the usual one, one that is named, or a new one. It must not say anything in it."""

from steadyhand.cli.chat.room import CHANNEL
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import LOCAL_SESSION, SessionId, new_id
from steadyhand.session.administration import pick, rename
from steadyhand.store import Tx
from steadyhand.store.people import people
from steadyhand.store.sessions import conversations
from steadyhand.wiring.app import App


def session_of(app: App, wanted: str | None, *, new: bool) -> SessionId:
    """Return the session that *wanted* (an id or a name) means, made under that name when there is none yet.

    A *new* one is made in any case; without either it is the terminal's own.
    """
    return app.store.write_now(lambda tx: find_or_make(tx, app, wanted, new=new))


def find_or_make(tx: Tx, app: App, wanted: str | None, *, new: bool) -> SessionId:
    """See `session_of`."""
    user = app.user.id
    if wanted is None and not new:
        return LOCAL_SESSION
    if wanted is not None and not new:
        if wanted == LOCAL_SESSION:
            return LOCAL_SESSION
        try:
            return pick(conversations.sessions_of(tx, user), wanted).id
        except ToolRefusal as error:
            if error.code != "session_not_found":
                raise
    made = SessionId(new_id("session"))
    people.ensure_session(tx, user, made, CHANNEL)
    if wanted is not None:
        rename(tx, user, made, wanted)
    return made
