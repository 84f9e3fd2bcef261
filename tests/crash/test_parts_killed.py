"""A process is really killed while it changes a part; after a restart the part is whole and the record tells which one it is."""

import shutil
import subprocess
import sys

import pytest

from steadyhand.core import faults
from steadyhand.core.clock import SystemClock
from steadyhand.gate.recovery import recover
from trial_domains.stand import environment, killed, run
from trial_parts.gate import build, changed, over
from trial_parts.stand import PLATE, reachable

pytestmark = pytest.mark.crash

POINTS = {
    # the point of death: what the restart makes of it, and the elements that the part has then
    "cae.ran": ("sealed", 60),
    "cae.ran:2": ("failed", 60),
    "cae.staged": ("failed", 60),
    "cae.before_switch": ("failed", 60),
    "gate.in_effect": ("failed", 60),
    "cae.after_switch": ("verified", 120),
    "gate.after_effect": ("verified", 120),
}


@pytest.fixture(scope="module")
def with_a_plate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("gate")
    stand = build(folder)
    assert run(changed(stand, PLATE)).state == "verified"
    stand.store.close()
    return folder


def test_every_point_of_a_switch_is_among_them():
    assert {point.partition(":")[0] for point in POINTS if point.startswith("cae.")} == {
        point for point in faults.POINTS if point.startswith("cae.")
    }


@pytest.mark.parametrize("point", POINTS)
def test_a_killed_change_of_a_part_is_whole_or_nothing(with_a_plate, tmp_path, point):
    told, elements = POINTS[point]
    shutil.copytree(with_a_plate, tmp_path, dirs_exist_ok=True)
    url = f"sqlite:///{tmp_path / 'gate.db'}"
    stand = over(url, tmp_path, SystemClock())
    before = reachable(stand.part)
    child = subprocess.Popen(
        [sys.executable, "-m", "trial_parts.child", url, str(tmp_path)],
        env=environment(point),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert killed(child), f"the child did not pass {point}"
    if elements == 60:
        assert reachable(stand.part) == before
    after_death = reachable(stand.part)
    run(recover(stand.controller))
    row = stand.row(2)
    assert row.state == told
    assert reachable(stand.part) == after_death, "recovery asks, and changes nothing that is reachable"
    assert run(recover(stand.controller)) == []
    assert sorted(path.name for path in (stand.part / "versions").iterdir()) == (["1"] if elements == 60 else ["1", "2"])
    assert [*(stand.part / "staging").iterdir(), *(stand.part / "shadow").iterdir()] == []
    if point == "cae.staged":
        again = run(changed(stand, "part.Node((0.0, 0.0, 9.0))"))
        assert again.state == "verified", "the lock of a dead process holds nobody up"
    stand.store.close()
