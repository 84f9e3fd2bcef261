"""The checklist names a test for every item, and only tests and files that exist."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
CHECKLIST = (ROOT / "docs" / "checklist.md").read_text(encoding="utf-8")
ROWS = [
    line.split("|")[1:3] for line in CHECKLIST.splitlines() if line.startswith("| ") and not line.startswith(("| item", "| ---"))
]
NAMED = re.compile(r"`([\w./-]+\.(?:py|json))(?:::(\w+))?`")


def names_in(file: Path) -> set[str]:
    """Return the functions of a file, and the names that it gives to state machines of tests."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


def test_the_checklist_has_items() -> None:
    assert len(ROWS) > 20


@pytest.mark.parametrize(("item", "held_by"), ROWS, ids=[item.strip() for item, _ in ROWS])
def test_an_item_names_tests_that_exist(item: str, held_by: str) -> None:
    named = NAMED.findall(held_by)
    assert named, f"{item} names no test"
    for path, name in named:
        file = TESTS / path
        assert file.is_file(), f"{path} is not there"
        if name:
            assert name in names_in(file), f"{path} has no {name}"
        elif file.suffix == ".py" and file.name.startswith("test_"):
            assert any(one.startswith(("test_", "Test")) for one in names_in(file)), f"{path} holds no test"
