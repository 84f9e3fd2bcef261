"""Promise 12, you can take it away: the dossier of a change can be carried off and checked without us."""

import io
import json
import warnings
import zipfile

import pytest

from steadyhand.core.canonical import canonical, digest_bytes
from steadyhand.gate import dossier, journal
from steadyhand.gate.machine import ENDED, State
from trial_domains.stand import ME, SPEC, call, good_calls, letter, me, note, run


@pytest.fixture
def verified(stand):
    async def story():
        row = await stand.collecting()
        row = await stand.controller.offer_calls(ME, row.number, good_calls(stop=1), b"data: first", "The plate is cut first.")
        row = await stand.controller.offer_calls(ME, row.number, good_calls(start=1), b"data: second", "然后上漆。")
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
        "script_response.txt",
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
    assert files["script_response.txt"].decode() == "The plate is cut first.\n然后上漆。\n"
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
    "other words of the model": lambda files: {**files, "script_response.txt": b"Nothing is cut.\n"},
    "no words of the model": lambda files: {name: content for name, content in files.items() if name != "script_response.txt"},
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


@pytest.mark.parametrize("state", [*State, "bogus"])
def test_a_state_that_the_journal_does_not_bear_out_is_found(stand, verified, state):
    files = files_of(export(stand, verified))
    report = dossier.verify(packed(with_manifest(files, state=state)))
    assert report.ok == (state == "verified")


def test_the_head_commits_to_every_file_whatever_the_manifest_says(stand, verified):
    files = files_of(export(stand, verified))
    stated = [json.loads(json.loads(line)["entry"]) for line in files["journal.jsonl"].splitlines()]
    assert set(journal.committed(stated)) == set(files) - {"journal.jsonl", "manifest.json"}
    for name in set(files) - {"manifest.json"}:
        content = files[name]
        half = len(content) // 2
        flipped = content[:half] + bytes([content[half] ^ 1]) + content[half + 1 :]
        for other in (content + b" ", flipped, b""):
            assert not dossier.verify(packed(with_manifest({**files, name: other}))).ok, name
        without = {kept: content for kept, content in files.items() if kept != name}
        assert not dossier.verify(packed(with_manifest(without))).ok, name
    assert not dossier.verify(packed(with_manifest({**files, "more.txt": b"x"}))).ok


@pytest.mark.parametrize("field", ["id", "session_id", "door", "decided_by", "words", "at", "kind", "digest"])
def test_who_approved_when_where_and_in_which_words_cannot_be_written_anew(stand, verified, field):
    files = files_of(export(stand, verified))
    decided = json.loads(files["approval.json"])
    decided[-1][field] = "somebody else"
    assert not dossier.verify(packed(with_manifest({**files, "approval.json": canonical(decided)}))).ok
    decided = json.loads(files["approval.json"])
    more = canonical([*decided, {**decided[-1], "kind": "deny", "words": "no"}])
    assert not dossier.verify(packed(with_manifest({**files, "approval.json": more}))).ok


@pytest.mark.parametrize(
    "changes", [{"format": 7}, {"number": 99}, {"change": "x"}, {"seal": "0" * 64}, {"seal": None}, {"spec": "x"}, {"more": "x"}]
)
def test_a_manifest_that_says_something_else_is_found(stand, verified, changes):
    files = files_of(export(stand, verified))
    assert not dossier.verify(packed(with_manifest(files, **changes))).ok


def cut(files, count):
    """What a careful forger makes of a dossier: the journal without its last *count* entries, and only files that those commit to."""
    lines = files["journal.jsonl"].splitlines(keepends=True)
    lines = lines[: len(lines) - count]
    stated = [json.loads(json.loads(line)["entry"]) for line in lines]
    told = journal.committed(stated) or {}
    kept = {name: content for name, content in files.items() if told.get(name) == digest_bytes(content)}
    seal = json.loads(files["manifest.json"])["seal"] if "seal.json" in kept else None
    kept |= {"journal.jsonl": b"".join(lines), "manifest.json": files["manifest.json"]}
    return kept, stated[-1].get("state"), seal


def test_with_its_end_cut_off_a_record_never_shows_another_end(stand, verified):
    stand.mailroom.fail_at = (2, "before")
    failed = run(stand.approve(run(stand.open(letter("a"), letter("b"), domain="mailroom"))))
    for row in (verified, failed):
        whole = export(stand, row)
        head, files = dossier.verify(whole).head, files_of(whole)
        for count in range(1, len(files["journal.jsonl"].splitlines())):
            kept, last, seal = cut(files, count)
            for state in State:
                report = dossier.verify(packed(with_manifest(kept, state=state, seal=seal)))
                assert not report.ok or (not report.ended and state not in ENDED and state == last)
                assert not dossier.verify(packed(with_manifest(kept, state=state, seal=seal)), head).ok


def test_a_head_that_was_noted_holds_as_long_as_the_journal_contains_it(stand):
    row = run(stand.sealed_from_spec())
    noted = dossier.verify(export(stand, row)).head
    data = export(stand, run(stand.approve(row)))
    report = dossier.verify(data, noted)
    assert (report.ok, report.ended, report.since) == (True, True, 5)
    assert dossier.verify(data, report.head).since == 0
    assert not dossier.verify(data, "0" * 64).ok


def rewritten(lines):
    """Return the chain as a program wrote it that committed to no files, under hashes of its own."""
    previous, made = journal.GENESIS, []
    for line in lines:
        stated = json.loads(json.loads(line)["entry"])
        entry = canonical({name: value for name, value in stated.items() if name not in ("state", "files")})
        previous = journal.link(previous, entry)
        made.append((entry.decode(), previous))
    return made


def test_a_record_of_an_older_program_still_holds_and_what_it_does_not_commit_to_is_named(stand, verified):
    files = files_of(export(stand, verified))
    lines = rewritten(files["journal.jsonl"].splitlines())
    old = {**files, "journal.jsonl": b"".join(canonical({"entry": entry, "hash": hash_}) + b"\n" for entry, hash_ in lines)}
    report = dossier.verify(packed(with_manifest(old)))
    assert (report.ok, report.ended) == (True, True), report.problems
    assert set(report.loose) == {
        *("approval.json", "design.txt", "design_route.json", "request.txt", "tool_calls.json"),
        *("provider_tool_response.sse", "provider_tool_response.2.sse", "script_response.txt"),
    }
    for name in set(files) - set(report.loose) - {"manifest.json", "journal.jsonl"}:
        assert not dossier.verify(packed(with_manifest({**old, name: old[name] + b" "}))).ok, name
    assert not dossier.verify(packed(with_manifest({**old, "more.txt": b"x"}))).ok


def test_a_change_that_an_older_program_began_is_committed_to_from_its_next_entry_on(stand):
    row = run(stand.sealed_from_spec())
    entries = stand.entries(row.number)
    lines = rewritten([canonical({"entry": one.entry, "hash": one.hash}) for one in entries])

    def age(tx):
        for one, (entry, hash_) in zip(entries, lines, strict=True):
            tx.connection.exec_driver_sql(
                "UPDATE journal SET entry = ?, hash = ? WHERE change_id = ? AND seq = ?", (entry, hash_, row.id, one.seq)
            )

    stand.store.write_now(age)
    assert dossier.verify(export(stand, row)).loose
    data = export(stand, run(stand.approve(row)))
    report = dossier.verify(data)
    assert (report.ok, report.loose) == (True, ())
    files = files_of(data)
    for name in ("design.txt", "tool_calls.json", "approval.json", "request.txt"):
        assert not dossier.verify(packed(with_manifest({**files, name: files[name] + b" "}))).ok, name


def test_a_correction_of_the_spec_is_under_the_head_too(stand):
    row = run(stand.in_review())
    row = run(stand.controller.correct(me(words="make it blue"), row.number, "cut deck 3 by 4, paint it blue"))
    data = export(stand, row)
    assert dossier.verify(data).ok
    files = files_of(data)
    assert "design.txt" not in files
    forged = {**files, "approval.json": files["approval.json"].replace(b"blue", b"pink")}
    assert not dossier.verify(packed(with_manifest(forged))).ok


def test_any_damaged_byte_is_told_in_words_or_alters_nothing(stand):
    data = export(stand, run(stand.approve(run(stand.open(note("monday"), domain="notebook")))))
    files = files_of(data)
    for index in range(len(data)):
        damaged = bytearray(data)
        damaged[index] ^= (1, 0x80, 0xFF)[index % 3]
        report = dossier.verify(bytes(damaged))
        assert report.problems if not report.ok else files_of(bytes(damaged)) == files, index
    for length in range(0, len(data), 11):
        assert dossier.verify(data[:length]).problems, length


def test_a_file_made_to_break_the_reader_is_refused_in_words(stand, verified, monkeypatch):
    monkeypatch.setattr(dossier, "MAX_FILE", 1024 * 1024)
    data = export(stand, verified)
    files = files_of(data)
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb", bytes(2 * 1024 * 1024))
    commented = io.BytesIO(data)
    with zipfile.ZipFile(commented, "a") as archive:
        archive.comment = b"NOT APPROVED"
    twice = io.BytesIO(data)
    with warnings.catch_warnings(), zipfile.ZipFile(twice, "a") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("approval.json", b"[]")
    many = packed({f"{number}": b"" for number in range(10_001)})
    deep = packed({**files, "manifest.json": b"[" * 100_000})
    names = [packed(with_manifest({**files, name: b"x"})) for name in ("../up.txt", "/etc/passwd", "a\\b", "\x1b[2J.txt", "con")]
    for bad in (
        *(bomb.getvalue(), commented.getvalue(), twice.getvalue(), many, deep, *names),
        *(data + b"junk", b"junk" + data, packed({**files, "manifest.json": b"null"}), b"PK\x05\x06" + bytes(18)),
    ):
        report = dossier.verify(bad)
        assert not report.ok
        assert report.problems


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
