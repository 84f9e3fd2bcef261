"""Whoever holds several rows of a session holds the session before them, and the person before the session: two who do so never wait for each other."""

import re
from collections import defaultdict

import pytest
from sqlalchemy import Engine, event

from session.ground import DESK, ME, call, said
from steadyhand.store.later import wakeups
from steadyhand.wakeups.judging import Quiet, Rules
from wakeups.ground import bedside

OF_A_SESSION = {"wakeups", "turns", "inbox", "outbox", "messages", "lanes", "working_memory"}
NIGHT = Rules(Quiet(23 * 60, 7 * 60))


def _locked(statement: str) -> str | None:
    """Return the table whose rows a statement locks; new rows are nobody's yet."""
    if statement.lstrip().startswith("SELECT"):
        found = re.search(r"FROM\s+(\w+)", statement) if re.search(r"FOR (NO KEY )?UPDATE(?! SKIP)", statement) else None
    else:
        found = re.search(r"(?:UPDATE|DELETE FROM)\s+(\w+)", statement)
    return found.group(1) if found else None


@pytest.fixture
def order():
    """What was locked behind what, in every transaction: pairs of tables."""
    held, pairs = defaultdict(list), set()

    def note(connection, _cursor, statement, *_more):
        table = _locked(statement)
        if table is not None and table not in held[id(connection)]:
            pairs.update((before, table) for before in held[id(connection)])
            held[id(connection)].append(table)

    def over(connection):
        held.pop(id(connection), None)

    listens = (("before_cursor_execute", note), ("commit", over), ("rollback", over))
    for name, hears in listens:
        event.listen(Engine, name, hears)
    yield pairs
    for name, hears in listens:
        event.remove(Engine, name, hears)


@pytest.fixture
def bed(postgres_url, folder, clock):
    speaks = call("send_private_message", message_text="How did it go?")
    made = bedside(postgres_url, folder, clock, speaks, said(""), said("words that nobody sees"), said("again"), rules=NIGHT)
    yield made
    made.store.close()


def test_sessions_are_held_before_what_lies_in_them(bed, order):
    bed.follow_up()
    bed.follow_up(by=bed.by(exact=True))
    bed.timed("every", "1h", "drink", kind="text")
    bed.timed("at", "2026-09-07T09:03", "too late", kind="text", missed="skip")
    bed.pass_time(minutes=4)
    bed.wake()
    bed.pass_time(hours=15)  # the night
    bed.follow_up(replace_existing=True)
    bed.pass_time(minutes=4)
    bed.wake()
    lost = bed.follow_up(by=bed.by(exact=True))
    bed.pass_time(minutes=4)
    bed.store.write_now(lambda tx: wakeups.claim_due(tx, bed.gone(), 9, [(ME, DESK)]))
    bed.again(thinks=False).wake()
    assert bed.row(lost).status == "completed"
    assert ("sessions", "wakeups") in order
    assert {pair for pair in order if pair[1] in ("sessions", "users") and pair[0] in OF_A_SESSION} == set()
    assert ("sessions", "users") not in order
