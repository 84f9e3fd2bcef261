"""Decides what tests of the servers start from: a folder with an imported term and its tasks."""

import json
import shutil
from pathlib import Path

import pytest

from command_line.ground import TASK_FILE, TERM_FILE, in_here


@pytest.fixture(scope="session")
def _planned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("planned") / "data"
    folder.mkdir()
    for words in (("schedule", "import", TERM_FILE), ("schedule", "tasks", "add", TASK_FILE)):
        assert in_here(folder, *words).code == 0
        newest = json.loads(in_here(folder, "--json", "change", "list").out)["changes"][0]
        assert in_here(folder, "change", "approve", newest["name"], newest["seal_digest"][:8]).code == 0
    return folder


@pytest.fixture
def planned(_planned: Path, tmp_path: Path) -> Path:
    """A data folder with the examples' term and tasks, all of it verified."""
    return shutil.copytree(_planned, tmp_path / "data")
