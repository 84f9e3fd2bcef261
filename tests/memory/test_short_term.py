"""A turn reads the last 20 steps of the last 2 hours, of whole turns: no call without its results, no result without its call."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.ground import NOW, histories, ids, pairs_are_whole, said
from steadyhand.core.clock import to_text
from steadyhand.core.wire import Message, ToolCall
from steadyhand.memory.short_term import entry_of, recall, steps, to_messages
from steadyhand.memory.tiers import Tiers


def talk(turns, minutes=0.0):
    """Turns of a question and an answer."""
    return [
        said(f"{turn}{mark}", role, turn=f"t{turn}", minutes=minutes)
        for turn in range(turns)
        for mark, role in (("q", "user"), ("a", "assistant"))
    ]


def test_no_more_than_the_last_messages_are_read():
    entries = talk(15)
    assert recall(entries, Tiers(), NOW) == entries[-20:]


def test_what_is_older_than_the_hours_is_not_read():
    entries = [*talk(1, minutes=121), said("new", minutes=119)]
    assert ids(recall(entries, Tiers(), NOW)) == ["new"]
    assert recall(talk(3, minutes=121), Tiers(), NOW) == []
    assert recall([], Tiers(), NOW) == []


def test_exactly_two_hours_ago_is_still_read():
    assert ids(recall([said("edge", minutes=120)], Tiers(), NOW)) == ["edge"]


def test_a_call_counts_as_one_with_all_its_results():
    entries = [
        said("q", turn="t"),
        said("call", "assistant", turn="t", calls=["a", "b"]),
        said("b", "tool", turn="t", call="b"),
        said("a", "tool", turn="t", call="a"),
        said("end", "assistant", turn="t"),
    ]
    assert recall(entries, Tiers(short_messages=3), NOW) == entries


@pytest.mark.parametrize("missing", ["a", "b"])
def test_calls_without_all_their_results_are_not_read_nor_what_results_there_are(missing):
    entries = [
        said("q", turn="t"),
        said("call", "assistant", turn="t", calls=["a", "b"]),
        *(said(one, "tool", turn="t", call=one) for one in "ab" if one != missing),
        said("next", turn="u"),
    ]
    assert ids(recall(entries, Tiers(), NOW)) == ["q", "next"]


def test_a_result_without_its_call_is_not_read():
    entries = [said("old", "tool", call="a"), said("none", "tool"), said("q")]
    assert ids(recall(entries, Tiers(), NOW)) == ["q"]


def test_the_same_call_id_in_two_rounds_means_two_calls():
    rounds = [
        said(f"{round_}{mark}", role, turn="t", **more)
        for round_ in (1, 2)
        for mark, role, more in (("call", "assistant", {"calls": ["call_1"]}), ("result", "tool", {"call": "call_1"}))
    ]
    assert ids(recall([said("q", turn="t"), *rounds], Tiers(), NOW)) == ["q", "1call", "1result", "2call", "2result"]


def test_what_a_person_said_while_a_tool_ran_stands_behind_the_result():
    entries = [
        said("q", turn="t"),
        said("call", "assistant", turn="t", calls=["a"]),
        said("meanwhile", turn="t"),
        said("result", "tool", turn="t", call="a"),
    ]
    assert ids(recall(entries, Tiers(), NOW)) == ["q", "call", "result", "meanwhile"]


def test_a_turn_that_was_cut_is_left_out_when_a_newer_one_is_whole():
    entries = talk(3)
    assert ids(recall(entries, Tiers(short_messages=3), NOW)) == ["2q", "2a"]


def test_of_a_newest_turn_that_is_too_long_the_request_stays_with_the_last_steps():
    entries = [said("q", turn="t"), *(said(number, "assistant", turn="t") for number in range(30))]
    assert ids(recall(entries, Tiers(short_messages=4), NOW)) == ["q", "27", "28", "29"]


def test_the_request_of_a_turn_that_runs_for_hours_stays():
    entries = [
        said("q", turn="t", minutes=130),
        said("late", "assistant", turn="t", minutes=130),
        said("end", "assistant", turn="t"),
    ]
    assert ids(recall(entries, Tiers(), NOW)) == ["q", "end"]


def test_entries_of_no_turn_stand_alone():
    entries = [said(number, "assistant") for number in range(5)]
    assert ids(recall(entries, Tiers(short_messages=2), NOW)) == ["3", "4"]


@settings(max_examples=150, deadline=None)
@given(histories(), st.integers(1, 25), st.floats(0.1, 6))
def test_what_is_read_is_whole_recent_bounded_and_in_order(entries, most, hours):
    tiers = Tiers(short_messages=most, short_hours=hours)
    read = recall(entries, tiers, NOW)
    assert pairs_are_whole(read)
    assert len(steps(read)) <= most
    order = [entries.index(step[0]) for step in steps(read)]
    assert order == sorted(set(order))
    since = to_text(NOW - timedelta(hours=hours))
    kept_beyond = (
        bool(read) and read[0].role == "user" and read[0].at < since
    )  # for its turn alone, which is not there a second time
    assert read == recall(read, tiers, NOW) or kept_beyond
    if read:
        newest = read[-1].turn_id
        for turn in {entry.turn_id for entry in read} - {newest}:
            assert [entry for entry in read if entry.turn_id == turn] == [
                entry for step in steps(entries) for entry in step if entry.turn_id == turn
            ]
        asked = [entry.id for entry in entries if entry.turn_id == newest and entry.role == "user"]
        assert asked[-1] in ids(read)


@settings(max_examples=100, deadline=None)
@given(histories(), st.randoms(use_true_random=False))
def test_a_history_with_holes_is_read_without_half_pairs(entries, chance):
    left = [entry for entry in entries if chance.random() > 0.3]
    assert pairs_are_whole(recall(left, Tiers(), NOW))


@settings(max_examples=50, deadline=None)
@given(histories())
def test_a_history_that_was_cut_anywhere_by_age_is_read_without_half_pairs(entries):
    for begin in range(len(entries)):
        assert pairs_are_whole(recall(entries[begin:], Tiers(short_hours=24), NOW))


# --- the form for a provider ------------------------------------------------------------------------------------------


def test_entries_become_messages_with_calls_and_data():
    entries = [
        said("q", content="week 3?"),
        said("call", "assistant", "looking", calls=["a"]),
        said("result", "tool", "found", call="a", data={"rows": [1]}),
    ]
    assert to_messages(entries) == (
        Message("user", "week 3?"),
        Message("assistant", "looking", (ToolCall("a", "look", "{}"),)),
        Message("tool", "found", tool_call_id="a", data={"rows": [1]}),
    )


@pytest.mark.parametrize(
    "message",
    [
        Message("user", "hello"),
        Message("assistant", "", (ToolCall("a", "look", '{"week": 1}'), ToolCall("b", "look", "{}")), reasoning="because"),
        Message("assistant", "done"),
        Message("tool", "found", tool_call_id="a", data={"choices": []}),
    ],
)
def test_a_message_comes_back_from_the_history_as_it_was(message):
    entry = entry_of(message, "id", "turn", "reply")
    assert (entry.id, entry.turn_id, entry.source) == ("id", "turn", "reply")
    assert to_messages([entry]) == (message,)


def test_a_systems_message_is_never_stored():
    with pytest.raises(ValueError, match="system"):
        entry_of(Message("system", "rules"), "id", "turn", "reply")
