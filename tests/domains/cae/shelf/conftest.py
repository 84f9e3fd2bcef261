"""A bench, and one with a plate on it."""

import shutil

import pytest

from trial_parts.stand import PLATE, Bench, program


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


@pytest.fixture(scope="session")
def shelf_with_a_plate(tmp_path_factory):
    root = tmp_path_factory.mktemp("plate")
    Bench(root).execute(program(PLATE), "chg_first")
    return root


@pytest.fixture
def plate(shelf_with_a_plate, tmp_path):
    """A bench whose part is a plate of 60 QUADs, made once."""
    shutil.copytree(shelf_with_a_plate, tmp_path, dirs_exist_ok=True)
    return Bench(tmp_path)
