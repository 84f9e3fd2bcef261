"""What came with a restored backup waits until a person says that it rings here; what is stored afterwards does not."""

from datetime import timedelta

import pytest

from steadyhand.core.clock import to_text
from steadyhand.store import Store
from steadyhand.store.database import copies
from steadyhand.store.later import jobs, wakeups
from steadyhand.store.people import people
from steadyhand.store.sessions import outbox
from steadyhand.store.upkeep import held
from steadyhand.store.upkeep.backup import back_up
from steadyhand.store.upkeep.restoring import restore
from store.ground import DESK, ME, a_job, a_wakeup, claim
from store.test_backup import make


@pytest.fixture
def copy(tmp_path, clock):
    """A database that was restored from a backup with a reminder that is due, a queued message and a queued job."""
    (tmp_path / "first").mkdir()
    first = make(tmp_path / "first" / "steadyhand.db", "me", clock)

    def fill(tx):
        people.ensure_session(tx, ME, DESK, "terminal")
        wakeups.insert_wakeup(tx, a_wakeup("old", created_at=tx.now(), due_at=tx.now()))
        outbox.owe(tx, ME, DESK, "turn", "old", source="turn")
        jobs.insert_job(tx, a_job("old", created_at=tx.now(), state="queued"))

    first.write_now(fill)
    back_up(first, tmp_path / "copy.db")
    first.close()
    store = Store(f"sqlite:///{tmp_path / 'second' / 'steadyhand.db'}", clock)
    assert restore(store, tmp_path / "copy.db").waiting == 2
    clock.advance(timedelta(hours=3))
    yield store
    store.close()


def taken(store):
    """Return all that a host would take up now."""

    def work(tx):
        rung = [row.id for row in wakeups.claim_due(tx, claim("a"), 10, [(ME, DESK)])]
        return rung, [row.content for row in outbox.due(tx)], [job.id for job in jobs.claim_queued(tx, claim("a"), 10)]

    return store.write_now(work)


def test_what_came_with_it_neither_rings_nor_wakes_a_host(copy):
    assert copy.read_now(wakeups.next_due) is None
    assert copy.read_now(lambda tx: wakeups.overdue(tx, tx.now())) == 0
    assert copy.read_now(jobs.kinds_queued) == set()
    assert taken(copy) == ([], [], [])
    assert copy.read_now(held.waiting) == 2


def test_what_is_made_on_this_copy_rings(copy, clock):
    def more(tx):
        wakeups.insert_wakeup(tx, a_wakeup("new", number=2, created_at=tx.now(), due_at=tx.now()))
        outbox.owe(tx, ME, DESK, "another", "new", source="turn")
        jobs.insert_job(tx, a_job("new", number=2, created_at=tx.now(), state="queued"))

    copy.write_now(more)
    assert copy.read_now(wakeups.next_due) == to_text(clock.now())
    assert taken(copy) == (["new"], ["new"], ["new"])


def test_once_it_is_let_ring_everything_does(copy):
    copy.write_now(copies.release)
    assert copy.read_now(held.waiting) == 0
    assert taken(copy) == (["old"], ["old"], ["old"])


def test_a_backup_of_a_copy_that_waits_waits_too(copy, tmp_path, clock):
    back_up(copy, tmp_path / "again.db")
    third = Store(f"sqlite:///{tmp_path / 'third' / 'steadyhand.db'}", clock)
    assert restore(third, tmp_path / "again.db").waiting == 2
    third.close()


def test_on_a_server_nothing_is_held(postgres_url, clock):
    store = Store(postgres_url, clock)
    assert store.read_now(copies.until) is None
    store.write_now(copies.release)
    assert store.read_now(held.waiting) == 0
    store.close()
