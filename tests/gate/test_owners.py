"""Whether the process that owns a change's work still lives."""

import dataclasses
import os
import subprocess
import sys
from datetime import timedelta

import psutil
import pytest

from steadyhand.core import owners
from steadyhand.core.clock import to_text
from trial_domains.stand import run


@pytest.fixture
def row(stand):
    """A row that this process owns, with a lease that has half a minute to go."""
    made = run(stand.sealed())
    return dataclasses.replace(made, **stand.controller.ledger.ownership())


def owned_by(row, **changes):
    return dataclasses.replace(row, owner={**row.owner, **changes})


@pytest.fixture
def sleeper():
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield child
    child.kill()
    child.communicate()


def test_a_process_that_lives_is_not_gone_however_old_its_lease(row, stand, sleeper):
    started = owners._started(sleeper.pid)
    other = owned_by(row, pid=sleeper.pid, started=started)
    assert not owners.is_gone(other.claim, stand.clock.now())
    assert not owners.is_gone(other.claim, stand.clock.now() + timedelta(days=1))


def test_a_process_id_that_was_given_to_another_process_is_gone(row, stand):
    assert owners.is_gone(owned_by(row, started=row.owner["started"] - 1).claim, stand.clock.now())
    assert owners.is_gone(owned_by(row, started=None).claim, stand.clock.now())


def test_a_process_that_ended_is_gone(row, stand, sleeper):
    other = owned_by(row, pid=sleeper.pid, started=owners._started(sleeper.pid))
    sleeper.kill()
    sleeper.wait()
    assert owners.is_gone(other.claim, stand.clock.now())


def test_a_zombie_is_gone(row, stand, sleeper):
    other = owned_by(row, pid=sleeper.pid, started=owners._started(sleeper.pid))
    sleeper.kill()
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)
    assert psutil.Process(sleeper.pid).status() == psutil.STATUS_ZOMBIE
    assert owners.is_gone(other.claim, stand.clock.now())


def test_a_process_of_another_host_is_gone_only_when_its_lease_has_run_out(row, stand):
    other = owned_by(row, host="elsewhere", pid=1, started=1)
    assert not owners.is_gone(other.claim, stand.clock.now())
    assert not owners.is_gone(other.claim, stand.clock.now() + timedelta(seconds=30))
    assert owners.is_gone(other.claim, stand.clock.now() + timedelta(seconds=31))
    assert owners.is_gone(dataclasses.replace(other, lease_until=None).claim, stand.clock.now())


def test_the_same_process_number_on_another_host_is_another_process(row, stand):
    other = owned_by(row, host="elsewhere")
    assert owners.is_gone(
        dataclasses.replace(other, lease_until=to_text(stand.clock.now() - timedelta(seconds=1))), stand.clock.now()
    )


def test_work_without_an_owner_has_nobody_to_wait_for(row, stand):
    assert owners.is_gone(dataclasses.replace(row, owner=None).claim, stand.clock.now())


def test_what_this_process_works_on_is_never_gone(row, stand):
    with owners.at_work(row.owner_token):
        assert not owners.is_gone(row.claim, stand.clock.now() + timedelta(days=1))


def test_what_this_process_gave_up_is_gone_once_its_lease_has_run_out(row, stand):
    assert not owners.is_gone(row.claim, stand.clock.now())
    assert owners.is_gone(row.claim, stand.clock.now() + timedelta(seconds=31))


def test_a_process_that_cannot_be_looked_at_is_judged_by_its_lease(row, stand, sleeper, monkeypatch):
    def hidden(pid):
        raise psutil.AccessDenied(pid)

    other = owned_by(row, pid=sleeper.pid, started=owners._started(sleeper.pid))
    monkeypatch.setattr(owners.psutil, "Process", hidden)
    assert not owners.is_gone(other.claim, stand.clock.now())
    assert owners.is_gone(other.claim, stand.clock.now() + timedelta(seconds=31))


def test_an_owner_names_host_process_and_start():
    assert owners.myself() == owners.myself()
    assert set(owners.myself()) == {"host", "pid", "started"}
