"""Tests that the documents which list something list all of it, and nothing that is gone."""

import re
import tomllib
from pathlib import Path

import pytest

from steadyhand.core.config import NOT_SETTINGS, Settings

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def rows(document: Path) -> list[list[str]]:
    """Return the cells of every table row of a document, without heads and rules."""
    found: list[list[str]] = []
    for line in document.read_text(encoding="utf-8").splitlines():
        if line.startswith("|---") and found:
            found.pop()  # the line before was the head
        elif line.startswith("|") and not line.startswith("|---"):
            found.append([cell.strip() for cell in line.strip().strip("|").split("|")])
    return found


def first_words(document: Path) -> list[str]:
    return [row[0].strip("`") for row in rows(document)]


def test_every_setting_is_described_and_no_other() -> None:
    assert sorted(first_words(DOCS / "settings.md")) == sorted([*Settings.model_fields, *NOT_SETTINGS])


def test_what_the_proof_sets_for_tests_is_no_setting_and_is_described() -> None:
    """A variable that CI sets reaches fixtures that are made before a test's own clean environment, and would be refused there."""
    exported = set(re.findall(r"\bSTEADYHAND_[A-Z_]+(?==)", (ROOT / ".ci" / "run").read_text(encoding="utf-8")))
    assert len(exported) >= 4
    assert exported <= NOT_SETTINGS


def test_the_described_defaults_are_the_real_ones() -> None:
    said = {row[0].strip("`"): row[1].strip("`") for row in rows(DOCS / "settings.md") if len(row) == 3}
    real = {name: field.default for name, field in Settings.model_fields.items() if field.default_factory is None}
    assert {name: said[name] for name, value in real.items() if value not in {"", None}} == {
        name: written(value) for name, value in real.items() if value not in {"", None}
    }


def written(value: object) -> str:
    """Return a default as the page writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ", ".join(str(one) for one in value) or "empty"
    return str(value)


def test_every_dependency_is_explained_and_no_other() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = [*project["dependencies"], *(line for extra in project["optional-dependencies"].values() for line in extra)]
    names = {re.split(r"[\[<>=]", line, maxsplit=1)[0] for line in declared}
    told = [name for words in first_words(DOCS / "dependencies.md") for name in words.split(", ")]
    assert sorted(told) == sorted(names)


def test_no_word_of_the_glossary_stands_twice_or_is_refused_elsewhere() -> None:
    table = rows(DOCS / "glossary.md")
    words = [word for row in table for word in re.findall(r"\*\*([^*]+)\*\*", row[0])]
    refused = {word for row in table for word in re.findall(r"`([a-z_]+)`", row[2])}
    assert len(words) == len(set(words)) > 50
    assert not refused & set(words)


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"])
def test_the_papers_of_the_house_are_there_and_short(name: str) -> None:
    assert 5 < len((ROOT / name).read_text(encoding="utf-8").splitlines()) < 80
