"""A failure is told in three parts with its stable code; what has no text of its own is told as the program's fault."""

import pytest

from steadyhand.core.errors import (
    Bug,
    DecisionRefused,
    IllegalTransition,
    ModelCanFix,
    OperatorRepairs,
    PersonDecides,
    SchemaMismatch,
    SettingsInvalid,
    StaleTarget,
    SteadyhandError,
    StoreUnavailable,
    ToolRefusal,
)
from steadyhand.core.explain import Explanation, explain
from steadyhand.core.language import LANGUAGES


def test_a_failure_with_a_text_is_told_in_three_parts():
    told = explain(SchemaMismatch("schema_newer", found="0009", known="0001"), "en")
    assert told.code == "schema_newer"
    assert "0009" in told.summary
    assert "0001" in told.summary
    assert "not opened" in told.detail
    assert "steady restore" in told.next_step
    assert told.text() == f"{told.summary}\n{told.detail}\n{told.next_step}"


def test_a_part_that_is_empty_leaves_no_line():
    assert Explanation("code", "what", "", "next").text() == "what\nnext"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (KeyError("hush"), "KeyError"),
        (IllegalTransition("no_such_text", detail="hush"), "no_such_text"),
        (ToolRefusal("no_such_text"), "no_such_text"),
    ],
)
def test_what_has_no_text_is_told_as_our_fault_and_gives_nothing_away(language, error, kind):
    told = explain(error, language)
    assert told.code == "unexpected"
    assert kind in told.summary
    assert "hush" not in told.text()


def test_a_stale_target_names_a_few_of_its_regions():
    error = StaleTarget(tuple(f"day {number}" for number in range(9)))
    assert (error.code, error.params) == ("target_changed", {"regions": "day 0, day 1, day 2, day 3, day 4"})


def test_an_error_says_its_code_and_values_to_a_programmer():
    assert str(StoreUnavailable("store_busy", reason="locked", seconds=5)) == "store_busy(reason=locked, seconds=5)"


@pytest.mark.parametrize(
    ("who", "errors"),
    [
        (ModelCanFix, [ToolRefusal]),
        (PersonDecides, [DecisionRefused, StaleTarget]),
        (OperatorRepairs, [SettingsInvalid, StoreUnavailable, SchemaMismatch]),
        (Bug, [IllegalTransition]),
    ],
)
def test_the_tree_is_grouped_by_who_must_act(who, errors):
    assert all(issubclass(error, who) and issubclass(error, SteadyhandError) for error in errors)
