"""A small change needs no scipy, and what is done without it comes to the same as what is done with it."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.domains.cae.engine import coincidence, resolving

SCRIPT = (
    "from steadyhand.domains.cae.engine.script import open_model\n"
    "model = open_model('panel')\n"
    "part = model.part('plate')\n"
    "part.Grid(origin=(0.0, 0.0, 0.0), u=(60.0, 0.0, 0.0), v=(0.0, 100.0, 0.0), divisions=(6, 10))\n"
    "model.finish(part)\n"
)
RUN = (
    "import sys\n"
    "from pathlib import Path\n"
    "from steadyhand.domains.cae.engine.part import Part\n"
    "from steadyhand.domains.cae.engine.stage import Stage\n"
    "from steadyhand.domains.cae.shelf.bodies import perform\n"
    "receipt = perform(sys.argv[2], Stage('panel', 'plate', Part(), Path(sys.argv[1])))\n"
    "assert receipt['status'] == 'PASS', receipt\n"
)
READ = (
    "import sys\n"
    "from steadyhand.domains.cae.shelf.bodies import read_back\n"
    "bounds = {'threads': 2, 'path': '/usr/bin', 'cpu_seconds': 60}\n"
    "found = read_back({**bounds, 'folder': sys.argv[1], 'keep': True}, b'', print)\n"
    "assert found['facts']['observation']['summary']['element_count'] == 60\n"
)
LOADED = (
    "print(sorted({name.partition('.')[0] for name in sys.modules} & {'scipy', 'pyvista', 'vtk', 'sqlalchemy', 'pydantic'}))\n"
)


def test_a_plate_is_built_and_read_back_by_processes_that_load_neither_scipy_nor_a_database(tmp_path):
    for body in (RUN, READ):
        command = [sys.executable, "-I", "-c", body + LOADED, str(tmp_path), SCRIPT]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.stderr == ""
        assert done.stdout.strip() == "[]"


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 30).flatmap(lambda count: st.tuples(st.just(count), st.lists(st.tuples(*[st.integers(0, count - 1)] * 2)))))
def test_few_links_join_what_many_join(drawn):
    count, links = drawn
    one, other = np.array(links, np.int32).reshape(-1, 2).T
    few, many = (join(count, one, other) for join in (coincidence._joined_by_few, coincidence._joined_by_many))
    assert few.tolist() == many.tolist()


PLACES = st.lists(st.tuples(*[st.sampled_from([0.0, 0.4, 0.9, 1.0, 1.3, 2.0, 1e12])] * 3), min_size=1, max_size=20)


@settings(max_examples=100, deadline=None)
@given(PLACES, PLACES)
def test_few_points_are_resolved_as_many_are(known, wanted):
    held, asked = np.array(known), np.array(wanted)
    few = resolving.resolve_points(held, asked, 0.5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resolving, "FEW_POINTS", 0)
        many = resolving.resolve_points(held, asked, 0.5)
    assert few.rows.tolist() == many.rows.tolist()
    assert few.created.tolist() == many.created.tolist()


@settings(max_examples=100, deadline=None)
@given(PLACES, st.sampled_from([1e-6, 0.4, 0.5, 0.7, 1.0]))
def test_few_points_are_in_one_place_as_many_are(drawn, tolerance):
    points = np.array(drawn)
    few = coincidence.groups(points, tolerance)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(coincidence, "FEW_POINTS", 0)
        many = coincidence.groups(points, tolerance)
    assert few.tolist() == many.tolist()
