"""Decides how tests run the command line and compare what is stored: in this process, in a child, and as rows without drawn numbers."""

import contextlib
import io
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from steadyhand.cli.main import run

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
TERM_FILE, TASK_FILE, COURSE_FILE = (str(EXAMPLES / name) for name in ("term.ics", "tasks.md", "courses.csv"))


IN_SEPTEMBER = str(Path(__file__).with_name("in_september.py"))
"""The command line on days before the examples' term, as a script of its own."""


PROGRAM: tuple[str, ...] = ("-m", "steadyhand")
"""What a child runs; the fixture `september` puts the script above in its place."""


def child_environment(data_dir: Path, **more: str) -> dict[str, str]:
    """Return what a child process gets: nothing of the developer's."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**kept, "LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "xterm", "STEADYHAND_DATA_DIR": str(data_dir), **more}


def in_child(
    data_dir: Path, *words: str, timeout: float = 120, program: Sequence[str] = (), **more: str
) -> "subprocess.CompletedProcess[str]":
    """Run a command in a process of its own, with pipes."""
    return subprocess.run(
        [sys.executable, "-P", *(program or PROGRAM), *words],
        env=child_environment(data_dir, **more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=timeout,
        check=False,
    )


def in_here(data_dir: Path, *words: str) -> "Answer":
    """Run a command in this process on a folder: the same as in a child, without its start."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        patch.setenv("STEADYHAND_DATA_DIR", str(data_dir))
        code = run(list(words))
    return Answer(code, out.getvalue(), err.getvalue())


@dataclass
class Answer:
    """What a command printed and its exit code."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


@dataclass
class Line:
    """The command line in this process, on one data folder."""

    capsys: Any
    data_dir: Path
    language: str = "en"
    asked: list[str] = field(default_factory=list)

    @property
    def database(self) -> Path:
        return self.data_dir / "steadyhand.db"

    def __call__(self, *words: str) -> Answer:
        self.capsys.readouterr()
        code = run(["--lang", self.language, *words])
        out, err = self.capsys.readouterr()
        return Answer(code, out, err)

    def ok(self, *words: str) -> Answer:
        """Run a command that must succeed."""
        answer = self(*words)
        assert answer.code == 0, answer
        return answer

    def approve(self) -> Answer:
        """Approve the newest change by the digest that is stored for it."""
        newest = self.ok("--json", "change", "list").data["changes"][0]
        return self.ok("change", "approve", newest["name"], newest["seal_digest"][:8])

    def dump(self) -> list[str]:
        return dump(self.database)


def dump(database: Path) -> list[str]:
    """Return the whole database as statements."""
    with sqlite3.connect(database) as connection:
        found = list(connection.iterdump())
    connection.close()
    return found


def content(database: Path) -> dict[str, Any]:
    """Return what the timetable holds, without the numbers that were drawn for it."""
    connection = sqlite3.connect(database)
    try:
        names = {row[0]: row[1] for row in connection.execute("SELECT id, name FROM schedule_events")}
        classes = {row[0]: row[1] for row in connection.execute("SELECT id, name FROM task_classes")}
        cells = [
            (names[event], week, day, section, names.get(host))
            for event, week, day, section, host in connection.execute(
                "SELECT event_id, week, day_of_week, section, host_event_id FROM schedules"
            )
        ]
        particulars = [
            (names[event], *known)
            for event, *known in connection.execute(
                "SELECT event_id, week, day_of_week, section, begins, ends, location, teacher FROM schedules"
            )
        ]
        items = [
            (classes[row[0]], *row[1:])
            for row in connection.execute(
                "SELECT class_id, content, position, duration, earliest, deadline, priority FROM task_items"
            )
        ]
        return {
            "terms": sorted(connection.execute("SELECT id, name, zone, first_monday, weeks, is_current FROM terms")),
            "events": sorted(connection.execute("SELECT name, kind, can_embed, uid FROM schedule_events")),
            "cells": sorted(cells, key=str),
            "particulars": sorted(particulars, key=str),
            "classes": sorted(classes.values()),
            "items": sorted(items, key=str),
        }
    finally:
        connection.close()


def states(database: Path) -> list[tuple[int, str]]:
    """Return number and state of every change, ascending."""
    connection = sqlite3.connect(database)
    try:
        return list(connection.execute("SELECT number, state FROM changes ORDER BY number"))
    finally:
        connection.close()
