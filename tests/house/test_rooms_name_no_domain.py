"""What every domain goes through names none of them: neither in code nor in what it tells a person or a model."""

import re
from pathlib import Path

import pytest

import steadyhand
from steadyhand.wiring.domains import DOMAINS

ROOT = Path(steadyhand.__file__).parent
ROOMS = ("agent", "session", "llm", "cli/main.py", "cli/change/review.py", "cli/house/doctor.py")
NAMES = re.compile(rf"\b(?:{'|'.join(record.name for record in DOMAINS)})\b")
ALLOWED = {"calls"}
"""Held calls are a domain, and the word is also what a model makes."""
WORDS = re.compile(r"\b(?:timetables?|courses?|lessons?|semesters?)\b|课表|课程|时间表|学期|节次|网格|部件", re.IGNORECASE)


def files(suffix: str) -> list[Path]:
    found = [file for room in ROOMS for file in ((ROOT / room).rglob(f"*{suffix}") if (ROOT / room).is_dir() else [ROOT / room])]
    return sorted(file for file in found if file.suffix == suffix)


@pytest.mark.parametrize("file", files(".py"), ids=lambda file: str(file.relative_to(ROOT)))
def test_no_code_names_a_domain(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert [found for found in NAMES.findall(text) if found not in ALLOWED] == []


@pytest.mark.parametrize("file", files(".toml"), ids=lambda file: str(file.relative_to(ROOT)))
def test_no_text_speaks_of_what_one_domain_is_about(file: Path) -> None:
    assert WORDS.findall(file.read_text(encoding="utf-8")) == []


def test_there_is_something_to_look_at() -> None:
    assert len(files(".py")) > 60
    assert len(files(".toml")) > 20
