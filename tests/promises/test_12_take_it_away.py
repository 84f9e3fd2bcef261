"""Promise 12, you can take it away: the dossier of a change can be carried off and checked without us."""

import io
import json
import zipfile

import pytest

from steadyhand.core.canonical import canonical, digest_bytes
from steadyhand.gate import dossier
from trial_domains.stand import ME, SPEC, call, good_calls, letter, me, note, run


@pytest.fixture
def verified(stand):
    async def story():
        row = await stand.collecting()
        row = await stand.controller.offer_calls(ME, row.number, good_calls(stop=1), b"data: first")
        row = await stand.controller.offer_calls(ME, row.number, good_calls(start=1), b"data: second")
        return await stand.approve(row)

    return run(story())


def export(stand, row):
    return run(dossier.export(stand.store, row))


def files_of(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def test_the_dossier_holds_what_the_design_lists(stand, verified):
    assert set(files_of(export(stand, verified))) == {
        "request.txt",
        "workspace.json",
        "design.txt",
        "design_route.json",
        "provider_tool_response.sse",
        "provider_tool_response.2.sse",
        "tool_calls.json",
        "operations.json",
        "rehearsal.json",
        "rehearsal/panel_audit.json",
        "approval.json",
        "result.json",
        "panel_audit.json",
        "evidence.json",
        "seal.json",
        "journal.jsonl",
        "manifest.json",
    }


def test_what_it_holds_is_what_is_stored(stand, verified):
    files = files_of(export(stand, verified))
    assert files["design.txt"].decode() == SPEC
    assert files["operations.json"].decode() == verified.program["text"]
    assert files["provider_tool_response.2.sse"] == b"data: second"
    assert digest_bytes(files["seal.json"]) == verified.seal_digest
    decided = json.loads(files["approval.json"])
    assert [(one["kind"], one["digest"]) for one in decided] == [
        ("confirm", verified.spec_digest),
        ("approve", verified.seal_digest),
    ]
    assert len(files["journal.jsonl"].splitlines()) == len(stand.entries(verified.number))


def test_it_is_checked_offline_and_holds(stand, verified):
    data = export(stand, verified)
    stand.store.close()
    report = dossier.verify(data)
    assert (report.ok, report.problems, report.name, report.state) == (True, (), "C-1", "verified")


def test_the_same_change_gives_the_same_bytes(stand, verified):
    assert export(stand, verified) == export(stand, verified)


def test_any_file_altered_taken_out_or_put_in_is_found(stand, verified):
    files = files_of(export(stand, verified))
    for name in files:
        altered = {**files, name: files[name][:-1] + bytes([files[name][-1] ^ 1])}
        assert not dossier.verify(packed(altered)).ok, name
        assert not dossier.verify(packed({other: files[other] for other in files if other != name})).ok, name
    assert not dossier.verify(packed({**files, "more.txt": b"x"})).ok


def with_manifest(files, **changes):
    """Write the manifest anew, so that its digests fit what somebody altered."""
    manifest = json.loads(files["manifest.json"])
    manifest["files"] = {name: digest_bytes(content) for name, content in files.items() if name != "manifest.json"}
    return {**files, "manifest.json": canonical({**manifest, **changes})}


FORGERIES = {
    "another program": lambda files: {**files, "operations.json": files["operations.json"].replace(b"red", b"blue")},
    "another seal": lambda files: {**files, "seal.json": files["seal.json"].replace(b"red", b"blue")},
    "no approval": lambda files: {**files, "approval.json": b"[]"},
    "an approval of something else": lambda files: {
        **files,
        "approval.json": files["approval.json"].replace(b"approve", b"confirm"),
    },
    "a journal line altered": lambda files: {**files, "journal.jsonl": files["journal.jsonl"].replace(b"verified", b"varified")},
    "a journal line gone": lambda files: {**files, "journal.jsonl": files["journal.jsonl"].partition(b"\n")[2]},
    "another rehearsal": lambda files: {**files, "rehearsal/panel_audit.json": b'{"count":2,"plates":["deck"]}'},
}


@pytest.mark.parametrize("what", FORGERIES)
def test_a_forger_who_writes_a_fitting_manifest_is_found_too(stand, verified, what):
    files = files_of(export(stand, verified))
    forged = with_manifest(FORGERIES[what](files))
    assert forged != files
    assert dossier.verify(packed(with_manifest(files))).ok
    assert not dossier.verify(packed(forged)).ok


@pytest.mark.parametrize("state", ["failed", "rejected", "executed", "unknown"])
def test_a_state_that_the_journal_does_not_bear_out_is_found(stand, verified, state):
    files = files_of(export(stand, verified))
    assert not dossier.verify(packed(with_manifest(files, state=state))).ok


@pytest.mark.parametrize(
    "data", [b"", b"no zip", packed({}), packed({"manifest.json": b"{}"}), packed({"manifest.json": b"[1]"})]
)
def test_what_is_no_dossier_is_refused_and_not_believed(data):
    report = dossier.verify(data)
    assert not report.ok
    assert report.problems


@pytest.mark.parametrize("way", ["drafting", "in_review", "collecting", "sealed"])
def test_a_change_can_be_taken_away_at_any_time(stand, way):
    row = run(getattr(stand, way)())
    report = dossier.verify(export(stand, row))
    assert (report.ok, report.state) == (True, row.state)


def test_a_change_that_ended_otherwise_holds_as_well(stand):
    stand.mailroom.fail_at = (2, "before")
    partly = run(stand.approve(run(stand.open(letter("a"), letter("b"), domain="mailroom"))))
    denied = run(stand.controller.deny(me(), run(stand.sealed()).number))
    invalid = run(stand.open(call("x", {}).name and {"op": "paint_plate", "plate": "none", "colour": "red"}))
    done = run(stand.approve(run(stand.open(note("monday"), domain="notebook"))))
    for row, state in ((partly, "failed"), (denied, "rejected"), (invalid, "invalid"), (done, "verified")):
        report = dossier.verify(export(stand, row))
        assert (report.ok, report.state) == (True, state), report.problems
    assert "steps.json" in files_of(export(stand, partly))
