"""Decides how the turns of a session lie, and the lease under which one runs at a time. It must not run one."""

from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Row, bindparam, delete, insert, select, update

from steadyhand.core.canonical import Json
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.owners import Claim
from steadyhand.store.database.engine import Tx, put
from steadyhand.store.database.prepared import changing, new, of, own, where
from steadyhand.store.sessions.tables import lanes, turns

State = Literal["running", "done", "stopped", "interrupted", "failed"]

_INSERT = insert(turns)
_RUNNING = select(turns).where(*own(turns), turns.c.state == "running").order_by(turns.c.started_at)
_LATEST = select(turns).where(*own(turns)).order_by(turns.c.started_at.desc(), turns.c.id.desc()).limit(1)
_LANE = select(lanes).where(*own(lanes))
_LEAVE = delete(lanes).where(*own(lanes), lanes.c.token == bindparam("holder"))
_ASK_STOP = update(lanes).where(*own(lanes)).values(stop_asked=True)
_FORGET_STOP = update(lanes).where(*own(lanes), lanes.c.token == bindparam("holder")).values(stop_asked=False)


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One turn as stored. *calls_begun* names the tool calls that may have had an effect, each before it began."""

    id: str
    user_id: UserId
    session_id: SessionId
    origin: str
    state: State
    attempt: int
    lane_token: str
    calls_begun: Json
    rounds: int
    usage: Json
    last_result: Json
    detail: Json
    started_at: str
    ended_at: str | None


def _turn(row: Row[Any]) -> TurnRow:
    return TurnRow(**{name: getattr(row, name) for name in TurnRow.__slots__})


def insert_turn(tx: Tx, row: TurnRow) -> None:
    """Store a new turn."""
    tx.execute(_INSERT, {name: getattr(row, name) for name in TurnRow.__slots__})


def change_turn(tx: Tx, user: UserId, turn: str, token: str, **columns: object) -> bool:
    """Change a running turn's *columns*, if it still runs under the lane's *token*; tell whether it did."""
    statement = changing(turns, ("user_id", "id", "state", "lane_token"), tuple(columns))
    key = where(user_id=user, id=turn, state="running", lane_token=token)
    return tx.execute(statement, {**key, **new(columns)}).rowcount == 1


def running(tx: Tx, user: UserId, session: SessionId) -> list[TurnRow]:
    """Return the turns of the session that have not ended, oldest first."""
    return [_turn(row) for row in tx.execute(_RUNNING, of(user, session))]


def find(tx: Tx, user: UserId, turn: str) -> TurnRow | None:
    """Return one turn of the person, by its id."""
    row = tx.execute(select(turns).where(turns.c.user_id == user, turns.c.id == turn)).first()
    return None if row is None else _turn(row)


def latest(tx: Tx, user: UserId, session: SessionId) -> TurnRow | None:
    """Return the session's last turn."""
    row = tx.execute(_LATEST, of(user, session)).first()
    return None if row is None else _turn(row)


def all_running(tx: Tx) -> list[TurnRow]:
    """Return every person's turns that have not ended: for the host, which looks for those whose process is gone."""
    return [_turn(row) for row in tx.execute(select(turns).where(turns.c.state == "running").order_by(turns.c.started_at))]


def forget_ended(tx: Tx, before: str, limit: int) -> int:
    """Remove, of every person, the turns that ended before the moment *before*, at most *limit*; return how many that were."""
    found = select(turns.c.id).where(turns.c.state != "running", turns.c.ended_at < before).limit(limit)
    return tx.execute(delete(turns).where(turns.c.id.in_(found))).rowcount


# --- the lane ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LaneRow:
    """Who runs the session's turns now, and whether the person has asked to stop."""

    token: str
    claim: Claim
    stop_asked: bool


def lane(tx: Tx, user: UserId, session: SessionId) -> LaneRow | None:
    """Return who has the session's lane; None when nobody has."""
    row = tx.execute(_LANE, of(user, session)).first()
    return None if row is None else LaneRow(row.token, Claim(row.owner, row.token, row.lease_until), row.stop_asked)


def take_lane(tx: Tx, user: UserId, session: SessionId, claim: Claim, instead_of: str | None) -> bool:
    """Give the lane to *claim*, if it is as it was seen: free, or still that of the token *instead_of*; tell whether it was."""
    row = {"token": claim.token, "owner": claim.owner, "lease_until": claim.lease_until, "stop_asked": False}
    if instead_of is None:
        return put(tx, lanes, {"user_id": user, "session_id": session, **row}, unless_there=True)
    theirs = (lanes.c.user_id == user, lanes.c.session_id == session, lanes.c.token == instead_of)
    return tx.execute(update(lanes).where(*theirs).values(row)).rowcount == 1


def renew_lane(tx: Tx, user: UserId, session: SessionId, token: str, until: str) -> bool:
    """Let the lease of *token* run until *until*; tell whether the lane is still its own."""
    statement = changing(lanes, ("user_id", "session_id", "token"), ("lease_until",))
    key = where(user_id=user, session_id=session, token=token)
    return tx.execute(statement, {**key, **new({"lease_until": until})}).rowcount == 1


def leave_lane(tx: Tx, user: UserId, session: SessionId, token: str) -> None:
    """Free the lane, if it is still that of *token*."""
    tx.execute(_LEAVE, of(user, session, holder=token))


def ask_stop(tx: Tx, user: UserId, session: SessionId) -> bool:
    """Ask whoever runs the session's turn to stop; False when nobody does."""
    return tx.execute(_ASK_STOP, of(user, session)).rowcount == 1


def forget_stop(tx: Tx, user: UserId, session: SessionId, token: str) -> None:
    """Take a wish to stop as heard: it was about the turn that ran then, and about none that comes later."""
    tx.execute(_FORGET_STOP, of(user, session, holder=token))
