"""Identities are fresh, say their kind, and are exact as numbers; a change's name is read or refused, never guessed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.core.canonical import canonical
from steadyhand.core.ids import change_name, new_id, new_number, parse_change_name


def test_ids_are_fresh_and_say_their_kind():
    made = [new_id("draft") for _ in range(1000)]
    assert len(set(made)) == 1000
    assert all(one.startswith("draft_") and len(one) == len("draft_") + 20 for one in made)


def test_numbers_are_fresh_positive_and_exact_in_json():
    made = [new_number() for _ in range(1000)]
    assert len(set(made)) == 1000
    assert all(0 < number < 2**52 and int(canonical(number)) == number for number in made)


@given(st.integers(0, 999_999_999))
def test_a_name_is_read_back(number):
    for text in (change_name(number), f" c-{number} ", str(number)):
        assert parse_change_name(text) == number


@pytest.mark.parametrize(
    "text", ["", "C-", "C-x", "C--1", "-1", "C 1", "1.0", "C-1a", "1234567890", "C-C-1", "D-1", "一", "４２", "²", "C-1\n2"]
)
def test_what_is_no_name_is_none(text):
    assert parse_change_name(text) is None
