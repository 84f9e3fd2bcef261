"""Decides how a session is put on one line; it must not decide which are listed."""

from steadyhand.core.clock import from_text, local
from steadyhand.core.ids import SessionId
from steadyhand.core.language import Language, say
from steadyhand.core.visible import visible
from steadyhand.store.sessions.conversations import SessionRow


def label(row: SessionRow, language: Language, zone: str, *, here: SessionId | None = None) -> str:
    """Return a session on one line: name or id, channel, how much was said, last use in *zone*; *here* is marked."""
    used = f"{local(from_text(row.updated_at), zone):%Y-%m-%d %H:%M}"
    name = visible(f"{row.name} ({row.id})" if row.name else row.id, keep="")
    form = "session.list.here" if row.id == here else "session.list.row"
    return say(language, form, name=name, channel=row.channel, n=row.said, used=used)
