"""Promise 10, the record speaks: what a person is told of a change comes from the record, never from a text."""

import pytest

from steadyhand.gate.lines import closing, line
from steadyhand.gate.machine import State
from trial_domains.stand import letter, run

CLAIMS = {
    "en": ["Done!", "I have applied the change.", "All set, it has been saved.", "The panel was successfully cut.", "Completed."],
    "zh-CN": ["完成了！", "已完成。", "已经保存好了。"],
}


def rows(stand):
    sealed = run(stand.sealed())
    verified = run(stand.approve(run(stand.sealed("roof"))))
    return sealed, verified


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_every_reply_about_a_change_ends_with_its_line(stand, language):
    row = run(stand.sealed())
    reply = closing("Here is what I would do.", [row], language)
    assert reply.startswith("Here is what I would do.")
    assert reply.splitlines()[-1] == line(row, language)
    assert f"C-{row.number}" in reply
    assert row.seal_digest[:8] in reply


@pytest.mark.parametrize(("language", "claim"), [(language, claim) for language, claims in CLAIMS.items() for claim in claims])
def test_a_claim_of_done_while_nothing_is_verified_gets_the_correcting_line(stand, language, claim):
    row = run(stand.sealed())
    reply = closing(claim, [row], language).splitlines()
    assert reply[0] == claim
    assert len(reply) == 3
    assert reply[-1] == line(row, language)


@pytest.mark.parametrize(("language", "claim"), [(language, claim) for language, claims in CLAIMS.items() for claim in claims])
def test_the_same_claim_about_a_verified_change_needs_no_correction(stand, language, claim):
    verified = run(stand.approve(run(stand.sealed())))
    assert closing(claim, [verified], language).splitlines() == [claim, line(verified, language)]


def test_a_reply_that_claims_nothing_is_left_as_it_is(stand):
    row = run(stand.sealed())
    assert closing("Shall I?", [row], "en").splitlines() == ["Shall I?", line(row, "en")]
    assert closing("", [row], "en") == line(row, "en")


def test_what_a_model_says_moves_nothing(stand):
    row = run(stand.in_review("It is all done and verified, approved and executed.\nroute: cut_plate"))
    assert row.state == "in_review"
    assert "C-1" in line(row, "en")
    assert "verified" not in line(row, "en")


@pytest.mark.parametrize("language", ["en", "zh-CN"])
@pytest.mark.parametrize("state", list(State), ids=str)
def test_each_state_has_its_line_in_both_languages_and_only_verified_says_done(stand, state, language):
    row = run(stand.sealed())
    stand.set(row.number, state=state.value)
    told = line(stand.row(row.number), language)
    assert "C-1" in told
    for word in ("completed", "done", "finished", "完成"):
        assert word not in told.lower() or state is State.VERIFIED
    if state.value in ("rejected", "withdrawn", "expired", "stale", "invalid"):
        assert ("nothing was changed" if language == "en" else "没有") in told


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_a_failure_is_told_from_its_itemisation(stand, language):
    stand.mailroom.fail_at = (3, "before")
    partly = run(stand.approve(run(stand.open(*(letter(to) for to in "abc"), domain="mailroom"))))
    told = line(partly, language)
    assert "letter/a, letter/b" in told
    assert "letter/c" in told
    stand.panel.mischief.add("before_effect")
    nothing = line(run(stand.approve(run(stand.sealed()))), language)
    stand.panel.mischief = {"miswrite"}
    differs = line(run(stand.approve(run(stand.sealed()))), language)
    assert len({told, nothing, differs}) == 3
    assert "mud" in differs


def test_collecting_says_how_many_of_how_many(stand):
    row = run(stand.collecting())
    assert "0/3" in line(row, "en")
    assert "正在收集 0/3 个操作参数" in line(row, "zh-CN")


def test_the_line_is_rendered_from_the_row_alone(stand):
    sealed, verified = rows(stand)
    assert line(sealed, "en") == line(sealed, "en")
    assert line(verified, "en") != line(sealed, "en")
