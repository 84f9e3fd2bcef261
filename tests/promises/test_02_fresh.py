"""Promise 2, fresh only where it matters: an edit to what a change touches ends it as stale, an edit elsewhere does not."""

import threading

import pytest

from steadyhand.core.ids import SessionId
from trial_domains.notebook import read_notes, write_note
from trial_domains.stand import ME, letter, me, note, run


def edit_note(stand, name, text):
    stand.store.write_now(lambda tx: write_note(tx, ME, "main", name, text))


def notes(stand):
    return stand.store.read_now(lambda tx: read_notes(tx, ME, "main"))


def test_an_edit_elsewhere_does_not_spoil_a_change(stand_anywhere):
    stand = stand_anywhere
    row = run(stand.open(note("monday", "mine"), domain="notebook"))
    edit_note(stand, "friday", "theirs")
    assert run(stand.approve(row)).state == "verified"
    assert notes(stand) == {"monday": "mine", "friday": "theirs"}


@pytest.mark.parametrize("before", [None, "old"])
def test_an_edit_there_ends_it_as_stale_with_nothing_written(stand_anywhere, before):
    stand = stand_anywhere
    if before is not None:
        edit_note(stand, "monday", before)
    row = run(stand.open(note("monday", "mine"), note("tuesday", "mine"), domain="notebook"))
    edit_note(stand, "monday", "theirs")
    done = run(stand.approve(row))
    assert (done.state, done.reason["code"], done.reason["params"]) == ("stale", "footprint_differs", {"regions": "note/monday"})
    assert notes(stand) == {"monday": "theirs"}
    assert stand.notebook.effects_of(row.id) == 0
    assert (done.receipt, done.evidence) == (None, None)


def test_the_footprint_is_compared_inside_the_writing_transaction(stand_anywhere):
    """An edit that comes after every check and just before the transaction is still seen."""
    stand = stand_anywhere
    row = run(stand.open(note("monday", "mine"), domain="notebook"))
    stand.notebook.before_write = lambda: edit_note(stand, "monday", "theirs")
    assert run(stand.approve(row)).state == "stale"
    assert notes(stand) == {"monday": "theirs"}


def test_an_edit_that_is_under_way_is_waited_for_and_seen(stand_anywhere):
    stand = stand_anywhere
    edit_note(stand, "monday", "old")
    row = run(stand.open(note("monday", "mine"), domain="notebook"))
    inside, go_on = threading.Event(), threading.Event()
    other = type(stand.store)(stand.store.url.render_as_string(hide_password=False), stand.clock)

    def edit_slowly(tx):
        write_note(tx, ME, "main", "monday", "theirs")
        inside.set()
        assert go_on.wait(30)

    def let_go_while_the_change_waits():
        threading.Timer(0.2, go_on.set).start()

    editor = threading.Thread(target=other.write_now, args=(edit_slowly,))
    editor_started = []

    def begin_the_edit():
        editor.start()
        editor_started.append(inside.wait(30))
        let_go_while_the_change_waits()

    stand.notebook.before_write = begin_the_edit
    done = run(stand.approve(row))
    editor.join()
    other.close()
    assert editor_started == [True]
    assert done.state == "stale"
    assert notes(stand) == {"monday": "theirs"}


def test_an_edit_that_restores_what_was_seen_spoils_nothing(stand):
    edit_note(stand, "monday", "old")
    row = run(stand.open(note("monday", "mine"), domain="notebook"))
    edit_note(stand, "monday", "other")
    edit_note(stand, "monday", "old")
    assert run(stand.approve(row)).state == "verified"


def test_at_an_atomic_switch_an_edit_elsewhere_survives_and_an_edit_there_is_stale(stand):
    row = run(stand.sealed("deck"))
    stand.panel.edit("main", "roof", {"size": [1, 1], "colour": "blue"})
    assert run(stand.approve(row)).state == "verified"
    assert stand.panel.content("main")["plates"]["roof"] == {"size": [1, 1], "colour": "blue"}
    row = run(stand.sealed("wall"))
    stand.panel.edit("main", "wall", {"size": [2, 2], "colour": None})
    assert run(stand.approve(row)).state == "stale"
    assert stand.panel.content("main")["plates"]["wall"] == {"size": [2, 2], "colour": None}
    assert stand.panel.content("main")["switches"] == 1


def test_on_a_foreign_target_the_footprint_is_compared_before_the_first_effect(stand):
    row = run(stand.open(letter("a"), letter("b"), domain="mailroom"))
    stand.mailroom.put("main", "b", "theirs")
    assert run(stand.approve(row)).state == "stale"
    assert stand.mailroom.effects() == []


def test_a_target_that_changed_while_its_spec_was_reviewed_is_noticed_when_it_is_confirmed(stand):
    row = run(stand.in_review())
    stand.panel.edit("main", "deck", {"size": [9, 9], "colour": None})
    stale = run(stand.controller.confirm(me(), row.number, row.spec_digest))
    assert (stale.state, stale.reason["code"]) == ("stale", "footprint_differs")
    assert stand.decisions(row.number) == []


def test_two_changes_that_touch_different_regions_both_come_through(stand):
    rows = [run(stand.sealed(plate, session=SessionId(plate))) for plate in ("deck", "roof", "wall")]
    assert [run(stand.approve(row)).state for row in rows] == ["verified"] * 3
    assert sorted(stand.panel.content("main")["plates"]) == ["deck", "roof", "wall"]
