"""A turn waits for the disk as often as something has to be durable before the next step, and reads nothing twice."""

import asyncio

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from session.ground import call, last, said

MOST_COMMITS = 5
"""The message before it is acknowledged; that the turn began; which call is to run; its answer; that it was shown."""
MOST_READS = 12


class Ledger:
    """Every statement that a database is given, in the order in which it comes, a list for each transaction."""

    def __init__(self) -> None:
        self.transactions: list[list[str]] = []

    def begin(self, _connection) -> None:
        self.transactions.append([])

    def statement(self, _connection, _cursor, text, _values, _context, _many) -> None:
        self.transactions[-1].append(text.split()[0].upper())

    @property
    def writing(self) -> list[list[str]]:
        return [one for one in self.transactions if {"INSERT", "UPDATE", "DELETE"} & set(one)]

    @property
    def reads(self) -> int:
        return sum(one.count("SELECT") for one in self.transactions)


@pytest.fixture
def ledger():
    kept = Ledger()
    listeners = {"begin": kept.begin, "before_cursor_execute": kept.statement}
    for name, heard in listeners.items():
        event.listen(Engine, name, heard)
    yield kept
    for name, heard in listeners.items():
        event.remove(Engine, name, heard)


def test_a_turn_with_a_call_commits_five_times_and_reads_twelve_things(room, ledger):
    def tell(request):
        return said(f"the call gave: {last(request, 'tool').content}")

    room = room(*[line for n in range(3) for line in (call("peek", text=f"page {n}"), tell)])
    for number in range(3):
        ledger.transactions.clear()
        told = asyncio.run(room.hear(f"what about page {number}?"))[-1]
        assert told.startswith("the call gave: ")
        assert f"page {number}" in told
        assert len(ledger.writing) <= MOST_COMMITS, ledger.writing
        assert ledger.reads <= MOST_READS, ledger.transactions
