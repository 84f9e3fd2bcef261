"""How much of a restored copy waits until a person says that it rings here; it must not let it ring."""

from sqlalchemy import func, select

from steadyhand.store.database import copies
from steadyhand.store.database.engine import Tx
from steadyhand.store.later.tables import wakeups
from steadyhand.store.sessions.tables import outbox


def waiting(tx: Tx) -> int:
    """Count, of every person, the reminders, recurring ones and queued messages that wait."""
    moment = copies.until(tx)
    if moment is None:
        return 0
    own = (wakeups.c.status == "pending", wakeups.c.enabled, wakeups.c.family != "heartbeat", wakeups.c.created_at <= moment)
    queued = (outbox.c.state == "queued", outbox.c.created_at <= moment)
    counts = (select(func.count()).select_from(table).where(*those) for table, those in ((wakeups, own), (outbox, queued)))
    return sum(int(tx.execute(count).scalar() or 0) for count in counts)
