"""Decides what a person takes away of a change, and re-checks such a file offline. It must not trust a word of the file it checks."""

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, cast

from steadyhand import __version__
from steadyhand.core.canonical import Json, canonical, digest_bytes
from steadyhand.gate import journal
from steadyhand.gate.journal import Entry
from steadyhand.gate.preparing import REHEARSED
from steadyhand.gate.sealing import seal_digest
from steadyhand.store import Store, Tx, changes, records
from steadyhand.store.changes import ChangeRow

MANIFEST = "manifest.json"
MAX_FILE = 256 * 1024 * 1024
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The same change gives the same bytes, so entries carry no time of their own."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that does not hold: a stable *code*, and the file or entry that it is about."""

    code: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """What the check of a dossier found; *head* is the last hash of its journal, to be compared with one noted elsewhere."""

    ok: bool
    problems: tuple[Problem, ...]
    name: str = ""
    state: str = ""
    head: str = ""


async def export(store: Store, row: ChangeRow) -> bytes:
    """Return the dossier of a change as a ZIP file whose manifest carries the digest of every file in it."""
    files = await store.read(lambda tx: _files(tx, row))
    manifest = {
        "format": 1,
        "program": __version__,
        "change": row.id,
        "number": row.number,
        "state": row.state,
        "seal": row.seal_digest,
        "spec": row.spec_digest,
        "program_digest": row.program_digest,
        "files": {name: digest_bytes(content) for name, content in files.items()},
    }
    files[MANIFEST] = canonical(cast("Json", manifest))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, EPOCH), files[name], zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _files(tx: Tx, row: ChangeRow) -> dict[str, bytes]:
    files = dict(records.artifacts_of(tx, row.user_id, row.id))
    decided = [{**asdict(decision)} for decision in changes.decisions_of(tx, row.user_id, row.id)]
    program = cast("Mapping[str, Any]", row.program or {})
    script = "generated_script.py" if program.get("media") == "text/x-python" else "operations.json"
    texts: dict[str, str | None] = {
        "design.txt": row.spec,
        script: cast("str | None", program.get("text")),
        "seal.json": row.seal,
    }
    values: dict[str, Json] = {
        "workspace.json": row.observation,
        "design_route.json": row.route,
        "tool_calls.json": row.calls or None,
        "rehearsal.json": row.rehearsal,
        "approval.json": cast("Json", decided) or None,
        "result.json": row.receipt,
        "evidence.json": row.evidence,
        "steps.json": cast("Json", [asdict(step) for step in records.steps_of(tx, row.user_id, row.id)]) or None,
    }
    files |= {name: text.encode() for name, text in texts.items() if text is not None}
    files |= {name: canonical(value) for name, value in values.items() if value is not None}
    lines = [canonical({"entry": entry.entry, "hash": entry.hash}) for entry in records.entries(tx, row.user_id, row.id)]
    files["journal.jsonl"] = b"".join(one + b"\n" for one in lines)
    return files


def verify(data: bytes) -> Report:
    """Re-check a dossier: every digest, the journal's chain, the seal over its own parts, and that what ran was approved."""
    try:
        files = _read(data)
        manifest = cast("dict[str, Any]", json.loads(files.pop(MANIFEST)))
        problems = _check(files, manifest)
        name, state = f"C-{int(manifest['number'])}", str(manifest["state"])
        head = _entries(files)[-1].hash if not problems else ""
    except (KeyError, ValueError, TypeError, IndexError, AttributeError, zipfile.BadZipFile, OSError, RuntimeError) as error:
        return Report(ok=False, problems=(Problem("unreadable", type(error).__name__),))
    return Report(not problems, tuple(problems), name, state, head)


def _read(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        infos = archive.infolist()
        if len({info.filename for info in infos}) != len(infos) or sum(info.file_size for info in infos) > MAX_FILE:
            raise ValueError("entries")
        return {info.filename: archive.read(info) for info in infos}


def _entries(files: Mapping[str, bytes]) -> list[records.JournalRow]:
    rows: list[records.JournalRow] = []
    for text in files["journal.jsonl"].decode().splitlines():
        stored = cast("dict[str, str]", json.loads(text))
        rows.append(records.JournalRow(int(json.loads(stored["entry"])["seq"]), stored["entry"], stored["hash"]))
    return rows


def _check(files: Mapping[str, bytes], manifest: Mapping[str, Any]) -> list[Problem]:
    listed = cast("dict[str, str]", manifest["files"])
    problems = [Problem("missing", name) for name in sorted(set(listed) - set(files))]
    problems += [Problem("unlisted", name) for name in sorted(set(files) - set(listed))]
    problems += [
        Problem("changed", name) for name in sorted(set(files) & set(listed)) if digest_bytes(files[name]) != listed[name]
    ]
    if problems:
        return problems
    rows = _entries(files)
    broken = journal.broken_at(rows)
    if broken is not None:
        return [Problem("journal_broken", str(broken))]
    events = [cast("dict[str, Any]", json.loads(row.entry)) for row in rows]
    if any(event["change"] != manifest["change"] or event["number"] != manifest["number"] for event in events):
        problems.append(Problem("journal_other"))
    return problems + _check_seal(files, manifest, events) + _check_end(manifest, events)


def _check_seal(files: Mapping[str, bytes], manifest: Mapping[str, Any], events: list[dict[str, Any]]) -> list[Problem]:
    if manifest["seal"] is None:
        return [] if "seal.json" not in files else [Problem("seal_unlisted")]
    text = files["seal.json"].decode()
    seal = cast("dict[str, Any]", json.loads(text))
    problems: list[Problem] = []
    if seal_digest(text) != manifest["seal"] or canonical(cast("Json", seal)).decode() != text:
        problems.append(Problem("seal_differs"))
    script = files.get("generated_script.py") or files.get("operations.json") or b""
    if script.decode() != seal["program"]["text"] or digest_bytes(script) != manifest["program_digest"]:
        problems.append(Problem("program_differs"))
    if seal["change"] != manifest["change"] or seal["spec_digest"] != manifest["spec"]:
        problems.append(Problem("seal_other"))
    sealed = [event["detail"].get("seal") for event in events if event["event"] == Entry.CHANGE_SEALED]
    if sealed != [manifest["seal"]]:
        problems.append(Problem("journal_seal"))
    decided = cast("list[dict[str, Any]]", json.loads(files.get("approval.json", b"[]")))
    if digest_bytes(files.get("workspace.json", b"")) != seal["observation"]:
        problems.append(Problem("workspace_differs"))
    corrected = any(one["kind"] == "correct" for one in decided)
    if not corrected and files.get("request.txt", b"").decode() != seal["request"]:
        problems.append(Problem("request_differs"))  # a corrected request is another than the one saved before observing
    submitted = any(event["event"] == Entry.EXECUTION_SUBMITTED for event in events)
    if submitted and not any(one["kind"] == "approve" and one["digest"] == manifest["seal"] for one in decided):
        problems.append(Problem("not_approved"))
    return problems + _check_artifacts(files, seal, events)


def _check_artifacts(files: Mapping[str, bytes], seal: Mapping[str, Any], events: list[dict[str, Any]]) -> list[Problem]:
    """Compare what rehearsal, target and read-back left with the digests that seal, receipt and journal have of it."""
    expected: dict[str, str] = {}
    if seal["rehearsal"] is not None:
        expected |= {f"{REHEARSED}{name}": told for name, told in seal["rehearsal"]["artifacts"].items()}
    if "result.json" in files:
        expected |= json.loads(files["result.json"])["artifacts"]
    for event in events:
        if event["event"] == Entry.EXECUTION_COMPLETED:
            expected["result.json"] = event["detail"]["receipt"]
        if event["event"] == Entry.READBACK_VERIFIED:
            expected["evidence.json"] = event["detail"]["evidence"]
    return [
        Problem("artifact_differs", name) for name in sorted(expected) if digest_bytes(files.get(name, b"")) != expected[name]
    ]


def _check_end(manifest: Mapping[str, Any], events: list[dict[str, Any]]) -> list[Problem]:
    names = [event["event"] for event in events]
    problems: list[Problem] = []
    if names.count(Entry.EXECUTION_SUBMITTED) > 1:
        problems.append(Problem("twice"))
    if Entry.EXECUTION_SUBMITTED in names and Entry.CHANGE_APPROVED not in names[: names.index(Entry.EXECUTION_SUBMITTED)]:
        problems.append(Problem("early"))
    if (manifest["state"] == "verified") != (Entry.READBACK_VERIFIED in names):
        problems.append(Problem("state_readback"))
    ended = [event["detail"]["state"] for event in events if event["event"] == Entry.CHANGE_ENDED]
    if ended and ended[-1] != manifest["state"]:
        problems.append(Problem("state_end"))
    return problems
