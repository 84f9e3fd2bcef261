"""The journal of a change is one chain: whatever is altered, taken out or put in shows at its place."""

import dataclasses
import functools
import json
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.gate import journal
from steadyhand.store.changes.records import JournalRow
from trial_domains.stand import build, run


@functools.cache
def a_journal():
    """The journal of a change that was verified, made once."""
    with tempfile.TemporaryDirectory() as folder:
        stand = build(f"sqlite:///{folder}/steadyhand.db", Path(folder))

        async def story():
            return await stand.approve(await stand.sealed_from_spec())

        entries = stand.entries(run(story()).number)
        stand.store.close()
    return tuple(entries)


def test_the_chain_of_an_untouched_journal_holds():
    assert journal.broken_at(a_journal()) is None
    assert journal.broken_at([]) is None


def test_the_journal_names_the_events_of_the_design_in_their_order(stand):
    names = [json.loads(entry.entry)["event"] for entry in a_journal()]
    assert names == [
        "change_opened",
        "observation_completed",
        "design_received",
        "design_confirmed",
        *["tool_call_reconstructed"] * 3,
        *["tool_call_collected"] * 3,
        *["tool_call_compiled"] * 3,
        "script_composed",
        "rehearsal_completed",
        "change_sealed",
        "change_approved",
        "execution_submitted",
        "execution_completed",
        "readback_verified",
        "change_ended",
    ]


def test_each_entry_carries_the_fields_of_the_design():
    for entry in a_journal():
        stated = json.loads(entry.entry)
        fields = {"change", "event", "domain", "tool", "tool_index", "provider_round", "program_digest", "time"}
        assert fields <= set(stated)
        assert stated["domain"] == "panel"
    compiled = [json.loads(entry.entry) for entry in a_journal() if "tool_call_compiled" in entry.entry]
    assert [(one["tool"], one["tool_index"], one["provider_round"]) for one in compiled] == [
        ("cut_plate", 0, 1),
        ("paint_plate", 1, 1),
        ("inspect_panel", 2, 1),
    ]


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_any_altered_character_breaks_the_chain_at_its_entry(data):
    entries = list(a_journal())
    index = data.draw(st.integers(0, len(entries) - 1))
    column = data.draw(st.sampled_from(["entry", "hash"]))
    text = getattr(entries[index], column)
    place = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.characters(exclude_categories=["Cs"]).filter(lambda found: found != text[place]))
    entries[index] = dataclasses.replace(entries[index], **{column: text[:place] + other + text[place + 1 :]})
    assert journal.broken_at(entries) == index + 1


@given(data=st.data())
def test_an_entry_taken_out_put_twice_or_moved_breaks_the_chain(data):
    entries = list(a_journal())
    index = data.draw(st.integers(0, len(entries) - 2))
    assert journal.broken_at(entries[:index] + entries[index + 1 :]) == index + 1
    assert journal.broken_at([*entries[: index + 1], *entries[index:]]) == index + 2
    swapped = list(entries)
    swapped[index], swapped[index + 1] = swapped[index + 1], swapped[index]
    assert journal.broken_at(swapped) == index + 1


def test_an_entry_rewritten_with_its_own_hash_breaks_the_chain_at_the_next():
    entries = list(a_journal())
    text = entries[5].entry.replace("panel", "other")
    entries[5] = JournalRow(6, text, journal.link(entries[4].hash, text.encode()))
    assert journal.broken_at(entries) == 7


def test_an_entry_that_states_another_number_or_none_breaks_the_chain():
    first = a_journal()[0]
    for text in (first.entry.replace('"seq":1', '"seq":2'), "[]", "1", "no json", "{}"):
        assert journal.broken_at([JournalRow(1, text, journal.link(journal.GENESIS, text.encode()))]) == 1


def test_no_event_says_completed_before_something_was_verified():
    for event in journal.Entry:
        assert "complete" not in event or event in ("observation_completed", "rehearsal_completed", "execution_completed")
