"""Killed anywhere, a wake-up that had not begun is taken up again; one that had is failed, told as such, and never run again."""

import os
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from session.ground import call, said
from steadyhand.core.clock import SystemClock, to_text
from steadyhand.store.later import wakeups
from wakeups.child import SCRIPTS
from wakeups.ground import bedside

pytestmark = pytest.mark.crash


@pytest.fixture
def bed(database_url, folder):
    made = bedside(database_url, folder, SystemClock())
    yield made
    made.store.close()


def due(bed):
    """A follow-up whose moment has come: its row is moved into the past, so that no test waits."""
    booked = bed.follow_up()
    at = to_text(bed.clock.now() - timedelta(seconds=1))
    bed.store.write_now(lambda tx: wakeups.change(tx, bed.row(booked), due_at=at, meant_at=at))
    return booked


def die(bed, story: str, fault: str) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("STEADYHAND_")}
    url = bed.store.url.render_as_string(hide_password=False)
    child = subprocess.run(
        [sys.executable, "-m", "wakeups.child", url, str(bed.room.folder), story],
        env={**kept, "PYTHONPATH": str(Path(__file__).parent.parent), "STEADYHAND_FAULT": fault},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert child.returncode == -signal.SIGKILL, child.stderr


@pytest.mark.parametrize("fault", ["wakeup.claimed", "wakeup.accepted", "wakeup.started"])
def test_what_had_not_begun_is_taken_up_again_and_comes_once(bed, fault):
    """At ``wakeup.started`` the transaction that says so is not through yet."""
    made = due(bed)
    die(bed, "speaking", fault)
    bed = bed.again(*SCRIPTS["speaking"])
    shown = bed.wake()
    assert shown == ["How did it go?"]
    assert (bed.row(made).status, bed.row(made).completion_action) == ("completed", "sent_private_message")
    assert bed.wake() == []


@pytest.mark.parametrize("fault", ["turn.before_settle", "wakeup.before_settled"])
def test_what_had_spoken_is_not_called_broken_off(bed, fault):
    made = due(bed)
    die(bed, "speaking", fault)
    bed = bed.again(said("never asked"))
    bed.tick()
    assert bed.run() == []  # it was shown before its process died
    row = bed.row(made)
    assert (row.status, row.completion_action, row.last_error) == ("completed", "sent_private_message", "lease_lost")
    assert bed.wake() == []


@pytest.mark.parametrize("fault", ["turn.begun", "turn.calls_begun"])
def test_what_had_begun_is_failed_and_told_and_not_run_again(bed, fault):
    made = due(bed)
    die(bed, "speaking", fault)
    bed = bed.again(said("never asked"))
    bed.tick()
    shown = bed.run()
    row = bed.row(made)
    assert (row.status, row.completion_action, row.last_error) == ("failed", "unknown", "lease_lost")
    assert "broken off" in shown[-1]
    assert "I will ask how it went" in shown[-1]
    assert bed.room.provider.requests == []
    assert bed.wake() == []
    assert [run.outcome for run in bed.runs(made)] == ["failed"]


@pytest.mark.parametrize("fault", ["wakeup.claimed", "wakeup.accepted", "wakeup.before_settled", "outbox.sending"])
def test_words_without_a_model_come_exactly_once(bed, fault):
    due(bed)
    die(bed, "words", fault)
    bed = bed.again(thinks=False)
    assert len(bed.wake()) == 1
    assert bed.wake() == []


def test_one_that_was_silent_stays_silent(bed):
    made = due(bed)
    die(bed, "silent", "wakeup.accepted")
    bed = bed.again(call("finish", reason="no need"))
    assert bed.wake() == []
    assert bed.row(made).completion_action == "skipped"
