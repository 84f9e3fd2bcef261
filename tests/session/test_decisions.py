"""Only a decision decides: a command, or a bare word as the very next message after the review of the only open change."""

import asyncio

import pytest

from session.phrases import NEITHER_EN, NEITHER_ZH, split
from steadyhand.core.ids import SessionId
from steadyhand.gate.lines import line
from steadyhand.gate.machine import State
from steadyhand.session.decisions import Decided, NotADecision, Refused
from steadyhand.store.people import people
from trial_domains.stand import DESK, ME, OTHER, SPEC, me, phone

ELSEWHERE = SessionId("elsewhere")


# --- a bare word ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["yes", "好的", "OK!", "批准"])
def test_a_yes_right_after_the_review_approves_and_is_stored_with_the_digest_shown(door, stand, word):
    async def scene():
        row = await door.sealed()
        return row, await door.hear(word)

    row, decided = asyncio.run(scene())
    assert isinstance(decided, Decided)
    assert (decided.kind, decided.row.state) == ("approve", State.VERIFIED)
    assert decided.line == line(decided.row, "en")
    (stored,) = stand.decisions(row.number)
    assert (stored.kind, stored.digest, stored.words) == ("approve", row.seal_digest, word)
    assert (stored.door, stored.decided_by, stored.session_id) == ("terminal", "person", DESK)


def test_a_yes_right_after_a_spec_confirms_it(door, stand):
    async def scene():
        row = await stand.in_review()
        await door.show(row)
        return row, await door.hear("yes")

    row, decided = asyncio.run(scene())
    assert (decided.kind, decided.row.state) == ("confirm", State.COLLECTING)
    assert [stored.digest for stored in stand.decisions(row.number)] == [row.spec_digest]


@pytest.mark.parametrize("word", ["no", "不要", "算了"])
def test_a_no_right_after_the_review_ends_the_change(door, stand, word):
    async def scene():
        row = await door.sealed()
        return row, await door.hear(word)

    row, decided = asyncio.run(scene())
    assert (decided.kind, decided.row.state) == ("deny", State.REJECTED)
    assert stand.panel.executions == 0
    assert [stored.kind for stored in stand.decisions(row.number)] == ["deny"]


@pytest.mark.parametrize("word", ["yes", "no"])
def test_one_message_between_makes_the_word_conversation(door, word):
    async def scene():
        row = await door.sealed()
        between = await door.hear("what about Wednesday")
        return row, between, await door.hear(word)

    row, between, late = asyncio.run(scene())
    assert between == NotADecision("conversation")
    assert late == NotADecision("not_next")
    assert door.state(row) == State.SEALED


def test_a_refused_command_between_counts_as_a_message_too(door):
    async def scene():
        row = await door.sealed()
        return row, await door.hear("/approve C-99"), await door.hear("yes")

    row, refused, late = asyncio.run(scene())
    assert isinstance(refused, Refused)
    assert late == NotADecision("not_next")
    assert door.state(row) == State.SEALED


def test_shown_again_the_next_word_counts_again(door):
    async def scene():
        row = await door.sealed()
        await door.hear("hm")
        await door.show(row)
        return await door.hear("yes")

    assert asyncio.run(scene()).row.state == State.VERIFIED


def test_a_yes_before_any_review_was_shown_is_conversation(door, stand):
    async def scene():
        row = await stand.sealed()
        return row, await door.hear("yes")

    row, word = asyncio.run(scene())
    assert word == NotADecision("not_next")
    assert door.state(row) == State.SEALED


def test_a_yes_in_another_session_is_conversation(door):
    async def scene():
        row = await door.sealed()
        return row, await door.hear("yes", ELSEWHERE)

    row, word = asyncio.run(scene())
    assert word == NotADecision("not_next")
    assert door.state(row) == State.SEALED


def test_a_message_in_another_session_takes_nothing_from_this_one(door):
    async def scene():
        await door.sealed()
        await door.hear("hello", ELSEWHERE)
        return await door.hear("yes")

    assert isinstance(asyncio.run(scene()), Decided)


def test_another_persons_yes_in_a_session_of_the_same_name_decides_nothing(door):
    async def scene():
        row = await door.sealed()
        return row, await door.hear("yes", user=OTHER), await door.hear("yes")

    row, theirs, mine = asyncio.run(scene())
    assert theirs == NotADecision("nothing_open")
    assert isinstance(mine, Decided)
    assert mine.row.number == row.number


def test_with_two_changes_open_a_yes_is_for_neither_even_across_sessions(door):
    async def scene():
        other = await door.sealed("side", ELSEWHERE)
        row = await door.sealed("deck")
        return row, other, await door.hear("yes")

    row, other, word = asyncio.run(scene())
    assert word == NotADecision("several_open")
    assert (door.state(row), door.state(other)) == (State.SEALED, State.SEALED)


def test_a_change_whose_time_has_run_out_is_not_open(door, stand, clock):
    from datetime import timedelta

    async def scene():
        old = await door.sealed("side", ELSEWHERE)
        clock.advance(timedelta(hours=71, minutes=45))
        await door.sealed("deck")
        clock.advance(timedelta(minutes=20))
        return old, await door.hear("yes"), await door.hear("/approve C-1", ELSEWHERE)

    old, decided, late = asyncio.run(scene())
    assert isinstance(decided, Decided)
    assert isinstance(late, Refused)
    assert door.state(old) == State.EXPIRED


def test_a_yes_is_for_what_was_shown_not_for_what_it_has_become(door, stand):
    async def scene():
        row = await stand.in_review()
        await door.show(row)
        await stand.controller.correct(me(), row.number, "cut deck 3 by 5, paint it red, inspect the panel")
        await stand.controller.offer_spec(ME, row.number, SPEC)
        return row, await door.hear("yes")

    row, word = asyncio.run(scene())
    assert word == NotADecision("not_next")
    assert door.state(row) == State.IN_REVIEW


def test_a_yes_to_another_question_is_not_for_the_review_before_it(door):
    async def scene():
        row = await door.sealed()
        await door.decisions.something_else(ME)
        word = await door.hear("yes")
        state = door.state(row)
        return word, state, await door.hear("/approve C-1")

    word, state, approved = asyncio.run(scene())
    assert (word, state) == (NotADecision("not_next"), State.SEALED)
    assert approved.row.state == State.VERIFIED


def test_a_yes_with_nothing_open_is_conversation(door):
    assert asyncio.run(door.hear("yes")) == NotADecision("nothing_open")


def test_two_yeses_at_the_same_moment_decide_once(door, stand):
    async def scene():
        row = await door.sealed()
        return row, await asyncio.gather(*(door.hear("yes") for _ in range(4)))

    row, words = asyncio.run(scene())
    assert sum(isinstance(word, Decided) for word in words) == 1
    assert len(stand.decisions(row.number)) == 1
    assert stand.panel.executions == 1


def test_no_phrase_of_conversation_moves_a_change_that_waits(door, stand):
    phrases = split(NEITHER_ZH) + split(NEITHER_EN)

    async def scene():
        row = await door.sealed()
        heard = []
        for phrase in phrases:
            await door.show(row)
            heard.append(await door.hear(phrase))
        return row, heard

    row, heard = asyncio.run(scene())
    assert all(isinstance(word, NotADecision) for word in heard)
    assert stand.row(row.number) == row
    assert stand.store.read_now(lambda tx: people.messages(tx, ME, DESK)) == len(phrases)


# --- commands ---------------------------------------------------------------------------------------------------------


def test_approve_takes_the_digest_last_displayed_in_the_session(door, stand):
    async def scene():
        await door.sealed()
        await door.hear("let me think")
        return await door.hear("/approve C-1")

    decided = asyncio.run(scene())
    assert (decided.kind, decided.row.state) == ("approve", State.VERIFIED)
    assert [stored.words for stored in stand.decisions(1)] == ["/approve C-1"]


def test_where_nothing_was_displayed_approve_refuses(door, stand):
    async def scene():
        row = await stand.sealed()
        return row, await door.hear("/approve C-1"), await door.hear("/approve C-1", ELSEWHERE)

    row, here, there = asyncio.run(scene())
    assert (here.code, there.code) == ("not_displayed", "not_displayed")
    assert "C-1" in here.text
    assert door.state(row) == State.SEALED


def test_what_was_displayed_elsewhere_is_not_displayed_here(door):
    async def scene():
        row = await door.sealed(session=ELSEWHERE)
        return row, await door.hear("/approve C-1")

    row, refused = asyncio.run(scene())
    assert refused.code == "not_displayed"
    assert door.state(row) == State.SEALED


def test_having_seen_the_spec_is_not_having_seen_the_seal(door, stand):
    async def scene():
        row = await stand.in_review()
        await door.show(row)
        await door.hear("/confirm C-1")
        from trial_domains.stand import good_calls

        sealed = await stand.controller.offer_calls(ME, row.number, good_calls())
        return sealed, await door.hear("/approve C-1")

    sealed, refused = asyncio.run(scene())
    assert sealed.state == State.SEALED
    assert refused.code == "not_displayed"


def test_a_digest_that_was_read_elsewhere_can_be_given(door, stand):
    async def scene():
        row = await stand.sealed()
        return await door.hear(f"/approve C-1 {row.seal_digest[:8].upper()}")

    assert asyncio.run(scene()).row.state == State.VERIFIED


@pytest.mark.parametrize("given", ["0" * 8, "short7c", "{:.7}", "{}0", "zzzzzzzz"])
def test_a_digest_that_does_not_fit_decides_nothing_though_the_right_one_was_shown(door, given):
    async def scene():
        row = await door.sealed()
        return row, await door.hear(f"/approve C-1 {given.format(row.seal_digest)}")

    row, refused = asyncio.run(scene())
    assert refused.code == "digest_differs"
    assert door.state(row) == State.SEALED


def test_a_display_of_an_older_spec_does_not_confirm_the_newer(door, stand):
    async def scene():
        row = await stand.in_review()
        await door.show(row)
        await stand.controller.correct(me(), row.number, "cut deck 3 by 5, paint it red, inspect the panel")
        await stand.controller.offer_spec(ME, row.number, SPEC)
        return row, await door.hear("/confirm C-1")

    row, refused = asyncio.run(scene())
    assert refused.code == "digest_differs"
    assert door.state(row) == State.IN_REVIEW


def test_deny_and_stop_need_no_digest_and_may_say_why(door, stand):
    async def scene():
        first = await stand.sealed("deck", session="one")
        second = await stand.sealed("side", session="two")
        return first, second, await door.hear("/deny C-1 not on a Friday"), await door.hear("/stop C-2")

    first, second, denied, stopped = asyncio.run(scene())
    assert (denied.kind, door.state(first)) == ("deny", State.REJECTED)
    assert (stopped.kind, door.state(second)) == ("stop", State.WITHDRAWN)
    assert stand.decisions(1)[0].words == "/deny C-1 not on a Friday"


def test_stop_alone_is_about_the_turn_and_no_decision(door):
    async def scene():
        row = await door.sealed()
        return row, await door.hear("/stop")

    row, word = asyncio.run(scene())
    assert word == NotADecision()
    assert door.state(row) == State.SEALED


def unknown_outcome(stand):
    stand.mailroom.fail_at = (1, "after")
    return stand.open(phone("b"), domain="mailroom")


@pytest.mark.parametrize("text", ["/recheck", "/recheck C-1"])
def test_recheck_looks_again_at_what_is_unknown(door, stand, text):
    async def scene():
        row = await stand.approve(await unknown_outcome(stand))
        assert row.state == State.UNKNOWN
        return await door.hear(text)

    decided = asyncio.run(scene())
    assert (decided.kind, decided.row.state) == ("recheck", State.UNKNOWN)
    assert len(stand.mailroom.effects()) == 1


@pytest.mark.parametrize(("text", "kind"), [("/stop C-1", "stop"), ("/deny C-1", "deny")])
def test_a_stop_that_comes_too_late_says_so(door, stand, text, kind):
    async def scene():
        await stand.approve(await unknown_outcome(stand))
        return await door.hear(text)

    decided = asyncio.run(scene())
    assert (decided.kind, decided.row.state) == (kind, State.UNKNOWN)
    assert "too late" in decided.line
    assert line(decided.row, "en") in decided.line


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("/approve C-9", "change_unknown"),
        ("/recheck", "change_not_named"),
        ("/recheck C-1", "wrong_state"),
        ("/confirm C-1", "other_command"),
        ("/confirm C-1 12345678", "wrong_state"),
        ("/approve C-1 12345678 now", "command_unreadable"),
        ("/approve all of them", "command_unreadable"),
    ],
)
@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_a_command_that_does_not_fit_is_refused_in_the_persons_language(door, stand, text, code, language):
    stand.store.write_now(lambda tx: people.change_user(tx, ME, language=language))

    async def scene():
        row = await door.sealed()
        return row, await door.hear(text)

    row, refused = asyncio.run(scene())
    assert isinstance(refused, Refused)
    assert refused.code == code
    assert ("没有" in refused.text) == (language == "zh-CN")
    assert door.state(row) == State.SEALED


def test_another_persons_change_cannot_be_named(door):
    async def scene():
        row = await door.sealed()
        return row, await door.hear(f"/approve C-1 {row.seal_digest}", user=OTHER)

    row, refused = asyncio.run(scene())
    assert refused.code == "change_unknown"
    assert door.state(row) == State.SEALED


def test_a_change_that_is_approved_twice_is_submitted_once(door, stand):
    async def scene():
        await door.sealed()
        return await asyncio.gather(*(door.hear("/approve C-1") for _ in range(3)))

    answers = asyncio.run(scene())
    assert sum(isinstance(answer, Decided) for answer in answers) == 1
    assert all(isinstance(answer, Decided | Refused) for answer in answers)
    assert stand.panel.executions == 1


def test_only_a_review_is_a_display(door, stand):
    async def scene():
        row = await stand.approve(await stand.sealed())
        await door.show(row)
        drafting = await stand.drafting(session="other")
        await door.show(drafting)
        return await door.hear("yes"), await door.hear("/approve C-1"), await door.hear("/approve C-2")

    word, ended, drafting = asyncio.run(scene())
    assert word == NotADecision("nothing_open")
    assert (ended.code, drafting.code) == ("not_displayed", "not_displayed")
