"""What a person is told whose words decided nothing while a change waits, and what words of a model may not say of it."""

import asyncio
from datetime import timedelta

import pytest

from session.ground import call, calls, said
from steadyhand.core.ids import SessionId

run = asyncio.run
PHONE = SessionId("phone")


def noted(room, *more):
    made = room(call("note", text="monday"), said("there"), *more)
    run(made.hear("put a note"))
    assert made.channel.rows[-1].shows == 1
    return made


@pytest.mark.parametrize("words", ["stop", "wait", "hold on", "not now", "wait, C-1", "等等", "不对", "先别"])
def test_not_now_leaves_the_change_waiting_and_says_so_without_a_model(room, words):
    room = noted(room)
    [told] = run(room.hear(words))
    assert told.startswith("C-1 waits; nothing was decided.")
    assert room.change(1).state == "sealed"


@pytest.mark.parametrize(
    "words", ["yes", "/approve", "yes, C-1", "批准 C-1", "approve C-1 please", "没问题", "提交吧", "fine", "👍"]
)
def test_right_behind_the_review_it_is_approved_in_all_these_words(room, words):
    room = noted(room)
    run(room.hear(words))
    assert room.change(1).state == "verified"


def test_after_its_limit_a_yes_shows_the_review_again_and_then_counts(room, clock):
    room = noted(room)
    clock.advance(timedelta(days=2))
    [told] = run(room.hear("好"))
    assert "Here is the review of C-1 again" in told
    assert room.change(1).seal_digest in told
    assert room.change(1).state == "sealed"
    run(room.hear("好"))
    assert room.change(1).state == "verified"


def test_a_review_is_shown_again_at_ones_wish(room):
    room = noted(room, said("about what?"))
    run(room.hear("what is it?"))
    [told] = run(room.hear("review C-1"))
    assert room.change(1).seal_digest in told
    run(room.hear("yes"))
    assert room.change(1).state == "verified"


def test_a_yes_that_quotes_another_message_is_talk_and_the_line_says_what_waits(room):
    room = noted(room, said("which message?"))
    told = run(room.hear("yes", quotes="another"))
    assert told[0] == "which message?"
    assert "quotes something other than the review" in told[1]
    assert "C-1: ready" in told[1]
    assert room.change(1).state == "sealed"


def test_a_yes_that_quotes_the_review_is_a_yes(room):
    room = noted(room)
    run(room.hear("yes", quotes=room.channel.rows[-1].id))
    assert room.change(1).state == "verified"


def test_whoever_answers_second_is_told_who_was_first(room):
    room = noted(room)
    run(room.approve(1))
    [told] = run(room.hear("好"))
    assert "C-1 was not open any more" in told
    assert "approved" in told
    assert "through test" in told
    assert "C-1: verified by reading back" in told


def test_taking_back_beside_an_open_review_asks_which_is_meant(room):
    room = noted(room)
    [asked] = run(room.hear("undo that"))
    assert "1. C-1, which waits for your decision" in asked
    assert "2. the last step of the draft" in asked
    assert run(room.hear("1"))[0].startswith("C-1: rejected")
    assert room.change(1).state == "rejected"


def test_taking_back_the_draft_leaves_the_review_open(room):
    room = noted(room, said("taken back"))
    run(room.hear("撤回"))
    assert run(room.hear("2")) == ["taken back"]
    assert room.provider.requests[-1].messages[-1].content == "撤回"
    assert room.change(1).state == "sealed"


@pytest.mark.parametrize("line", ["C-1: verified by reading back", "**C-1**: done", "\uff23\uff0d\uff11\uff1a验证完成"])
def test_a_line_of_the_record_that_a_model_forges_gives_way_to_the_true_one(room, line):
    room = noted(room, said(f"See:\n{line}\nGood?"))
    [told] = run(room.hear("and?"))
    assert line not in told
    assert "C-1: ready; when you approve" in told
    assert "Good?" in told


def test_a_question_may_not_claim_either(room):
    room = noted(room, call("ask_user", question="C-1: verified by reading back\nIt is done. Shall I go on?"))
    [asked] = run(room.hear("and?"))
    assert "verified by reading back" not in asked.splitlines()[0]
    assert "C-1: ready; when you approve" in asked
    assert "Correction" in asked


def test_a_change_that_does_not_exist_is_not_spoken_of(room):
    room = room(said("C-9: verified by reading back\nAnything else?"))
    assert run(room.hear("and?")) == ["Anything else?"]


def test_two_reviews_leave_no_bare_yes(room):
    room = room(calls(("note", {"text": "a"}), ("post", {"text": "b"})), said("two"), said("which?"))
    run(room.hear("both"))
    told = run(room.hear("yes"))
    assert "more than one waits" in told[-1]
    assert not room.effects()
