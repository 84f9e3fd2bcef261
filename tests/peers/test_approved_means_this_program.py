"""Complaint 25 (openclaw#124738): an approved script was altered while it waited, and the altered one ran."""

import pytest

from steadyhand.gate import recovery
from steadyhand.gate.machine import Event
from trial_domains.stand import cut, letter, me, note, run

WAYS = {
    "notebook": (note("monday", "work"), b"work", b"rest"),
    "mailroom": (letter("a", "work"), b"work", b"rest"),
    "panel": (cut("deck", 3, 4), b'"width":3', b'"width":9'),
}


def altered(row, old, new):
    program = {**row.program, "text": row.program["text"].replace(old.decode(), new.decode())}
    assert program != row.program
    return program


def nothing_ran(stand, row):
    return (
        stand.notebook.effects_of(row.id) == 0 and stand.mailroom.effects() == [] and stand.panel.content("main")["switches"] == 0
    )


@pytest.mark.parametrize("domain", WAYS)
def test_a_program_altered_while_it_waits_for_the_decision_does_not_run(stand, domain):
    operation, old, new = WAYS[domain]
    row = run(stand.open(operation, domain=domain))
    stand.set(row.number, program=altered(row, old, new))
    done = run(stand.approve(row))
    assert (done.state, done.reason["code"]) == ("rejected", "seal_broken")
    assert nothing_ran(stand, row)


@pytest.mark.parametrize("domain", WAYS)
def test_a_program_altered_between_the_decision_and_the_submission_does_not_run(stand, domain):
    """As after a crash: the approval is stored, the process is gone, somebody reaches into the database, another process resumes."""
    operation, old, new = WAYS[domain]
    row = run(stand.open(operation, domain=domain))
    ledger = stand.controller.ledger
    decide = stand.controller._decision(me(), "approve", row.seal_digest)
    run(ledger.move(row, Event.APPROVED, extra=decide, approved_at=row.updated_at))
    stand.set(row.number, program=altered(row, old, new))
    [done] = run(recovery.recover(stand.controller))
    assert (done.state, done.reason["code"]) == ("rejected", "seal_broken")
    assert nothing_ran(stand, row)


@pytest.mark.parametrize("domain", WAYS)
def test_what_the_domain_is_handed_is_the_sealed_text_even_if_its_own_compiler_has_changed_meanwhile(stand, domain):
    operation, *_ = WAYS[domain]
    row = run(stand.open(operation, domain=domain))
    module = stand.controller.domains[domain]
    module.compile = lambda *_: pytest.fail("nothing is compiled after the seal")
    handed = []
    execute = module.execute

    async def watched(program, submission, log):
        handed.append(program.text)
        return await execute(program, submission, log)

    module.execute = watched
    assert run(stand.approve(row)).state == "verified"
    assert handed == [row.program["text"]]


def test_the_target_altered_while_the_change_waits_is_noticed_in_the_writing_transaction(stand_anywhere):
    """The peer's remaining gap: checking and doing are one transaction here, so nothing fits between them."""
    from trial_domains.notebook import read_notes, write_note

    stand = stand_anywhere
    row = run(stand.open(note("monday", "work"), domain="notebook"))
    stand.notebook.before_write = lambda: stand.store.write_now(lambda tx: write_note(tx, "person", "main", "monday", "other"))
    assert run(stand.approve(row)).state == "stale"
    assert stand.store.read_now(lambda tx: read_notes(tx, "person", "main")) == {"monday": "other"}
