"""Decides what a person takes away of a change, and re-checks such a file offline. It must not trust a word of the file it checks.

The head of the journal commits to every other file, so the check needs nothing but the head to be believed; a head that was noted
elsewhere can be given. What a journal of an older program does not commit to is named.
"""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from steadyhand import __version__
from steadyhand.core.canonical import Json, canonical, digest, digest_bytes
from steadyhand.gate import holdings, journal
from steadyhand.gate.journal import Entry
from steadyhand.gate.machine import BEFORE_SUBMISSION, ENDED, State
from steadyhand.gate.preparing import REHEARSED
from steadyhand.gate.sealing import seal_digest
from steadyhand.store import Store, Tx
from steadyhand.store.changes import records
from steadyhand.store.changes.changes import ChangeRow

FORMAT = 1
MANIFEST, JOURNAL = "manifest.json", "journal.jsonl"
STATED = {"format", "program", "change", "number", "state", "seal", "spec", "program_digest", "files"}
"""What a manifest says; it may say no more, since nothing would check it."""
MAX_FILE = 256 * 1024 * 1024
MAX_FILES = 10_000
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The same change gives the same bytes, so entries carry no time of their own."""
START, END, END_BYTES = b"PK\x03\x04", b"PK\x05\x06", 22
RAW_ANSWERS = "provider_tool_response."


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that does not hold: a stable *code*, and the file or entry that it is about."""

    code: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """What the check of a dossier found.

    *head* is the last hash of its journal; *ended* tells whether the journal says how the change ended; *since* is how many entries
    came after the head that was noted elsewhere; *loose* are the files that the journal commits to nowhere.
    """

    ok: bool
    problems: tuple[Problem, ...]
    name: str = ""
    state: str = ""
    head: str = ""
    ended: bool = False
    since: int | None = None
    loose: tuple[str, ...] = ()


async def export(store: Store, row: ChangeRow) -> bytes:
    """Return the dossier of a change as a ZIP file whose manifest carries the digest of every file in it."""
    files = await store.read(lambda tx: _files(tx, row))
    manifest = {
        "format": FORMAT,
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
    lines = [canonical({"entry": entry.entry, "hash": entry.hash}) for entry in records.entries(tx, row.user_id, row.id)]
    return {**holdings.files_of(tx, row), JOURNAL: b"".join(one + b"\n" for one in lines)}


def verify(data: bytes, noted: str | None = None) -> Report:
    """Re-check a dossier: every digest, the journal's chain and all that it commits to, the seal, and that what ran was approved.

    *noted* is a head of this change's journal that was noted elsewhere: it must be in the chain.
    """
    try:
        return _verified(data, noted)
    except Exception as error:  # noqa: BLE001  # whatever a stranger's bytes break in the readers: the file is what is unreadable
        return Report(ok=False, problems=(Problem("unreadable", type(error).__name__),))


def _verified(data: bytes, noted: str | None) -> Report:
    files = _read(data)
    manifest = cast("dict[str, Any]", json.loads(files.pop(MANIFEST)))
    problems = _check_files(files, manifest)
    if problems:
        return Report(ok=False, problems=tuple(problems))
    rows = _entries(files)
    broken = journal.broken_at(rows)
    if broken is not None or not rows:
        return Report(ok=False, problems=(Problem("journal_broken", str(broken or 1)),))
    events = [cast("dict[str, Any]", json.loads(row.entry)) for row in rows]
    if any(event["change"] != manifest["change"] or event["number"] != manifest["number"] for event in events):
        problems.append(Problem("journal_other"))
    told, loose = _check_committed(files, manifest, events)
    problems += told + _check_seal(files, manifest, events) + _check_end(manifest, events)
    hashes = [row.hash for row in rows]
    if noted is not None and noted not in hashes:
        problems.append(Problem("head_differs", noted))
    since = None if noted is None or noted not in hashes else len(rows) - 1 - hashes.index(noted)
    ended = any(event["event"] == Entry.CHANGE_ENDED for event in events)
    name, state = f"C-{int(manifest['number'])}", State(manifest["state"]).value
    return Report(not problems, tuple(problems), name, state, hashes[-1], ended, since, tuple(loose))


def _read(data: bytes) -> dict[str, bytes]:
    if not data.startswith(START) or data[-END_BYTES:][:4] != END or data[-2:] != b"\0\0":
        raise ValueError("something before, behind or beside the files")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        infos = archive.infolist()
        if len({info.filename for info in infos}) != len(infos) or len(infos) > MAX_FILES:
            raise ValueError("entries")
        if sum(info.file_size for info in infos) > MAX_FILE:
            raise ValueError("size")
        return {info.filename: archive.read(info) for info in infos}


def _entries(files: Mapping[str, bytes]) -> list[records.JournalRow]:
    rows: list[records.JournalRow] = []
    for line in files[JOURNAL].split(b"\n")[:-1]:
        stored = cast("dict[str, str]", json.loads(line))
        rows.append(records.JournalRow(int(json.loads(stored["entry"])["seq"]), stored["entry"], stored["hash"]))
        if canonical({"entry": stored["entry"], "hash": stored["hash"]}) != line:
            raise ValueError("a line says more than its entry")
    if not files[JOURNAL].endswith(b"\n"):
        raise ValueError("a line without its end")
    return rows


def _check_files(files: Mapping[str, bytes], manifest: Mapping[str, Any]) -> list[Problem]:
    listed = cast("dict[str, str]", manifest["files"])
    problems = [Problem("missing", name) for name in sorted(set(listed) - set(files))]
    problems += [Problem("unlisted", name) for name in sorted(set(files) - set(listed))]
    problems += [
        Problem("changed", name) for name in sorted(set(files) & set(listed)) if digest_bytes(files[name]) != listed[name]
    ]
    if set(manifest) != STATED or manifest["format"] != FORMAT:
        problems.append(Problem("manifest_other"))
    return problems


def _check_committed(
    files: Mapping[str, bytes], manifest: Mapping[str, Any], events: Sequence[Mapping[str, Any]]
) -> tuple[list[Problem], list[str]]:
    """Compare every file with what the journal commits to; return the differences, and what it commits to nowhere."""
    told = journal.committed(events)
    strict = told is not None
    expected = told if told is not None else _committed_by_old(files, events)
    present = set(files) - {JOURNAL}
    problems = [Problem("committed_missing", name) for name in sorted(set(expected) - present)]
    problems += [
        Problem("committed_differs", name)
        for name in sorted(set(expected) & present)
        if digest_bytes(files[name]) != expected[name]
    ]
    loose = sorted(present - set(expected))
    under_way = [holdings.STEPS] if manifest["state"] == State.SUBMITTING else []
    for name in loose:
        if name not in under_way if strict else not _known(name):
            problems.append(Problem("uncommitted", name))
    if strict and events[-1].get("state") != manifest["state"]:
        problems.append(Problem("state_end"))
    return problems, loose


def _known(name: str) -> bool:
    own = {*holdings.TEXTS.values(), *holdings.VALUES.values(), *holdings.SCRIPTS}
    return name in own | {"request.txt", holdings.SAID, holdings.APPROVAL, holdings.STEPS} or name.startswith(
        (RAW_ANSWERS, REHEARSED)
    )


def _committed_by_old(files: Mapping[str, bytes], events: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return what the journal of an older program commits to: through the seal, the program's digest, the receipt and the evidence."""
    expected: dict[str, str] = {}
    for event in events:
        match event["event"]:
            case Entry.CHANGE_SEALED:
                seal = cast("dict[str, Any]", json.loads(files["seal.json"]))
                script = next((name for name in holdings.SCRIPTS if name in files), holdings.SCRIPTS[-1])
                expected |= {"seal.json": event["detail"]["seal"], script: event["program_digest"]}
                expected["workspace.json"] = seal["observation"]
                if seal["rehearsal"] is not None:
                    expected["rehearsal.json"] = digest(seal["rehearsal"])
                    expected |= {f"{REHEARSED}{name}": one for name, one in seal["rehearsal"]["artifacts"].items()}
            case Entry.EXECUTION_COMPLETED:
                expected |= {"result.json": event["detail"]["receipt"], **json.loads(files["result.json"])["artifacts"]}
            case Entry.READBACK_VERIFIED:
                expected["evidence.json"] = event["detail"]["evidence"]
            case _:
                pass
    return expected


def _check_seal(files: Mapping[str, bytes], manifest: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> list[Problem]:
    sealed = [event["detail"].get("seal") for event in events if event["event"] == Entry.CHANGE_SEALED]
    problems = [] if sealed == ([] if manifest["seal"] is None else [manifest["seal"]]) else [Problem("journal_seal")]
    if manifest["seal"] is None:
        return problems + ([] if "seal.json" not in files else [Problem("seal_unlisted")])
    text = files["seal.json"].decode()
    seal = cast("dict[str, Any]", json.loads(text))
    if seal_digest(text) != manifest["seal"] or canonical(cast("Json", seal)).decode() != text:
        problems.append(Problem("seal_differs"))
    script = next((files[name] for name in holdings.SCRIPTS if name in files), b"")
    if script.decode() != seal["program"]["text"] or digest_bytes(script) != manifest["program_digest"]:
        problems.append(Problem("program_differs"))
    if seal["change"] != manifest["change"] or seal["spec_digest"] != manifest["spec"]:
        problems.append(Problem("seal_other"))
    if digest_bytes(files.get("workspace.json", b"")) != seal["observation"]:
        problems.append(Problem("workspace_differs"))
    return problems + _check_decisions(files, manifest, seal, events)


def _check_decisions(
    files: Mapping[str, bytes], manifest: Mapping[str, Any], seal: Mapping[str, Any], events: Sequence[Mapping[str, Any]]
) -> list[Problem]:
    decided = cast("list[dict[str, Any]]", json.loads(files.get(holdings.APPROVAL, b"[]")))
    problems: list[Problem] = []
    corrected = any(one["kind"] == "correct" for one in decided)
    if not corrected and files.get("request.txt", b"").decode() != seal["request"]:
        problems.append(Problem("request_differs"))  # a corrected request is another than the one saved before observing
    submitted = any(event["event"] == Entry.EXECUTION_SUBMITTED for event in events)
    if submitted and not any(one["kind"] == "approve" and one["digest"] == manifest["seal"] for one in decided):
        problems.append(Problem("not_approved"))
    return problems


def _check_end(manifest: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> list[Problem]:
    names = [event["event"] for event in events]
    state = manifest["state"]
    problems: list[Problem] = []
    if names.count(Entry.EXECUTION_SUBMITTED) > 1:
        problems.append(Problem("twice"))
    if Entry.EXECUTION_SUBMITTED in names and Entry.CHANGE_APPROVED not in names[: names.index(Entry.EXECUTION_SUBMITTED)]:
        problems.append(Problem("early"))
    if (state == State.VERIFIED) != (Entry.READBACK_VERIFIED in names):
        problems.append(Problem("state_readback"))
    ended = [event["detail"]["state"] for event in events if event["event"] == Entry.CHANGE_ENDED]
    begun = Entry.EXECUTION_SUBMITTED in names
    if ended != ([state] if state in ENDED else []) or (begun and state in BEFORE_SUBMISSION) or state not in set(State):
        problems.append(Problem("state_end"))
    return list(dict.fromkeys(problems))
