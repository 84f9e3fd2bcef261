"""The record of a change: entries and proofs are written once, steps end where they began, and who was given up cannot write."""

import pytest

from steadyhand.core.ids import ChangeId
from steadyhand.store.changes import changes, records
from steadyhand.store.changes.records import AppliedRow, Fenced, JournalRow, StepRow
from steadyhand.store.database.engine import Duplicate
from steadyhand.store.people import people
from store.ground import ME, OTHER, change_row

CHANGE = ChangeId("change_mine_1")


@pytest.fixture
def change(store):
    store.write_now(lambda tx: changes.insert_change(tx, change_row(state="submitting", owner_token="token")))
    return store


def write(store, work, *arguments):
    return store.write_now(lambda tx: work(tx, ME, CHANGE, *arguments))


def test_a_journal_is_read_in_its_order_and_its_end_found(change):
    made = [JournalRow(seq, f'{{"n":{seq}}}', f"{seq}" * 64) for seq in range(3)]
    for row in reversed(made):
        write(change, records.append_entry, row)
    assert write(change, records.entries) == made
    assert write(change, records.last_entry) == made[-1]


def test_an_entry_is_never_written_over(change):
    write(change, records.append_entry, JournalRow(0, "{}", "a"))
    with pytest.raises(Duplicate):
        write(change, records.append_entry, JournalRow(0, "[]", "b"))
    assert write(change, records.entries) == [JournalRow(0, "{}", "a")]


def test_a_change_without_a_record_has_none(change):
    found = [write(change, work) for work in (records.last_entry, records.find_applied, records.call_result)]
    assert found == [None, None, None]
    assert write(change, records.artifacts_of) == {}


def test_a_file_of_the_dossier_is_kept_byte_for_byte_and_replaced_by_its_name(change):
    for content in (b"old", bytes(range(256))):
        write(change, records.put_artifact, "design.txt", content)
    write(change, records.put_artifact, "a.json", b"")
    assert write(change, records.artifacts_of) == {"a.json": b"", "design.txt": bytes(range(256))}


def test_a_proof_is_written_once(change):
    proof = AppliedRow("d" * 64, {"row": "x"}, {"count": 2})
    write(change, records.record_applied, proof)
    with pytest.raises(Duplicate):
        write(change, records.record_applied, AppliedRow("e" * 64, {}, None))
    assert write(change, records.find_applied) == proof


def test_steps_are_numbered_and_keep_their_beginning(change):
    indexes = [write(change, records.begin_step, name, {"to": name}) for name in ("a", "b", "c")]
    write(change, records.end_step, 0, None)
    write(change, records.end_step, 1, {"id": 9})
    assert indexes == [0, 1, 2]
    assert write(change, records.steps_of) == [
        StepRow(0, "a", "ended", {"to": "a"}),
        StepRow(1, "b", "ended", {"id": 9}),
        StepRow(2, "c", "begun", {"to": "c"}),
    ]


def test_what_a_call_returned_is_kept_once(change):
    write(change, records.put_call_result, {"for_llm": "行"})
    with pytest.raises(Duplicate):
        write(change, records.put_call_result, {})
    assert write(change, records.call_result) == {"for_llm": "行"}


# ---- the fence -------------------------------------------------------------------------------------------------------


def fenced_write(tx, token, user=ME, change=CHANGE):
    records.fence(tx, user, change, token)
    people.change_user(tx, ME, name="written")


def name(store):
    return store.read_now(lambda tx: people.require_user(tx, ME)).name


def test_the_owner_of_a_submission_may_write(change):
    change.write_now(lambda tx: fenced_write(tx, "token"))
    assert name(change) == "written"


def test_who_was_given_up_writes_nothing(change):
    row = change.read_now(lambda tx: changes.by_number(tx, ME, 1))
    change.write_now(lambda tx: changes.compare_and_swap(tx, row, {"owner_token": "next"}))
    with pytest.raises(Fenced):
        change.write_now(lambda tx: fenced_write(tx, "token"))
    assert name(change) == ""


@pytest.mark.parametrize("state", ["approved", "executed", "verified", "unknown", "failed"])
def test_in_no_other_state_may_the_owner_write(change, state):
    row = change.read_now(lambda tx: changes.by_number(tx, ME, 1))
    change.write_now(lambda tx: changes.compare_and_swap(tx, row, {"state": state}))
    with pytest.raises(Fenced):
        change.write_now(lambda tx: fenced_write(tx, "token"))
    assert name(change) == ""


@pytest.mark.parametrize("key", [{"user": OTHER}, {"change": ChangeId("none")}])
def test_there_is_no_fence_to_pass_for_another_person_or_change(change, key):
    with pytest.raises(Fenced):
        change.write_now(lambda tx: fenced_write(tx, "token", **key))
    assert name(change) == ""
