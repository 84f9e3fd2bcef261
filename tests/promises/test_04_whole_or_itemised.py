"""Promise 4, whole or itemised: own targets change as a whole; a foreign one is told effect by effect."""

import json

import pytest

from steadyhand.gate import lines
from steadyhand.store.changes import records
from trial_domains.notebook import read_notes
from trial_domains.stand import ME, cut, letter, note, paint, run


def applied(stand, row):
    return stand.store.read_now(lambda tx: records.find_applied(tx, ME, row.id))


def steps(stand, row):
    return stand.store.read_now(lambda tx: records.steps_of(tx, ME, row.id))


def test_effect_footprint_check_and_proof_are_one_transaction(stand_anywhere):
    stand = stand_anywhere
    row = run(stand.open(note("monday"), note("tuesday"), domain="notebook"))
    assert applied(stand, row) is None
    done = run(stand.approve(row))
    proof = applied(stand, row)
    assert (proof.program_digest, proof.footprint_after) == (row.program_digest, done.receipt["footprint_after"])


def test_when_the_transaction_breaks_at_its_end_neither_effect_nor_proof_is_there(stand_anywhere, monkeypatch):
    stand = stand_anywhere
    row = run(stand.open(note("monday"), note("tuesday"), domain="notebook"))

    def broken(point):
        raise OSError("the power of the disk failed")

    monkeypatch.setattr("trial_domains.notebook.reach", broken)
    done = run(stand.approve(row))
    assert (done.state, done.reason["code"]) == ("failed", "nothing_done")
    assert stand.store.read_now(lambda tx: read_notes(tx, ME, "main")) == {}
    assert applied(stand, row) is None
    assert stand.notebook.effects_of(row.id) == 0


def test_a_second_proof_of_the_same_change_is_refused_and_takes_its_effect_with_it(stand_anywhere):
    stand = stand_anywhere
    row = run(stand.open(note("monday"), domain="notebook"))
    stand.store.write_now(lambda tx: records.record_applied(tx, ME, row.id, records.AppliedRow("0" * 64, {}, None)))
    run(stand.approve(row))
    assert stand.notebook.effects_of(row.id) == 0


def test_an_atomic_switch_carries_the_change_in_its_manifest(stand):
    row = run(stand.open(cut(), paint()))
    run(stand.approve(row))
    content = stand.panel.content("main")
    assert list(content["applied"]) == [row.id]
    assert content["applied"][row.id]["program"] == row.program_digest
    assert content["switches"] == 1


def test_a_switch_that_breaks_before_it_is_made_leaves_all_as_it_was(stand, monkeypatch):
    row = run(stand.open(cut(), paint()))
    before = stand.panel.file("main").read_bytes()

    def broken(point):
        raise OSError("no space left")

    monkeypatch.setattr("trial_domains.panel.reach", broken)
    done = run(stand.approve(row))
    assert (done.state, done.reason["code"]) == ("failed", "nothing_done")
    assert stand.panel.file("main").read_bytes() == before
    assert stand.panel.leftovers("main") == []


def test_all_preflights_run_before_any_mutation(stand):
    """The second of two plates cannot be painted: nothing of the first is seen in the target."""
    refused = run(stand.open(cut("deck"), paint("roof")))
    assert (refused.state, refused.reason["code"]) == ("invalid", "no_such_plate")
    accepted = run(stand.open(cut("deck"), cut("roof")))
    script = json.loads(accepted.program["text"])
    assert [one["expect"] for one in script["preflight"]] == ["deck", "roof"]
    stand.panel.edit("main", "roof", {"size": [1, 1], "colour": None})
    assert run(stand.approve(accepted)).state == "stale"
    assert "deck" not in stand.panel.content("main")["plates"]


def test_on_a_foreign_target_each_effect_is_in_the_durable_log_before_it_begins_and_after_it_ends(stand):
    row = run(stand.open(letter("a"), letter("b"), domain="mailroom"))
    seen = []
    do = stand.mailroom._do

    def watched(name, item):
        seen.append([(one.name, one.state) for one in steps(stand, row)])
        do(name, item)

    stand.mailroom._do = watched
    run(stand.approve(row))
    assert seen == [[("letter/a", "begun")], [("letter/a", "ended"), ("letter/b", "begun")]]
    assert [(one.name, one.state) for one in steps(stand, row)] == [("letter/a", "ended"), ("letter/b", "ended")]


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_what_broke_off_in_the_middle_is_told_effect_by_effect(stand, language):
    stand.mailroom.fail_at = (4, "before")
    done = run(stand.approve(run(stand.open(*(letter(to) for to in "abcde"), domain="mailroom"))))
    assert done.state == "failed"
    told = lines.line(done, language)
    for words in ("3", "5", "letter/a, letter/b, letter/c", "letter/d, letter/e"):
        assert words in told
    assert stand.mailroom.effects() == ["letter/a", "letter/b", "letter/c"]


def test_every_domain_says_on_its_review_how_it_rolls_back(stand):
    assert {name: domain.rollback for name, domain in stand.controller.domains.items()} == {
        "panel": "switch",
        "mailroom": "none",
        "notebook": "transaction",
    }
