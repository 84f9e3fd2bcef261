"""Complaint 34 (clawbolt#1449): "lol" while a batch was being approved broke off half a calendar move."""

import asyncio

import pytest

from steadyhand.session.decisions import Decided, Decisions, NotADecision
from trial_domains.notebook import read_notes
from trial_domains.stand import DESK, ME, letter, note, run

BATCH = [note(f"day-{number}") for number in range(12)]
TALK = ["lol", "haha", "wait what", "hm", "and my hat?", "好家伙"]


@pytest.fixture
def door(stand):
    return Decisions(stand.controller)


def notes(stand):
    return stand.store.read_now(lambda tx: read_notes(tx, ME, "main"))


@pytest.mark.parametrize("word", TALK)
def test_talk_during_the_review_of_a_batch_leaves_the_whole_batch_waiting(stand, door, word):
    row = run(stand.open(*BATCH, domain="notebook"))
    run(door.showed(ME, DESK, row))
    assert isinstance(run(door.message(ME, DESK, word, "terminal")), NotADecision)
    assert stand.row(row.number) == row
    assert notes(stand) == {}
    done = run(door.message(ME, DESK, f"/approve C-{row.number}", "terminal"))
    assert isinstance(done, Decided)
    assert done.row.state == "verified"
    assert len(notes(stand)) == len(BATCH)


@pytest.mark.parametrize("word", [*TALK, "no", "stop", "/stop C-1", "/deny C-1"])
def test_whatever_is_said_while_a_batch_runs_it_is_done_as_a_whole(stand, door, word):
    """Talk moves nothing; a stop that comes now is noted as too late. Never is half of it done."""
    row = run(stand.open(*BATCH, domain="notebook"))
    run(door.showed(ME, DESK, row))
    said = []

    async def story():
        speaking = asyncio.get_running_loop()

        def speak():
            answer = asyncio.run_coroutine_threadsafe(door.message(ME, DESK, word, "terminal"), speaking)
            said.append(answer.result(timeout=30))

        stand.notebook.before_write = speak
        return await stand.approve(row)

    done = run(story())
    assert done.state == "verified"
    assert len(notes(stand)) == len(BATCH)
    [answer] = said
    if word.startswith("/"):
        assert isinstance(answer, Decided)
        assert answer.row.state == "submitting"
        assert "too late" in answer.line
        assert done.stop_noted
    else:
        assert isinstance(answer, NotADecision)
        assert not done.stop_noted


def test_a_word_while_letters_go_out_one_by_one_stops_none_of_them(stand, door):
    row = run(stand.open(*(letter(to) for to in "abcde"), domain="mailroom"))
    run(door.showed(ME, DESK, row))
    begin = stand.mailroom._maybe_fail
    words = iter(["lol", "haha", "no", "wait", "stop"])

    async def story():
        loop, talk = asyncio.get_running_loop(), []

        def speak(number, when):
            if when == "before":
                talk.append(loop.create_task(door.message(ME, DESK, next(words), "terminal")))
            begin(number, when)

        stand.mailroom._maybe_fail = speak
        done = await stand.approve(row)
        return done, await asyncio.gather(*talk)

    done, answers = run(story())
    assert done.state == "verified"
    assert stand.mailroom.effects() == [f"letter/{to}" for to in "abcde"]
    assert all(isinstance(answer, NotADecision) for answer in answers)


def test_a_batch_that_cannot_be_done_as_a_whole_is_not_begun(stand, door):
    from trial_domains.notebook import write_note

    row = run(stand.open(*BATCH, domain="notebook"))
    run(door.showed(ME, DESK, row))
    stand.store.write_now(lambda tx: write_note(tx, ME, "main", "day-11", "theirs"))
    done = run(door.message(ME, DESK, "yes", "terminal"))
    assert isinstance(done, Decided)
    assert done.row.state == "stale"
    assert notes(stand) == {"day-11": "theirs"}
