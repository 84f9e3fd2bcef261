"""Decides how drafts lie: a base, an append-only list of steps, and a head that undo and redo move. It must not read a step."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, bindparam, func, insert, select, update

from steadyhand.core.canonical import Json
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import DraftId, UserId, new_id
from steadyhand.store.changes.tables import draft_steps, drafts
from steadyhand.store.database.engine import Tx
from steadyhand.store.database.prepared import USER, of

_OPEN = select(drafts).where(
    drafts.c.user_id == USER,
    drafts.c.domain == bindparam("domain"),
    drafts.c.target_name == bindparam("target"),
    drafts.c.is_open,
)


@dataclass(frozen=True, slots=True)
class Draft:
    """An open draft. *head* is how many of its live steps count now; *revision* grows with every write, undo and redo."""

    id: DraftId
    user_id: UserId
    domain: str
    target_name: str
    base: Json
    revision: int
    head: int


def _draft(row: Row[Any]) -> Draft:
    return Draft(DraftId(row.id), UserId(row.user_id), row.domain, row.target_name, row.base, row.revision, row.head)


def find_open(tx: Tx, user: UserId, domain: str, target_name: str) -> Draft | None:
    """Return the person's one open draft for the target."""
    row = tx.execute(_OPEN, of(user, domain=domain, target=target_name)).first()
    return _draft(row) if row else None


def revision(tx: Tx, user: UserId, domain: str, target_name: str) -> tuple[DraftId, int] | None:
    """Return the open draft's id and revision without reading the rest of it."""
    row = tx.execute(
        select(drafts.c.id, drafts.c.revision).where(
            drafts.c.user_id == user, drafts.c.domain == domain, drafts.c.target_name == target_name, drafts.c.is_open
        )
    ).first()
    return (DraftId(row.id), int(row.revision)) if row else None


def open_draft(tx: Tx, user: UserId, domain: str, target_name: str, base: Json) -> Draft:
    """Open a draft; a second open one for the same target is refused by the database."""
    draft = Draft(DraftId(new_id("draft")), user, domain, target_name, base, 1, 0)
    tx.execute(
        insert(drafts).values(
            id=draft.id,
            user_id=user,
            domain=domain,
            target_name=target_name,
            base=base,
            revision=1,
            head=0,
            is_open=True,
            created_at=tx.now(),
            updated_at=tx.now(),
        )
    )
    return draft


def steps_of(tx: Tx, draft: Draft) -> list[Json]:
    """Return the payloads of every live step, those after the head (redo) included."""
    rows = tx.execute(
        select(draft_steps.c.payload)
        .where(draft_steps.c.user_id == draft.user_id, draft_steps.c.draft_id == draft.id, draft_steps.c.live)
        .order_by(draft_steps.c.position)
    )
    return [row.payload for row in rows]


def append(tx: Tx, draft: Draft, payloads: Sequence[Json]) -> Draft:
    """Append steps after the head; steps that undo had left beyond it stop counting. An old revision is refused."""
    moved = _move(tx, draft, head=draft.head + len(payloads))
    beyond = (draft_steps.c.draft_id == draft.id, draft_steps.c.user_id == draft.user_id, draft_steps.c.position >= draft.head)
    tx.execute(update(draft_steps).where(*beyond).values(live=False))
    start = int(tx.execute(select(func.count()).where(draft_steps.c.draft_id == draft.id)).scalar_one())
    now = tx.now()
    tx.execute(
        insert(draft_steps),
        [
            {
                "draft_id": draft.id,
                "seq": start + offset,
                "user_id": draft.user_id,
                "base_revision": draft.revision,
                "position": draft.head + offset,
                "live": True,
                "payload": payload,
                "at": now,
            }
            for offset, payload in enumerate(payloads)
        ],
    )
    return moved


def move_head(tx: Tx, draft: Draft, head: int) -> Draft:
    """Move the end of the list, for undo and redo."""
    return _move(tx, draft, head=head)


def rebase(tx: Tx, draft: Draft, base: Json) -> Draft:
    """Give the draft a new base and no live step: what was drafted is part of that base."""
    tx.execute(
        update(draft_steps).where(draft_steps.c.draft_id == draft.id, draft_steps.c.user_id == draft.user_id).values(live=False)
    )
    moved = _move(tx, draft, head=0)
    tx.execute(update(drafts).where(drafts.c.id == draft.id, drafts.c.user_id == draft.user_id).values(base=base))
    return Draft(moved.id, moved.user_id, moved.domain, moved.target_name, base, moved.revision, 0)


def close(tx: Tx, draft: Draft) -> None:
    """Close the draft; its steps stay as a record."""
    tx.execute(
        update(drafts)
        .where(drafts.c.id == draft.id, drafts.c.user_id == draft.user_id)
        .values(is_open=False, updated_at=tx.now())
    )


def _move(tx: Tx, draft: Draft, *, head: int) -> Draft:
    done = tx.execute(
        update(drafts)
        .where(drafts.c.id == draft.id, drafts.c.user_id == draft.user_id, drafts.c.revision == draft.revision, drafts.c.is_open)
        .values(head=head, revision=draft.revision + 1, updated_at=tx.now())
    )
    if done.rowcount != 1:
        raise ToolRefusal("draft_moved_on", revision=draft.revision)
    return Draft(draft.id, draft.user_id, draft.domain, draft.target_name, draft.base, draft.revision + 1, head)
