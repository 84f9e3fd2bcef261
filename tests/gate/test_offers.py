"""What a model offers, a spec or calls, is checked like a stranger's, and the gate asks for just what is missing."""

import json

import pytest

from steadyhand.core.errors import DecisionRefused
from steadyhand.gate.contract import Route
from steadyhand.gate.controller import NeedCalls, NeedSpec
from trial_domains.stand import ME, REQUEST, SPEC, call, good_calls, me, run


def offer(stand, row, *calls, raw=b""):
    return run(stand.controller.offer_calls(ME, row.number, list(calls), raw))


def test_while_a_spec_is_drafted_no_tool_is_offered_at_all(stand):
    need = stand.controller.need(run(stand.drafting()))
    assert isinstance(need, NeedSpec)
    assert need.brief.tools == ()
    assert REQUEST in need.brief.content


def test_a_spec_with_a_route_is_shown_with_its_digest_and_nothing_is_asked_of_a_model_meanwhile(stand):
    row = run(stand.in_review())
    assert (row.state, row.spec, row.reason) == ("in_review", SPEC, None)
    assert row.route == ["cut_plate", "paint_plate", "inspect_panel"]
    assert stand.controller.need(row) is None
    assert row.spec_digest is not None


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        ("", "spec_empty"),
        (" \n\t ", "spec_empty"),
        ("Cut the plate.", "spec_without_route"),
        ("route:", "spec_without_route"),
        ("route: cut_plate, melt_plate", "tool_unknown"),
    ],
)
def test_a_spec_without_a_route_stays_in_drafting_with_its_reason(stand, spec, code):
    row = run(stand.in_review(spec))
    assert (row.state, row.reason["code"], row.spec) == ("drafting", code, None)
    assert run(stand.controller.offer_spec(ME, row.number, SPEC)).state == "in_review"


def test_a_route_without_tools_is_no_route(stand, monkeypatch):
    monkeypatch.setattr(stand.panel, "route", lambda spec, seen: Route(()))
    row = run(stand.in_review())
    assert (row.state, row.reason["code"]) == ("drafting", "spec_without_route")


def test_a_spec_is_shown_as_it_is_stored_even_when_it_came_with_characters_that_no_text_can_hold(stand_anywhere):
    stand = stand_anywhere
    row = run(stand.in_review(f"half \ud800 and nothing \x00\n{SPEC}"))
    assert row.state == "in_review"
    assert stand.row(row.number).spec == row.spec
    assert SPEC in row.spec


def test_calls_may_come_over_rounds_one_first_and_then_the_rest_and_only_what_remains_is_asked_for(stand):
    row = run(stand.collecting())
    need = stand.controller.need(row)
    assert isinstance(need, NeedCalls)
    assert [tool.name for tool in need.brief.tools] == ["cut_plate", "paint_plate", "inspect_panel"]
    row = offer(stand, row, *good_calls(stop=1))
    assert (row.state, len(row.calls), row.provider_round) == ("collecting", 1, 1)
    assert row.program is None
    assert [tool.name for tool in stand.controller.need(row).brief.tools] == ["paint_plate", "inspect_panel"]
    row = offer(stand, row, *good_calls(start=1))
    assert row.state == "sealed"
    assert [one["round"] for one in row.calls] == [1, 2, 2]
    assert stand.controller.need(row) is None


BAD_ROUNDS = {
    "no_calls": [],
    "too_many_calls": [*good_calls(), call("inspect_panel", {})],
    "tool_not_in_route": [call("melt_plate", {})],
    "wrong_order": [good_calls()[1]],
    "arguments_not_json": [call("cut_plate", "{'plate': deck}")],
}


@pytest.mark.parametrize("code", BAD_ROUNDS)
def test_a_bad_round_goes_back_to_the_review_with_its_reason_and_drops_what_was_collected(stand, code):
    row = run(stand.collecting())
    if code not in ("too_many_calls", "wrong_order", "arguments_not_json"):
        row = offer(stand, row, *good_calls(stop=1))
    row = offer(stand, row, *BAD_ROUNDS[code])
    assert (row.state, row.reason["code"], row.calls, row.provider_round) == ("in_review", code, [], 0)
    assert row.program is None
    assert "tool_call_rejected" in stand.events(row.number)
    assert "tool_call_compiled" not in stand.events(row.number)
    assert stand.panel.content("main")["switches"] == 0


def test_after_a_refused_round_the_person_confirms_again_and_all_calls_are_given_anew(stand):
    row = run(stand.collecting())
    offer(stand, row, *good_calls(stop=2))
    row = offer(stand, row)
    row = run(stand.controller.confirm(me(), row.number, row.spec_digest))
    assert (row.state, row.calls, row.reason) == ("collecting", [], None)
    assert offer(stand, row, *good_calls()).state == "sealed"


def test_after_three_refused_rounds_the_change_is_invalid(stand):
    row = run(stand.in_review())
    for _ in range(3):
        row = run(stand.controller.confirm(me(), row.number, row.spec_digest))
        row = offer(stand, row)
    assert (row.state, row.call_failures) == ("invalid", 3)
    with pytest.raises(DecisionRefused, match="wrong_state"):
        run(stand.controller.confirm(me(), row.number, row.spec_digest))


def test_calls_are_taken_only_after_the_spec_was_confirmed(stand):
    for row in (run(stand.drafting()), run(stand.in_review())):
        with pytest.raises(DecisionRefused, match="wrong_state"):
            offer(stand, row, *good_calls())


def test_every_answer_of_the_provider_is_kept_and_none_overwrites_another(stand):
    row = run(stand.collecting())
    offer(stand, row, *good_calls(stop=1), raw=b"first")
    row = offer(stand, row, raw=b"second")
    row = run(stand.controller.confirm(me(), row.number, row.spec_digest))
    offer(stand, row, *good_calls(), raw=b"third")
    kept = {name: content for name, content in stand.artifacts(row.number).items() if name.startswith("provider")}
    assert kept == {
        "provider_tool_response.sse": b"first",
        "provider_tool_response.2.sse": b"second",
        "provider_tool_response.3.sse": b"third",
    }


def test_what_a_model_says_beside_its_calls_is_kept_and_silence_leaves_no_file(stand):
    row = run(stand.collecting())
    offer(stand, row, *good_calls(stop=1), raw=b"first")
    assert "script_response.txt" not in stand.artifacts(row.number)
    row = run(stand.controller.offer_calls(ME, row.number, [], b"", " I cannot cut this.\ud800 "))
    row = run(stand.controller.confirm(me(), row.number, row.spec_digest))
    run(stand.controller.offer_calls(ME, row.number, good_calls(), b"", "好。"))
    lines = stand.artifacts(row.number)["script_response.txt"].decode().splitlines()
    assert (len(lines), lines[0].startswith("I cannot cut this."), lines[1]) == (2, True, "好。")


def test_a_tool_name_that_no_text_can_hold_is_refused_and_journalled(stand_anywhere):
    stand = stand_anywhere
    row = offer(stand, run(stand.collecting()), call("cut\ud800\x00", {}), raw=b"x")
    assert (row.state, row.reason["code"]) == ("in_review", "tool_not_in_route")
    row = run(stand.controller.confirm(me(), row.number, row.spec_digest))
    row = offer(stand, row, call("cut_plate" * 10_000, {}))
    assert (row.state, row.reason["code"]) == ("in_review", "tool_not_in_route")
    assert all(len(entry.entry) < 2000 for entry in stand.entries(row.number))
    assert stand.chain_holds(row.number)


@pytest.mark.parametrize(
    ("calls", "code"),
    [
        ([call("cut_plate", {"plate": "deck", "width": 3}), *good_calls(start=1)], "bad_argument"),
        ([call("cut_plate", {"plate": "deck", "width": 3, "height": 4, "glue": 1}), *good_calls(start=1)], "bad_argument"),
        ([call("cut_plate", {"plate": "deck", "width": "3", "height": 4}), *good_calls(start=1)], "bad_argument"),
        ([call("cut_plate", {"plate": "roof", "width": 3, "height": 4}), *good_calls(start=1)], "not_asked_for"),
    ],
)
def test_calls_that_the_domain_refuses_go_back_to_the_review_uncompiled(stand, calls, code):
    row = offer(stand, run(stand.collecting()), *calls)
    assert (row.state, row.reason["code"], row.calls) == ("in_review", code, [])
    assert row.seal is None
    assert "script_composed" not in stand.events(row.number)


def test_a_failed_rehearsal_goes_back_to_the_review_with_its_evidence(stand):
    calls = [good_calls()[0], call("paint_plate", {"plate": "deck", "colour": "mud"}), good_calls()[2]]
    row = offer(stand, run(stand.collecting()), *calls)
    assert (row.state, row.reason["code"]) == ("in_review", "rehearsal_failed")
    assert row.rehearsal["ok"] is False
    assert row.rehearsal["evidence"] == {"said": "no such colour: mud"}
    assert "rehearsal_completed" in stand.events(row.number)
    assert stand.panel.content("main")["plates"] == {}
    assert stand.panel.leftovers("main") == []


def test_the_evidence_of_a_failed_rehearsal_does_not_stay_with_a_later_refusal(stand):
    calls = [good_calls()[0], call("paint_plate", {"plate": "deck", "colour": "mud"}), good_calls()[2]]
    row = offer(stand, run(stand.collecting()), *calls)
    row = run(stand.controller.confirm(me(), row.number, row.spec_digest))
    row = offer(stand, row, call("cut_plate", {}), *good_calls(start=1))
    assert (row.state, row.reason["code"], row.rehearsal) == ("in_review", "bad_argument", None)


def test_a_correction_goes_back_to_drafting_and_gets_a_new_digest(stand):
    row = run(stand.in_review())
    corrected = run(stand.controller.correct(me(), row.number, "cut deck 9 by 9, no paint"))
    assert (corrected.state, corrected.spec, corrected.spec_digest, corrected.route) == ("drafting", None, None, None)
    assert "9 by 9" in stand.controller.need(corrected).brief.content
    again = run(stand.controller.offer_spec(ME, row.number, SPEC))
    assert again.spec_digest != row.spec_digest
    with pytest.raises(DecisionRefused, match="digest_differs"):
        run(stand.controller.confirm(me(), row.number, row.spec_digest))
    assert [decision.kind for decision in stand.decisions(row.number)] == ["correct"]


def test_when_the_provider_fails_drafting_stays_and_collecting_goes_back_to_the_review(stand):
    row = run(stand.drafting())
    run(stand.controller.note_retry(ME, row.number, "timeout"))
    row = run(stand.controller.provider_failed(ME, row.number, "timeout"))
    assert (row.state, row.reason["code"]) == ("drafting", "provider_failed")
    row = run(stand.collecting())
    offer(stand, row, *good_calls(stop=1))
    row = run(stand.controller.provider_failed(ME, row.number, "cut_off"))
    assert (row.state, row.reason["code"], row.calls, row.call_failures) == ("in_review", "provider_failed", [], 0)


def test_a_provider_that_fails_after_the_change_has_ended_changes_nothing(stand):
    row = run(stand.drafting())
    run(stand.controller.withdraw(me(), row.number))
    with pytest.raises(DecisionRefused, match="wrong_state"):
        run(stand.controller.provider_failed(ME, row.number, "timeout"))
    assert stand.row(row.number).state == "withdrawn"


def test_retries_of_a_provider_are_journalled(stand):
    row = run(stand.drafting())
    for _ in range(2):
        run(stand.controller.note_retry(ME, row.number, "timeout"))
    told = [json.loads(entry.entry) for entry in stand.entries(row.number)]
    assert [one["detail"] for one in told if one["event"] == "provider_failed"] == [{"code": "timeout", "retry": True}] * 2
    assert stand.chain_holds(row.number)
