"""A claim looks along the index of what is due, and at nothing more of what waits: held by the plans that the databases tell."""

from dataclasses import asdict
from datetime import timedelta

import pytest
from sqlalchemy import event, insert, text

from steadyhand.core.clock import to_text
from steadyhand.store.later import jobs, wakeups
from steadyhand.store.later.tables import jobs as jobs_table
from steadyhand.store.later.tables import wakeups as wakeups_table
from steadyhand.store.people import people
from store.ground import DESK, ME, a_job, a_wakeup, claim

WAITING = 2_000


def lay(tx):
    """Lay many that wait, of which a few are due."""
    people.ensure_session(tx, ME, DESK, "terminal")
    moments = [to_text(tx.clock.now() + timedelta(hours=number - 5)) for number in range(WAITING)]
    due, job = asdict(a_wakeup("w")), asdict(a_job("j"))
    rows = [{**due, "id": f"w{n}", "number": n, "due_at": at, "meant_at": at} for n, at in enumerate(moments)]
    tx.execute(insert(wakeups_table), rows)
    tx.execute(insert(jobs_table), [{**job, "id": f"j{n}", "number": n, "created_at": at} for n, at in enumerate(moments)])


def plans(store, work):
    """Return the plans of the updates that *work* makes, as the database tells them."""
    seen = []

    def note(_connection, _cursor, statement, parameters, *_more):
        if statement.lstrip().startswith(("UPDATE", "WITH")):
            seen.append((statement, parameters))

    def look(tx):
        if not tx.on_sqlite:
            tx.execute(text("ANALYZE wakeups"))
            tx.execute(text("ANALYZE jobs"))
            tx.execute(text("SET LOCAL enable_seqscan = off"))  # a table of the tests is small enough to be read whole
        event.listen(tx.connection, "before_cursor_execute", note)
        work(tx)
        event.remove(tx.connection, "before_cursor_execute", note)
        word = "EXPLAIN QUERY PLAN " if tx.on_sqlite else "EXPLAIN "
        return ["\n".join(str(row[-1]) for row in tx.connection.exec_driver_sql(word + one, given)) for one, given in seen]

    return store.write_now(look)


@pytest.mark.parametrize(
    ("claims", "index"),
    [
        (lambda tx: wakeups.claim_due(tx, claim("a"), 500, [(ME, DESK)]), "ix_wakeups_due"),
        (lambda tx: jobs.claim_queued(tx, claim("a"), 2), "ix_jobs_state"),
    ],
)
def test_a_claim_goes_by_the_index_and_looks_up_each_row_by_its_id(store, claims, index):
    store.write_now(lay)
    (plan,) = plans(store, claims)
    assert plan.count(index) == 1, plan
    if store.on_sqlite:
        assert "sqlite_autoindex" in plan.splitlines()[0], plan
        assert "SCAN wakeups" not in plan
    else:
        assert "Seq Scan" not in plan, plan
        assert " using pk_" in plan, plan
