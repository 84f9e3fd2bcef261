"""A command pays for what it needs: what is slow to import is absent after a start that does not use it."""

import json
import os
import subprocess
import sys

import pytest

SLOW = {"alembic", "icalendar", "langgraph", "numpy", "ortools", "pandas", "prompt_toolkit"}
STORY = """
import json, sys
from steadyhand.cli.main import run
code = run(sys.argv[1:])
sys.stdout.flush()
print("\\n" + json.dumps([code, sorted({name.partition(".")[0] for name in sys.modules})]))
"""


@pytest.fixture
def loaded(data_dir):
    """Run a command in a process of its own; return how it ended and which packages it had imported."""

    def run(*words):
        environment = {**os.environ, "STEADYHAND_DATA_DIR": str(data_dir)}
        done = subprocess.run(
            [sys.executable, "-c", STORY, *words], env=environment, capture_output=True, text=True, check=True, timeout=120
        )
        code, modules = json.loads(done.stdout.splitlines()[-1])
        assert done.stderr == "" or code != 0
        return code, set(modules)

    return run


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["change", "--help"], ["--lang", "zh-CN", "schedule", "--help"]])
def test_help_loads_nothing_slow_and_no_database(loaded, data_dir, words):
    code, modules = loaded(*words)
    assert code == 0
    assert modules & (SLOW | {"structlog", "rich"}) == set()
    assert list(data_dir.iterdir()) == []


def test_the_very_help_loads_no_sql(loaded):
    assert "sqlalchemy" not in loaded("--help")[1]


@pytest.mark.parametrize("words", [["change", "list"], ["schedule", "show"], ["user", "show"]])
def test_a_command_that_only_looks_loads_nothing_slow(loaded, words):
    loaded("user", "show")  # the first start makes the tables, which takes the migration tool
    _, modules = loaded(*words)
    assert "sqlalchemy" in modules
    assert modules & SLOW == set()


def test_the_first_start_alone_takes_the_migration_tool(loaded):
    assert "alembic" in loaded("user", "show")[1]
    assert "alembic" not in loaded("user", "show")[1]
