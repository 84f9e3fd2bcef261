"""Promise 6: no, silence and expiry all mean no, and end it."""

import itertools
from datetime import timedelta

import pytest

from steadyhand.core.errors import DecisionRefused
from steadyhand.gate import recovery
from steadyhand.session.decisions import Decided, Decisions
from steadyhand.tools.policy import Rule, ToolPolicy
from trial_domains.stand import DESK, ME, me, run

ANSWERS = ("allow", "ask", "deny")


@pytest.mark.parametrize("way", ["in_review", "sealed"])
def test_a_no_ends_the_change(stand, way):
    row = run(getattr(stand, way)())
    ended = run(stand.controller.deny(me(words="no"), row.number))
    assert (ended.state, ended.reason["code"]) == ("rejected", "denied")
    assert [(one.kind, one.words) for one in stand.decisions(row.number)][-1] == ("deny", "no")


@pytest.mark.parametrize("word", ["no", "/deny C-1", "不要"])
def test_a_no_in_words_ends_it_and_opens_no_other_way(stand, word):
    row = run(stand.sealed())
    door = Decisions(stand.controller)
    run(door.showed(ME, DESK, row))
    done = run(door.message(ME, DESK, word, "terminal"))
    assert isinstance(done, Decided)
    assert (done.row.state, stand.panel.executions) == ("rejected", 0)
    for attempt in (stand.controller.approve(me(), 1, row.seal_digest), stand.controller.repair(me(), 1, "en")):
        with pytest.raises(DecisionRefused, match="wrong_state"):
            run(attempt)


@pytest.mark.parametrize("way", ["drafting", "in_review", "collecting", "sealed"])
def test_silence_ends_it_when_its_time_has_run_out(stand, way):
    row = run(getattr(stand, way)())
    stand.clock.advance(timedelta(hours=72))
    assert [ended.number for ended in run(recovery.expire(stand.controller))] == [row.number]
    ended = stand.row(row.number)
    assert (ended.state, ended.reason["code"]) == ("expired", "expired")
    assert stand.panel.executions == 0


def test_a_yes_that_comes_too_late_is_a_no(stand):
    row = run(stand.sealed())
    stand.clock.advance(timedelta(hours=72, seconds=1))
    with pytest.raises(DecisionRefused, match="wrong_state"):
        run(stand.approve(row))
    assert stand.row(row.number).state == "expired"
    assert stand.panel.content("main")["switches"] == 0


@pytest.mark.parametrize(("first", "second"), list(itertools.product(ANSWERS, repeat=2)))
def test_deny_beats_ask_and_ask_beats_allow(first, second):
    policy = ToolPolicy((Rule(first, effect="exec"), Rule(second, tool="shell")))
    expected = max((first, second), key=ANSWERS.index)
    assert policy.answer("shell", "exec", can_ask=True) == expected
    assert policy.answer("shell", "exec", can_ask=False) == ("deny" if expected == "ask" else expected)


def test_an_effect_that_nobody_knows_is_asked_about_and_with_nobody_to_ask_denied():
    assert ToolPolicy().answer("anything", "levitate", can_ask=True) == "ask"
    assert ToolPolicy().answer("anything", "levitate", can_ask=False) == "deny"


def test_what_ended_with_a_no_leaves_its_target_free(stand):
    row = run(stand.sealed())
    run(stand.controller.deny(me(), row.number))
    assert run(stand.approve(run(stand.sealed()))).state == "verified"
