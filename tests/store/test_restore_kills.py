"""Killed at any named point, a restore leaves the old database or the new one in place, whole, and the old one nowhere lost."""

import os
import signal
import subprocess
import sys

import pytest

from steadyhand.core.faults import POINTS
from steadyhand.store import Store
from steadyhand.store.people import people
from steadyhand.store.upkeep.backup import back_up
from steadyhand.store.upkeep.restoring import left_behind, restore
from store.ground import ME
from store.test_backup import leave_a_log, listed, make, name_in

RESTORE_POINTS = [point for point in POINTS if point.startswith("restore.")]
SWITCHED = {"restore.switched", "restore.done"}


@pytest.fixture
def place(data_dir):
    file = data_dir / "steadyhand.db"
    make(file, "old")
    leave_a_log(file)  # the old database is whole only with what lies beside it
    return file


@pytest.fixture
def copy(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    file = tmp_path / "copy.db"
    back_up(make(tmp_path / "elsewhere" / "steadyhand.db", "new"), file)
    return file


def killed_at(point, place, copy):
    environment = {**os.environ, "STEADYHAND_FAULT": point, "STEADYHAND_DATA_DIR": str(place.parent)}
    command = [sys.executable, "-m", "steadyhand", "restore", "--yes", str(copy)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr


def name_now(place):
    """Return the name that the program reads, as its next command would."""
    store = Store(f"sqlite:///{place}")
    found = store.read_now(lambda tx: people.require_user(tx, ME)).name
    store.close()
    return found


@pytest.mark.crash
@pytest.mark.parametrize("point", RESTORE_POINTS)
def test_the_place_holds_the_old_or_the_new_database(place, copy, point):
    killed_at(point, place, copy)
    assert name_now(place) == ("new" if point in SWITCHED else "in the log")
    assert name_in(place) == name_now(place)


@pytest.mark.crash
@pytest.mark.parametrize("point", RESTORE_POINTS)
def test_after_a_kill_the_next_restore_clears_up_and_the_old_database_is_there(place, copy, point):
    killed_at(point, place, copy)
    done = restore(Store(f"sqlite:///{place}"), copy)
    assert name_in(place) == "new"
    kept = [path for path in place.parent.iterdir() if ".before-restore-" in path.name]
    assert "in the log" in {name_in(path) for path in kept}
    assert listed(place.parent) == sorted(["steadyhand.db", *(path.name for path in kept)])
    assert done.kept in kept
    assert left_behind(place) is None


@pytest.mark.crash
@pytest.mark.parametrize("point", RESTORE_POINTS)
def test_a_damaged_database_and_its_log_survive_the_kill(place, copy, point):
    log = place.with_name("steadyhand.db-wal")
    place.write_bytes(b"no database at all" * 1000)
    before = (place.read_bytes(), log.read_bytes())
    killed_at(point, place, copy)
    kept = restore(Store(f"sqlite:///{place}"), copy).kept
    assert name_in(place) == "new"
    found = [path for path in place.parent.glob("*.before-restore-*") if path.read_bytes() == before[0]]
    assert len(found) == 1
    assert found[0].with_name(f"{found[0].name}-wal").read_bytes() == before[1]
    assert kept is not None
