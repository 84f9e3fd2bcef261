"""Decides which files the record of a change comes to, and their digests for the journal. It must not judge what is in them."""

from collections.abc import Collection, Mapping
from dataclasses import asdict
from typing import Any, cast

from steadyhand.core.canonical import Json, canonical, digest_bytes
from steadyhand.gate.machine import State
from steadyhand.store import Tx
from steadyhand.store.changes import changes, records
from steadyhand.store.changes.changes import ChangeRow, DecisionRow

APPROVAL, STEPS = "approval.json", "steps.json"
SAID = "script_response.txt"
"""What a model said in words beside the calls of its rounds."""
SCRIPTS = ("generated_script.py", "operations.json")
PYTHON = "text/x-python"
TEXTS = {"spec": "design.txt", "seal": "seal.json"}
VALUES = {
    "observation": "workspace.json",
    "route": "design_route.json",
    "calls": "tool_calls.json",
    "rehearsal": "rehearsal.json",
    "receipt": "result.json",
    "evidence": "evidence.json",
}
COLUMNS = frozenset({*TEXTS, *VALUES, "program"})
"""The columns of a change that are files of its dossier."""


def files_of(tx: Tx, row: ChangeRow) -> dict[str, bytes]:
    """Return every file of the change's dossier but its journal and its manifest."""
    found = {**_apart(tx, row), STEPS: _steps(tx, row), **_own(row, COLUMNS)}
    return {name: content for name, content in found.items() if content is not None}


def digests(tx: Tx, row: ChangeRow, columns: Collection[str], *, apart: bool) -> dict[str, str | None]:
    """Return the digests of the files that *columns* are, None for one that is not there; with *apart* also of those that lie in tables of their own."""
    found = _own(row, columns)
    if apart:
        found = {**_apart(tx, row), **found}
    if row.submission_id is not None and row.state != State.SUBMITTING:  # until then its effects are still being logged
        found[STEPS] = _steps(tx, row)
    return {name: None if content is None else digest_bytes(content) for name, content in found.items()}


def _own(row: ChangeRow, columns: Collection[str]) -> dict[str, bytes | None]:
    found: dict[str, bytes | None] = {}
    for column in columns:
        value = getattr(row, column, None)
        if column in TEXTS:
            found[TEXTS[column]] = None if value is None else str(value).encode()
        elif column in VALUES:
            absent = value is None or (column == "calls" and not value)
            found[VALUES[column]] = None if absent else canonical(value)
        elif column == "program":
            found |= _script(row)
    return found


def _script(row: ChangeRow) -> dict[str, bytes | None]:
    program = cast("Mapping[str, Any]", row.program if isinstance(row.program, Mapping) else {})
    text = program.get("text")
    python, other = SCRIPTS
    own, not_it = (python, other) if program.get("media") == PYTHON else (other, python)
    return {own: text.encode() if isinstance(text, str) else None, not_it: None}


def _apart(tx: Tx, row: ChangeRow) -> dict[str, bytes | None]:
    made = sorted(changes.decisions_of(tx, row.user_id, row.id), key=_order)
    decided = [_said(decision) for decision in made]
    return {**records.artifacts_of(tx, row.user_id, row.id), APPROVAL: canonical(decided) if decided else None}


def _order(decision: DecisionRow) -> tuple[str, bool, str]:
    """Return what sorts decisions the same way on any database, those of one moment too."""
    return decision.at, decision.kind not in ("confirm", "correct"), decision.id


def _steps(tx: Tx, row: ChangeRow) -> bytes | None:
    steps = [_said(step) for step in records.steps_of(tx, row.user_id, row.id)]
    return canonical(steps) if steps else None


def _said(row: Any) -> Json:
    """Return a stored row without what it does not say, so that a column of a later version alters no digest of an earlier one."""
    return {name: value for name, value in asdict(row).items() if value is not None}
