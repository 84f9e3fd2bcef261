"""A process of its own that works on one database: ``python writer.py URL STORY ...``; it starts at the starting shot."""

import os
import sys
import time
from pathlib import Path

from steadyhand.core.ids import ChangeId, UserId
from steadyhand.store import Store
from steadyhand.store.changes import changes, drafts
from steadyhand.store.upkeep import schema

ME = UserId("mine")


def add_ones(store: Store, times: str) -> None:
    """Read a number, add one, write it back: under the row's lock each time."""

    def work(tx):
        row = changes.by_id(tx, ME, ChangeId("change_mine_1"), lock=True)
        assert changes.compare_and_swap(tx, row, {"provider_round": row.provider_round + 1})

    for _ in range(int(times)):
        store.write_now(work)


def append_steps(store: Store, times: str) -> None:
    """Append a step to the one draft, looking again whenever somebody was faster."""
    from steadyhand.core.errors import ToolRefusal

    done = 0
    while done < int(times):
        draft = store.read_now(lambda tx: drafts.find_open(tx, ME, "schedule", "main"))
        try:
            store.write_now(lambda tx, draft=draft: drafts.append(tx, draft, [f"step {draft.revision}"]))
        except ToolRefusal as error:
            if error.code != "draft_moved_on":
                raise
        else:
            done += 1


def take_numbers(store: Store, times: str) -> None:
    """Take numbers of the one session and say something under each, over and over."""
    from steadyhand.core.ids import SessionId
    from steadyhand.store.sessions import conversations, outbox
    from steadyhand.store.sessions.conversations import Said

    def work(tx, number):
        desk = SessionId("desk")
        conversations.add(tx, ME, desk, [Said(f"{os.getpid()}-{number}-{one}", "user", "x", "person") for one in range(2)])
        outbox.owe(tx, ME, desk, f"{os.getpid()}-{number}", "x", source="reply")

    for number in range(int(times)):
        store.write_now(lambda tx, number=number: work(tx, number))


def accept_the_same(store: Store, times: str) -> None:
    """Accept the same messages as the other processes do, and owe the same answers; nobody is refused."""
    from steadyhand.core.ids import SessionId
    from steadyhand.store.people import people
    from steadyhand.store.sessions import inbox, outbox, remembered

    def work(tx, number):
        desk = SessionId(f"desk {number}")
        people.ensure_session(tx, ME, desk, "cli")
        inbox.accept(tx, ME, desk, "person", {"text": "x"}, "origin")
        outbox.owe(tx, ME, desk, f"turn {number}", "x", source="reply")
        remembered.put(tx, ME, desk, "key", os.getpid(), None)
        remembered.prefer(tx, ME, f"key {number}", os.getpid())

    for number in range(int(times)):
        store.write_now(lambda tx, number=number: work(tx, number))


def take_lanes(store: Store, times: str) -> None:
    """Take the lane of one session after the other where nobody who lives has it; write down what was taken.

    Every second one is the lane of a process that is gone.
    """
    from steadyhand.core import owners
    from steadyhand.core.ids import SessionId, new_id
    from steadyhand.core.owners import Claim
    from steadyhand.store.sessions import turns

    def work(tx, session):
        there = turns.lane(tx, ME, session)
        if there is not None and not owners.is_gone(there.claim, tx.clock.now()):
            return False
        claim = Claim(owners.myself(), new_id("lane"), "9999-01-01T00:00:00.000000Z")
        return turns.take_lane(tx, ME, session, claim, None if there is None else there.token)

    taken = []
    for number in range(int(times)):
        session = SessionId(f"desk {number}")
        if store.write_now(lambda tx, session=session: work(tx, session)):
            taken.append(session)
    Path(sys.argv[2], f"taken-{os.getpid()}").write_text("\n".join(taken), encoding="utf-8")
    limit = time.monotonic() + 60
    while len(list(Path(sys.argv[2]).glob("taken-*"))) < 3 and time.monotonic() < limit:
        time.sleep(0.002)  # a process that ends gives its lanes to the others


def migrate(store: Store) -> None:
    schema.migrate(store)


def spend(store: Store, times: str) -> None:
    """Charge a request to each of the same new days as the other processes do."""
    from steadyhand.store.people import spending

    for number in range(int(times)):
        store.write_now(lambda tx, number=number: spending.add(tx, ME, f"day {number}", "m", spending.Spent(1, 3, 1, 0.5)))


STORIES = {story.__name__: story for story in (add_ones, append_steps, take_numbers, accept_the_same, take_lanes, spend, migrate)}


def main() -> None:
    url, folder, story, *arguments = sys.argv[1:]
    store = Store(url)
    Path(folder, f"ready-{arguments[-1] if arguments else ''}-{time.monotonic_ns()}").touch()
    limit = time.monotonic() + 60
    while not Path(folder, "go").exists():
        if time.monotonic() > limit:
            raise TimeoutError
        time.sleep(0.002)
    STORIES[story](store, *arguments)
    store.close()


if __name__ == "__main__":
    main()
