"""A named place ends the process as kill -9 does, at the visit that was asked for; without a name it does nothing."""

import os
import re
import signal
import subprocess
import sys

import pytest

from core.scan import SOURCE
from steadyhand.core.faults import POINTS, reach

STORY = """
import atexit, sys
from steadyhand.core.faults import reach
atexit.register(print, "handler")
for visit in (1, 2, 3):
    print(visit, end=" ", flush=True)
    reach("gate.sealed")
    reach("gate.opened")
"""


def run(fault):
    environment = {**os.environ, "STEADYHAND_FAULT": fault}
    return subprocess.run([sys.executable, "-c", STORY], env=environment, capture_output=True, text=True, check=False)


def test_every_point_is_named_once_and_reached_somewhere():
    reached = set()
    for path in SOURCE.rglob("*.py"):
        reached |= set(re.findall(r'reach\(\s*"([a-z_.]+)"', path.read_text(encoding="utf-8")))
    assert len(POINTS) == len(set(POINTS))
    assert reached == set(POINTS)


def test_without_a_name_nothing_happens():
    for point in POINTS:
        reach(point)
    assert run("").stdout == "1 2 3 handler\n"
    assert run("gate.verified").stdout == "1 2 3 handler\n"


@pytest.mark.parametrize(("fault", "printed"), [("gate.sealed", "1 "), ("gate.sealed:1", "1 "), ("gate.sealed:3", "1 2 3 ")])
def test_the_process_ends_there_without_a_word(fault, printed):
    done = run(fault)
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, printed)


def test_a_visit_that_does_not_come_ends_nothing():
    assert run("gate.sealed:4").returncode == 0
