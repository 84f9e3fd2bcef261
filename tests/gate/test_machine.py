"""The whole transition table: every legal pair moves as the design says, every other pair is refused."""

import itertools

import pytest

from steadyhand.core.errors import IllegalTransition
from steadyhand.gate import machine
from steadyhand.gate.machine import Event, State
from steadyhand.store.changes.tables import ON_ITS_WAY

# Written from the design's table of states, by hand: state → event → next state.
EXPECTED = {
    "observing": {
        "observed_for_spec": "drafting",
        "observed_given": "preparing",
        "observation_failed": "invalid",
        "withdrawn": "withdrawn",
        "expired": "expired",
    },
    "drafting": {
        "spec_received": "in_review",
        "spec_unrouted": "drafting",
        "provider_failed": "drafting",
        "withdrawn": "withdrawn",
        "expired": "expired",
    },
    "in_review": {
        "confirmed": "collecting",
        "corrected": "drafting",
        "denied": "rejected",
        "withdrawn": "withdrawn",
        "expired": "expired",
        "target_changed": "stale",
    },
    "collecting": {
        "calls_partial": "collecting",
        "calls_complete": "preparing",
        "calls_refused": "in_review",
        "calls_refused_finally": "invalid",
        "provider_failed": "in_review",
        "withdrawn": "withdrawn",
        "expired": "expired",
        "target_changed": "stale",
    },
    "preparing": {
        "prepared": "sealed",
        "preparation_refused": "in_review",
        "preparation_impossible": "invalid",
        "withdrawn": "withdrawn",
        "expired": "expired",
        "target_changed": "stale",
    },
    "sealed": {
        "approved": "approved",
        "denied": "rejected",
        "withdrawn": "withdrawn",
        "expired": "expired",
        "target_changed": "stale",
    },
    "approved": {
        "submitted": "submitting",
        "revoked": "rejected",
        "withdrawn": "withdrawn",
        "expired": "expired",
        "target_changed": "stale",
    },
    "submitting": {
        "receipt": "executed",
        "target_changed": "stale",
        "untouched": "failed",
        "partly_done": "failed",
        "unclear": "unknown",
        "stop_asked": "submitting",
    },
    "executed": {
        "matched": "verified",
        "mismatched": "failed",
        "unreadable": "unknown",
        "stop_asked": "executed",
    },
    "unknown": {
        "matched": "verified",
        "mismatched": "failed",
        "untouched": "failed",
        "partly_done": "failed",
        "unreadable": "unknown",
        "closed_as_failed": "failed",
        "stop_asked": "unknown",
    },
    "verified": {},
    "rejected": {},
    "withdrawn": {},
    "expired": {},
    "stale": {},
    "invalid": {},
    "failed": {},
}
PAIRS = list(itertools.product(State, Event))


@pytest.mark.parametrize(("state", "event"), PAIRS, ids=[f"{state}-{event}" for state, event in PAIRS])
def test_every_pair_of_state_and_event_moves_as_the_design_says_or_is_refused(state, event):
    expected = EXPECTED[state.value].get(event.value)
    assert machine.legal(state, event) == (expected is not None)
    if expected is not None:
        assert machine.step(state, event).state == expected
    else:
        with pytest.raises(IllegalTransition) as refused:
            machine.step(state, event)
        assert refused.value.params == {"state": state.value, "event": event.value}


def test_the_expected_table_names_every_state_and_only_events_that_exist():
    assert set(EXPECTED) == {state.value for state in State}
    assert {event for row in EXPECTED.values() for event in row} == {event.value for event in Event}


def test_what_ended_has_no_way_out():
    ended = {state for state, row in EXPECTED.items() if not row}
    assert set(machine.ENDED) == ended


def test_every_state_that_is_not_ended_can_be_left():
    for state, row in EXPECTED.items():
        if row:
            assert any(target != state for target in row.values()), state


def test_before_submission_a_stop_withdraws_and_from_then_on_it_is_only_noted():
    for state, row in EXPECTED.items():
        if state in machine.BEFORE_SUBMISSION:
            assert row["withdrawn"] == "withdrawn"
            assert row["expired"] == "expired"
            assert "stop_asked" not in row
        elif row:
            assert row["stop_asked"] == state
            assert "withdrawn" not in row
            assert "expired" not in row


def test_only_what_was_submitted_can_end_verified_failed_or_unknown():
    for state, row in EXPECTED.items():
        reached = set(row.values()) & {"verified", "failed", "unknown", "executed"}
        assert not reached or state in ("submitting", "executed", "unknown"), state


def test_only_a_read_back_that_matches_leads_to_verified():
    ways = {(state, event) for state, row in EXPECTED.items() for event, target in row.items() if target == "verified"}
    assert ways == {("executed", "matched"), ("unknown", "matched")}


def test_nothing_is_submitted_but_what_is_approved_and_nothing_is_approved_but_what_is_sealed():
    assert [state for state, row in EXPECTED.items() if "submitting" in row.values() and state != "submitting"] == ["approved"]
    assert [state for state, row in EXPECTED.items() if "approved" in row.values()] == ["sealed"]


def test_the_states_of_which_a_target_has_one_at_most_are_the_same_in_machine_and_database():
    assert {state.value for state in machine.ON_ITS_WAY} == set(ON_ITS_WAY) == {"approved", "submitting", "executed", "unknown"}


def test_the_states_without_effect_are_those_that_end_before_anything_ran():
    assert {state.value for state in machine.WITHOUT_EFFECT} == {"rejected", "withdrawn", "expired", "stale", "invalid"}


def test_no_state_or_event_says_completed():
    assert not [name for name in [*State, *Event] if "complete" in name and name != "calls_complete"]
