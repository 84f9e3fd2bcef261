"""Processes that want the same thing at the same moment: nothing is lost and nobody writes who was given up."""

from datetime import timedelta

import pytest
from sqlalchemy import insert, select

from steadyhand.core.clock import SystemClock, to_text
from steadyhand.gate.recovery import recover
from trial_domains.notebook import counters
from trial_domains.stand import end_child, give_the_shot, note, run, start_child, wait_for

pytestmark = pytest.mark.crash


def test_three_processes_read_compare_and_write_and_no_update_is_lost(stand_now):
    stand_now.store.write_now(lambda tx: tx.execute(insert(counters).values(name="race", value=0)))
    children = [start_child(stand_now, "count", "60") for _ in range(3)]
    give_the_shot(stand_now, children)
    assert [end_child(child) for child in children] == ["counted"] * 3
    assert stand_now.store.read_now(lambda tx: tx.execute(select(counters.c.value)).scalar_one()) == 180


def test_a_process_that_was_taken_over_finds_its_transaction_fenced(stand_now):
    stand = stand_now
    row = run(stand.open(note("monday"), domain="notebook"))
    child = start_child(stand, "slow_notebook", str(row.number))
    wait_for(stand.folder / "waiting", child)
    past = to_text(SystemClock().now() - timedelta(minutes=1))
    owner = {**stand.row(row.number).owner, "host": "elsewhere"}
    stand.set(row.number, owner=owner, lease_until=past)
    assert [found.state for found in run(recover(stand.controller))] == ["failed"]
    (stand.folder / "go").touch()
    assert end_child(child) == "failed", "it tells what the record says"
    assert stand.notebook.effects_of(row.id) == 0
    assert stand.row(row.number).reason["code"] == "nothing_done"
    assert stand.events(row.number).count("execution_submitted") == 1
    assert stand.chain_holds(row.number)


def test_a_process_that_lives_is_not_taken_over_while_it_works(stand_now):
    stand = stand_now
    row = run(stand.open(note("monday"), domain="notebook"))
    child = start_child(stand, "slow_notebook", str(row.number))
    wait_for(stand.folder / "waiting", child)
    assert run(recover(stand.controller)) == []
    assert stand.row(row.number).state == "submitting"
    (stand.folder / "go").touch()
    assert end_child(child) == "verified"
    assert stand.notebook.effects_of(row.id) == 1
