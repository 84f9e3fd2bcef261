"""What a seal covers, and that a digest which a door sends must be the stored one."""

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.core.canonical import canonical
from steadyhand.gate import sealing
from trial_domains.stand import good_calls, run

SEALED_FIELDS = {
    "change",
    "number",
    "user",
    "session",
    "target",
    "footprint",
    "spec_digest",
    "operations",
    "program",
    "rehearsal",
    "compiler",
    "engine",
    "policy",
    "expiry",
    "observation",
    "request",
}


@pytest.fixture
def row(stand):
    return run(stand.sealed_from_spec())


def altered(value):
    """Return a value of the same kind that differs."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        return value + " "
    if isinstance(value, list):
        return value[:-1] if value else [1]
    return {**value, "x": 1}


def test_the_seal_covers_exactly_what_the_design_lists(row):
    assert set(json.loads(row.seal)) == SEALED_FIELDS


@pytest.mark.parametrize("field", sorted(SEALED_FIELDS))
def test_each_field_of_the_seal_changes_its_digest(row, field):
    document = json.loads(row.seal)
    document[field] = altered(document[field])
    assert sealing.seal_digest(canonical(document).decode()) != row.seal_digest


def test_the_seal_is_recomputed_from_what_is_stored(row):
    assert sealing.seal_text(row) == row.seal
    assert sealing.seal_digest(row.seal) == row.seal_digest
    assert sealing.seal_holds(row)


@pytest.mark.parametrize(
    "column",
    [
        "id",
        "number",
        "user_id",
        "session_id",
        "domain",
        "target_name",
        "target_shared",
        "target_key",
        "spec_digest",
        "operations",
        "rehearsal",
        "policy",
        "expires_at",
        "seal",
        "seal_digest",
        "program_digest",
    ],
)
def test_a_stored_column_that_differs_breaks_the_seal(row, column):
    assert not sealing.seal_holds(dataclasses.replace(row, **{column: altered(getattr(row, column))}))


@pytest.mark.parametrize("field", ["text", "media", "footprint", "writes", "evidence", "compiler", "engine", "steps"])
def test_a_field_of_the_stored_program_that_differs_breaks_the_seal(row, field):
    program = {**row.program, field: altered(row.program[field])}
    assert not sealing.seal_holds(dataclasses.replace(row, program=program))


def test_a_program_that_differs_breaks_even_a_seal_made_to_fit_it(row):
    program = {**row.program, "text": row.program["text"].replace("red", "blue")}
    forged = dataclasses.replace(row, program=program)
    text = sealing.seal_text(forged)
    forged = dataclasses.replace(forged, seal=text, seal_digest=sealing.seal_digest(text))
    assert not sealing.seal_holds(forged), "the digest of the program is stored beside the seal"


@pytest.mark.parametrize("program", [None, {}, {"text": 1}, {"footprint": {}}, [], "x"])
def test_what_is_no_program_any_more_is_no_sealed_program(row, program):
    assert not sealing.seal_holds(dataclasses.replace(row, program=program))


def test_a_change_without_a_seal_does_not_hold(row):
    assert not sealing.seal_holds(dataclasses.replace(row, seal=None))
    assert not sealing.seal_holds(dataclasses.replace(row, seal_digest=None))


def test_the_digest_of_a_spec_covers_request_target_footprint_and_spec(row):
    seen = row.observation
    others = [
        sealing.spec_digest(dataclasses.replace(row, request="another"), row.spec),
        sealing.spec_digest(dataclasses.replace(row, target_name="another"), row.spec),
        sealing.spec_digest(dataclasses.replace(row, target_key="another"), row.spec),
        sealing.spec_digest(dataclasses.replace(row, domain="another"), row.spec),
        sealing.spec_digest(dataclasses.replace(row, observation={**seen, "footprint": {"plate/deck": "0"}}), row.spec),
        sealing.spec_digest(row, f"{row.spec} "),
    ]
    assert len({row.spec_digest, *others}) == 7
    assert sealing.spec_digest(row, row.spec) == row.spec_digest


def test_what_the_rehearsal_left_is_sealed_by_its_bytes(stand, row):
    from steadyhand.core.canonical import digest_bytes

    kept = stand.artifacts(row.number)["rehearsal/panel_audit.json"]
    assert row.rehearsal["artifacts"] == {"panel_audit.json": digest_bytes(kept)}


FULL = "0123456789abcdef" * 4


@pytest.mark.parametrize("given_digest", [FULL, FULL[:8], FULL[:12], FULL.upper(), f" {FULL[:8]} "])
def test_the_whole_digest_or_its_first_eight_digits_are_accepted(given_digest):
    assert sealing.matches(given_digest, FULL)


@pytest.mark.parametrize(
    "given_digest", ["", FULL[:7], FULL[1:9], FULL[:-1] + "0", FULL + "0", "xyz", "*", FULL[:8] + "?", "%%%%%%%%"]
)
def test_fewer_digits_other_digits_and_no_digits_are_refused(given_digest):
    assert not sealing.matches(given_digest, FULL)


def test_nothing_matches_where_nothing_is_stored():
    assert not sealing.matches(FULL, None)


@given(st.text(max_size=70))
def test_a_text_matches_only_as_a_beginning_of_eight_or_more_digits(text):
    told = text.strip().lower()
    assert sealing.matches(text, FULL) == (len(told) >= 8 and FULL.startswith(told))


def test_the_same_story_told_twice_compiles_to_the_same_program(stand):
    first = run(stand.sealed_from_spec())
    second = run(stand.sealed_from_spec())
    assert first.program_digest == second.program_digest
    assert first.program == second.program
    assert first.seal_digest != second.seal_digest, "the seal belongs to one change"


def test_calls_in_one_round_or_in_three_give_the_same_program(stand):
    at_once = run(stand.sealed_from_spec())

    async def one_by_one():
        row = await stand.collecting()
        for index in range(3):
            row = await stand.controller.offer_calls(row.user_id, row.number, good_calls(start=index, stop=index + 1))
        return row

    assert run(one_by_one()).program == at_once.program
