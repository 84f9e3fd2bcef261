"""A worker is really killed at every named point of a job; after a restart its end is told once, and nothing that may have been is done again."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobs.ground import COMMAND, DESK, ME, House, lay, trial
from steadyhand.core import faults
from steadyhand.jobs import here
from steadyhand.jobs.book import Start
from steadyhand.store import Store

pytestmark = pytest.mark.crash

STORY = {
    # the point of death, and whether the work may be repeated: how it ends, how often it was done, how often it was begun
    ("job.claimed", False): ("done", 1, 1),
    ("job.claimed", True): ("done", 1, 1),
    ("job.started", False): ("unknown", 0, 1),
    ("job.started", True): ("done", 1, 2),
    ("job.ended", False): ("unknown", 1, 1),
    ("job.ended", True): ("done", 2, 2),
    ("job.before_told", False): ("done", 1, 1),
    ("job.before_told", True): ("done", 1, 1),
}


@pytest.fixture
def house_now(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    monkeypatch.setattr(here, "CHILD_COMMAND", COMMAND)
    opened = Store(database_url)
    lay(opened)
    yield House(opened)
    opened.close()


def die(house: House, fault: str) -> None:
    """Let another process work, and be killed at the fault point."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("STEADYHAND_")}
    url = house.store.url.render_as_string(hide_password=False)
    child = subprocess.run(
        [sys.executable, "-m", "jobs.working_child", url],
        env={**kept, "PYTHONPATH": str(Path(__file__).parent.parent), "STEADYHAND_FAULT": fault},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert child.returncode == -signal.SIGKILL, child.stderr


def test_every_point_of_a_job_has_its_story():
    assert {point for point, _ in STORY} == {point for point in faults.POINTS if point.startswith("job.")}


@pytest.mark.parametrize(("point", "repeatable"), STORY, ids=[f"{point}-{again}" for point, again in STORY])
def test_killed_there_and_started_again_the_end_is_told_once_and_as_it_is(house_now, tmp_path, point, repeatable):
    house, file = house_now, tmp_path / "effects"
    state, effects, begun = STORY[point, repeatable]
    wanted = Start(ME, DESK, "body", "mark", trial("mark"), {"file": str(file)}, "both", repeatable=repeatable)
    job = asyncio.run(house.book.start(wanted))
    die(house, point)
    assert house.owed() == []
    for _ in range(2):
        asyncio.run(house.work())
    row = house.row(job)
    assert (row.state, row.attempt) == (state, begun)
    assert (file.read_text(encoding="utf-8").count("done") if file.exists() else 0) == effects
    assert len(house.owed()) == len(house.inbounds()) == 1
    assert ("marked" in house.owed()[0]) == (state == "done")
    assert ("may have had its effect" in house.owed()[0]) == (state == "unknown")


def test_the_child_of_a_killed_worker_does_not_outlive_it_and_its_job_is_told(house_now):
    house = house_now
    job = asyncio.run(house.book.start(Start(ME, DESK, "body", "wait", trial("wait_forever"))))
    kept = {name: value for name, value in os.environ.items() if not name.startswith("STEADYHAND_")}
    url = house.store.url.render_as_string(hide_password=False)
    with subprocess.Popen(
        [sys.executable, "-m", "jobs.working_child", url], env={**kept, "PYTHONPATH": str(Path(__file__).parent.parent)}
    ) as child:
        asyncio.run(house.until(lambda: house.row(job).progress is not None))
        worker = house.row(job).progress["done"]
        child.kill()
    asyncio.run(house.work())
    assert house.row(job).state == "unknown"
    asyncio.run(house.until(lambda: not Path(f"/proc/{worker}").exists()))
    assert len(house.owed()) == 1
