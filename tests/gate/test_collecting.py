"""Calls that a provider gives are checked for name, place, count and JSON before one of them is kept."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.core.canonical import canonical
from steadyhand.core.wire import ToolCall
from steadyhand.gate.collecting import call_json, calls_of, check
from steadyhand.gate.contract import CollectedCall, Refusal

ROUTE = ("cut", "paint", "inspect")


def call(name, arguments="{}"):
    return ToolCall("id", name, arguments)


def calls(*names):
    return [call(name) for name in names]


@pytest.mark.parametrize(
    ("stored", "names"), [(0, ["cut"]), (0, ["cut", "paint"]), (0, list(ROUTE)), (1, ["paint"]), (1, ["paint", "inspect"])]
)
def test_the_next_calls_of_the_route_are_taken_with_their_place_and_round(stored, names):
    taken = check(ROUTE, stored, calls(*names), 2)
    assert taken == tuple(CollectedCall(stored + i, 2, name, {}) for i, name in enumerate(names))


@pytest.mark.parametrize(
    ("stored", "names", "code", "index"),
    [
        (0, [], "no_calls", None),
        (2, [], "no_calls", None),
        (0, ["cut", "paint", "inspect", "inspect"], "too_many_calls", None),
        (2, ["inspect", "inspect"], "too_many_calls", None),
        (0, ["drop"], "tool_not_in_route", 0),
        (0, ["cut", "drop"], "tool_not_in_route", 1),
        (0, ["paint"], "wrong_order", 0),
        (0, ["cut", "inspect"], "wrong_order", 1),
        (1, ["cut"], "wrong_order", 1),
        (0, ["Cut"], "tool_not_in_route", 0),
        (0, [" cut"], "tool_not_in_route", 0),
        (0, [""], "tool_not_in_route", 0),
    ],
)
def test_a_round_that_does_not_fit_is_refused_whole_with_its_reason(stored, names, code, index):
    refused = check(ROUTE, stored, calls(*names), 1)
    assert isinstance(refused, Refusal)
    assert (refused.code, refused.index) == (code, index)


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "{",
        "[]",
        "1",
        "null",
        '"text"',
        "{}{}",
        "{'a': 1}",
        '{"a": NaN}',
        '{"a": Infinity}',
        '{"a": 1e999}',
        '{"a": 1, "a": 2}',
        '{"b": {"a": 1, "a": 2}}',
        '{"a": 9007199254740993}',
        '{"a": "\\ud800"}',
        '{"\\udfff": 1}',
        "[" * 100_000,
        '{"a": "' + "x" * 1_000_001 + '"}',
        '{"a": 1' + "0" * 5000 + "}",
    ],
    ids=range(19),
)
def test_arguments_that_are_not_one_unambiguous_object_are_refused(arguments):
    refused = check(ROUTE, 0, [call("cut", arguments)], 1)
    assert refused == Refusal("arguments_not_json", {"tool": "cut"}, 0)


def test_one_bad_call_spoils_its_whole_round():
    refused = check(ROUTE, 0, [call("cut"), call("paint", "no")], 1)
    assert refused == Refusal("arguments_not_json", {"tool": "paint"}, 1)


def test_a_route_has_at_most_twice_as_many_rounds_as_tools():
    assert not isinstance(check(ROUTE, 0, calls("cut"), 6), Refusal)
    assert check(ROUTE, 0, calls("cut"), 7) == Refusal("too_many_rounds", {"limit": 6})


@given(stored=st.integers(0, 2), names=st.lists(st.sampled_from([*ROUTE, "drop", ""]), max_size=5))
def test_exactly_the_beginnings_of_what_remains_are_taken(stored, names):
    remaining = list(ROUTE[stored:])
    fits = bool(names) and names == remaining[: len(names)]
    assert isinstance(check(ROUTE, stored, calls(*names), 1), tuple) == fits


@settings(max_examples=200)
@given(st.text(max_size=40))
def test_any_text_as_arguments_is_either_kept_as_it_means_or_refused(text):
    taken = check(ROUTE, 0, [call("cut", text)], 1)
    if isinstance(taken, tuple):
        assert canonical(taken[0].arguments) == canonical(json.loads(text))
        assert calls_of([call_json(one) for one in taken]) == taken
