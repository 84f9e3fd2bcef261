"""Decides what a script that runs can reach: one part, and what was laid ready for it. It must not look for anything itself."""

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from steadyhand.domains.cae.engine.part import Part

Solver: TypeAlias = Callable[[Part, Path, str, str], Mapping[str, Any]]
"""Takes a part, a folder, a job's name and its kind of elements, and returns the summary of what came of it."""


@dataclass(slots=True)
class Stage:
    """What one run of a script works on, and what it leaves: *reports* and *jobs* by name, and whether it came to its end.

    *folder* is where reports and results go. *decks* maps the SHA-256 of decks that the script may ask for to where they lie.
    """

    model: str
    name: str
    part: Part
    folder: Path
    decks: Mapping[str, Path] = field(default_factory=dict[str, Path])
    solver: Solver | None = None
    reports: dict[str, Any] = field(default_factory=dict[str, Any])
    jobs: dict[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    finished: bool = False


_current: list[Stage] = []


@contextmanager
def on_stage(stage: Stage) -> Generator[None]:
    """Make *stage* the one that scripts meet; one at a time."""
    if _current:
        raise RuntimeError("a script is running already")
    _current.append(stage)
    try:
        yield
    finally:
        _current.clear()


def current() -> Stage:
    """Return the stage of the script that runs."""
    if not _current:
        raise RuntimeError("no script is running")
    return _current[0]
