"""Decides how a person's draft of a timetable is opened, written, undone and kept up with the store. It must not write the timetable itself.

The base of a draft is the timetable as it was loaded, its steps are deltas. When the stored timetable has changed meanwhile, the
draft gets a new base and what still fits of it is carried over as one step; what no longer fits is told.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from steadyhand.core.canonical import Json
from steadyhand.core.clock import Clock
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.faults import reach
from steadyhand.core.ids import DraftId, UserId
from steadyhand.domains.schedule.board.fitting import Clash, fit
from steadyhand.domains.schedule.board.loading import Skipped, load, rows_of
from steadyhand.domains.schedule.board.model import Block, Delta, Place, PlaceChange, Task
from steadyhand.domains.schedule.board.timetable import Timetable
from steadyhand.domains.schedule.draft.base import Base
from steadyhand.domains.schedule.module import NAME
from steadyhand.domains.schedule.replies.reply import Reply
from steadyhand.domains.schedule.rows.forms import records_of, term_of
from steadyhand.domains.schedule.term.records import NOTHING_KNOWN, Records, Term
from steadyhand.domains.schedule.term.window import Window
from steadyhand.domains.schedule.term.windows import present_in, whole_term, within
from steadyhand.store import Store, Tx
from steadyhand.store.changes import drafts
from steadyhand.store.changes.drafts import Draft
from steadyhand.store.timetable import timetable

RETRIES = 64
"""How often a write without a revision is tried on a draft that others write to: each try that fails is one of theirs that counts."""


@dataclass(frozen=True, slots=True)
class OpenDraft:
    """A draft as it stands: its base, the timetable after its steps, and what could not be loaded or carried over.

    One that is not *stored* is what opening would give: the first write, or `Drafting.open`, stores it.
    """

    row: Draft
    term: Term
    base: Base
    timetable: Timetable
    redo: tuple[Delta, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    lost: tuple[Task, ...] = ()
    stored: bool = True

    @property
    def window(self) -> Window:
        """The planning window, which stays until the draft is closed."""
        return self.base.timetable.window

    @property
    def changed(self) -> tuple[PlaceChange, ...]:
        """Every task whose cells differ from the base, ascending by state id."""
        now = self.timetable.tasks
        return tuple(
            PlaceChange(state_id, task.place, now[state_id].place)
            for state_id, task in self.base.timetable.tasks.items()
            if (task.place.slots, task.place.embed_host) != (now[state_id].place.slots, now[state_id].place.embed_host)
        )


class Drafting:
    """The drafts of timetables, one open per person."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @property
    def clock(self) -> Clock:
        """The clock that the drafts go by."""
        return self._store.clock

    async def term(self, user: UserId) -> Term:
        """Return the person's current term, or refuse with ``no_term``."""
        row = await self._store.read(lambda tx: timetable.current_term(tx, user))
        if row is None:
            raise ToolRefusal("no_term")
        return term_of(row)

    async def records(self, user: UserId) -> Records:
        """Return all that the person's current term holds."""
        return await self._store.read(lambda tx: _records(tx, user))

    async def records_of(self, user: UserId, term: int) -> Records | None:
        """Return all that one term of the person's holds, current or not; None when there is no such term."""
        rows = await self._store.read(lambda tx: timetable.rows_of_term(tx, user, term))
        return records_of(rows) if rows["terms"] else None

    async def look(self, user: UserId, window: Window | None = None) -> OpenDraft:
        """Return the person's draft, or what `open` would give, without storing anything."""
        return (await self._store.read(lambda tx: _plan(tx, user, window))).draft

    async def open(self, user: UserId, window: Window | None = None) -> OpenDraft:
        """Return the person's draft, opened in *window* (default: the whole term) when there is none.

        A *window* that differs from that of an open draft is refused while the draft holds changes.
        """
        opened = await self.look(user, window)
        return opened if opened.stored else await self._store.write(lambda tx: _store_plan(tx, user, window))

    async def edit(
        self,
        user: UserId,
        work: Callable[[Timetable], Reply],
        *,
        revision: int | None = None,
        window: Window | None = None,
    ) -> tuple[Reply, OpenDraft]:
        """Run one write on the draft and store what it changed as a step; the reply says whether it was refused.

        With *revision* the write counts only when the draft still is that revision; without, it is tried again on the newer one.
        *window* is for a draft that is not open yet, or holds no changes. A write that changes nothing stores nothing, not even the opening.
        """
        for _ in range(RETRIES):
            opened = await self.look(user)
            if window not in (None, opened.window) and not opened.changed:
                opened = await self.look(user, window)
            if revision is not None and opened.row.revision != revision:
                break
            reply = await asyncio.to_thread(work, opened.timetable)  # an arrangement takes a while
            if not reply.delta:
                return reply, opened
            if not opened.stored:
                await self.open(user, opened.window)
                continue
            try:
                return reply, await self._append(opened, reply.delta)
            except ToolRefusal:
                if revision is not None:
                    raise
        raise ToolRefusal("draft_moved_on", revision=revision or 0)

    async def _append(self, opened: OpenDraft, delta: Delta) -> OpenDraft:
        payload: Json = [change.to_json() for change in delta]
        reach("draft.before_step")
        row = await self._store.write(lambda tx: drafts.append(tx, opened.row, [payload]))
        reach("draft.after_step")
        return replace(opened, row=row, redo=())

    async def undo(self, user: UserId) -> tuple[Delta, OpenDraft]:
        """Take the last step back; `ToolRefusal` when there is none."""
        if (await self.look(user)).row.head == 0:
            raise ToolRefusal("nothing_to_undo")
        opened = await self.open(user)
        return await self._move(opened, -1, "nothing_to_undo")

    async def redo(self, user: UserId) -> tuple[Delta, OpenDraft]:
        """Make the last step that was taken back again; `ToolRefusal` when there is none."""
        if not (await self.look(user)).redo:
            raise ToolRefusal("nothing_to_redo")
        opened = await self.open(user)
        return await self._move(opened, 1, "nothing_to_redo")

    async def _move(self, opened: OpenDraft, by: int, at_the_end: str) -> tuple[Delta, OpenDraft]:
        head = opened.row.head + by
        if not 0 <= head <= opened.row.head + len(opened.redo):
            raise ToolRefusal(at_the_end)

        def work(tx: Tx) -> OpenDraft:
            row = drafts.move_head(tx, opened.row, head)
            moved = _read(tx, row.user_id, _term(tx, row.user_id))
            if moved is None:
                raise ToolRefusal("draft_moved_on", revision=row.revision)
            return moved

        moved = await self._store.write(work)
        return _between(opened.timetable, moved.timetable), moved

    async def discard(self, user: UserId) -> None:
        """Close the draft without proposing it; the stored timetable stays as it is."""

        def work(tx: Tx) -> None:
            row = _find(tx, user)
            if row is not None:
                drafts.close(tx, row)

        await self._store.write(work)


def _table(tx: Tx, base: Base, term: Term) -> Timetable:
    """Return the base's timetable to write to, bounded by the present."""
    table = base.timetable.copy()
    table.present = present_in(table.window, term, tx.clock.now())
    return table


def _find(tx: Tx, user: UserId) -> Draft | None:
    return drafts.find_open(tx, user, NAME, "timetable")


def _term(tx: Tx, user: UserId) -> timetable.Row:
    row = timetable.current_term(tx, user)
    if row is None:
        raise ToolRefusal("no_term")
    return row


def _records(tx: Tx, user: UserId) -> Records:
    return records_of(timetable.rows_of_term(tx, user, _term(tx, user)["id"]))


def _read(tx: Tx, user: UserId, term: timetable.Row) -> OpenDraft | None:
    """Read the draft when it is there and its base is what is stored now, *term* being the current one."""
    row = _find(tx, user)
    if row is None:
        return None
    seen = cast("Mapping[str, Any]", row.base)
    if seen["seen"] != timetable.revision(tx, user) or seen["term"] != term["id"]:
        return None
    return _replay(tx, row, term_of(term))


def _replay(tx: Tx, row: Draft, term: Term) -> OpenDraft:
    base = Base.from_json(row.base)
    now = _table(tx, base, term)
    steps = [tuple(PlaceChange.from_json(change) for change in cast("list[Json]", step)) for step in drafts.steps_of(tx, row)]
    for delta in steps[: row.head]:
        now.apply(delta)
    return OpenDraft(row, term, base, now, tuple(steps[row.head :]))


@dataclass(frozen=True, slots=True)
class _Plan:
    """What opening comes to: the draft, one that is closed for it, and, for one that gets a new base, what is carried over."""

    draft: OpenDraft
    closes: Draft | None = None
    rebases: bool = False
    carried: Delta = ()


def _plan(tx: Tx, user: UserId, window: Window | None) -> _Plan:
    """Find the draft, or say how it opens or is brought up to date: the same ids, a new base, what still fits as its one step."""
    current = _read(tx, user, _term(tx, user))
    if current is not None and window in (None, current.window):
        return _Plan(current)
    seen = timetable.revision(tx, user)  # before the rows: one that is too old is noticed, one that is too new is not
    found = _records(tx, user)
    row = _find(tx, user)
    if row is None:
        return _Plan(_new(tx, user, found, seen, window))
    old = _replay(tx, row, found.term)
    if old.base.term != found.term.id:
        lost = tuple(old.timetable.tasks[change.state_id] for change in old.changed)
        return _Plan(replace(_new(tx, user, found, seen, window), lost=lost), closes=old.row)
    kept = within(old.window, found.term)
    if window not in (None, old.window, kept):
        if old.changed:
            raise ToolRefusal("draft_has_changes", count=len(old.changed))
        return _Plan(_new(tx, user, found, seen, window), closes=old.row)
    base, skipped = _base(found, seen, kept, old)
    now, carried, lost = _carry(old, base, _table(tx, base, found.term))
    renewed = replace(old.row, base=base.to_json(), head=1 if carried else 0)
    return _Plan(OpenDraft(renewed, found.term, base, now, (), skipped, lost, stored=False), rebases=True, carried=carried)


def _new(tx: Tx, user: UserId, found: Records, seen: int, window: Window | None) -> OpenDraft:
    base, skipped = _base(found, seen, window or whole_term(found.term), None)
    row = Draft(DraftId(""), user, NAME, "timetable", base.to_json(), 0, 0)
    return OpenDraft(row, found.term, base, _table(tx, base, found.term), (), skipped, stored=False)


def _store_plan(tx: Tx, user: UserId, window: Window | None) -> OpenDraft:
    """Plan again and store it, in one transaction in which nobody else writes to this person's timetable or opens their draft."""
    timetable.lock_person(tx, user)
    plan = _plan(tx, user, window)
    if plan.draft.stored:
        return plan.draft
    if plan.closes is not None:
        drafts.close(tx, plan.closes)
    if plan.rebases:
        row = drafts.rebase(tx, plan.draft.row, plan.draft.base.to_json())
        if plan.carried:
            row = drafts.append(tx, row, [[change.to_json() for change in plan.carried]])
    else:
        row = drafts.open_draft(tx, user, NAME, "timetable", plan.draft.base.to_json())
    return replace(plan.draft, row=row, stored=True)


def _base(found: Records, seen: int, window: Window, old: OpenDraft | None) -> tuple[Base, tuple[Skipped, ...]]:
    # numbered over the whole term first, so that a number means the same task in whichever window it was read
    loaded = load(found, window, old.base.ids if old else load(found, whole_term(found.term)).ids)
    highest = max(loaded.next_id, old.base.timetable.next_id if old else 1)
    table = Timetable(window, loaded.tasks, next_id=highest)
    events = {event.item_id: event.id for event in found.events if event.item_id is not None}
    shown = {
        (task.source_id if task.source == "event" else events[task.source_id], *cell)
        for task in loaded.tasks
        for cell in rows_of(task.place, window)
    }
    rows = ((row.event_id, row.week, row.day_of_week, row.section) for row in found.rows)
    outside = frozenset(row[0] for row in rows if row not in shown)
    tasks = {event.id for event in found.events if event.kind == "task"}
    known = {
        (row.event_id, row.week, row.day_of_week, row.section): row.particulars
        for row in found.rows
        if row.event_id in tasks and row.particulars != NOTHING_KNOWN
    }
    return Base(found.term.id, seen, table, loaded.ids, events, outside, known), loaded.skipped


def _carry(old: OpenDraft, base: Base, now: Timetable) -> tuple[Timetable, Delta, tuple[Task, ...]]:
    """Put what the old draft had changed into *now*, the new base's timetable, all together; what no longer fits is lost and told.

    A task whose stored place has changed meanwhile stays as stored: that is a fact, the draft was a wish.
    """
    before = old.base.timetable.tasks
    wishes = {state_id: task for state_id, task in old.timetable.tasks.items() if task.place != before[state_id].place}
    targets: dict[int, Place] = {}
    lost: list[Task] = []
    for state_id, wish in wishes.items():
        task = now.task(state_id)
        if task is not None and _cells(task) == _cells(before[state_id]):
            targets[state_id] = wish.place
        elif task is None or _cells(task) != _cells(wish):
            lost.append(task or wish)
    outside = [state_id for state_id, place in targets.items() if not all(_lies(block, now.window) for block in place.slots)]
    lost += [now.tasks[state_id] for state_id in outside]
    for state_id in outside:
        del targets[state_id]
    while isinstance(found := fit(now, targets), Clash):
        lost.append(found.task)
        del targets[found.task.state_id]
    now.apply(found)
    return now, _between(base.timetable, now), tuple(lost)


def _cells(task: Task) -> tuple[tuple[Block, ...], int | None]:
    return task.place.slots, task.place.embed_host


def _lies(block: Block, window: Window) -> bool:
    return block.day <= window.total_days and block.end <= window.slots


def _between(before: Timetable, after: Timetable) -> Delta:
    return tuple(
        PlaceChange(state_id, task.place, after.tasks[state_id].place)
        for state_id, task in before.tasks.items()
        if task.place != after.tasks[state_id].place
    )
