"""The canonical bytes of a value are those of RFC 8785 on any machine, whatever the order of its keys."""

import json
import math
import struct
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.core.canonical import canonical, digest, digest_bytes, legible, short

MOST = 2**53 - 1
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
scalars = st.none() | st.booleans() | st.integers(-MOST, MOST) | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=12
)


def number(text):
    """Read a number as JavaScript does, which knows doubles alone."""
    return int(text) if abs(int(text)) <= MOST else float(text)


def shuffled(value, turn):
    """Return an equal value whose keys come in another order."""
    if isinstance(value, dict):
        items = [(key, shuffled(inner, turn)) for key, inner in value.items()]
        at = turn % len(items) if items else 0
        return dict(reversed(items[at:] + items[:at]))
    return [shuffled(inner, turn) for inner in value] if isinstance(value, list) else value


@given(values, st.integers(0, 5))
@settings(max_examples=200, deadline=None)
def test_the_order_of_keys_changes_nothing(value, turn):
    assert canonical(shuffled(value, turn)) == canonical(value)
    assert digest(shuffled(value, turn)) == digest(value)


@given(values)
@settings(max_examples=200, deadline=None)
def test_the_bytes_are_json_of_the_value_and_their_own_canonical_form(value):
    told = canonical(value)
    assert json.loads(told, parse_int=number) == value
    assert canonical(json.loads(told)) == told


# The numbers of RFC 8785, appendix B: IEEE 754 bits and their text.
NUMBERS = [
    ("0000000000000000", "0"),
    ("8000000000000000", "0"),
    ("0000000000000001", "5e-324"),
    ("8000000000000001", "-5e-324"),
    ("7fefffffffffffff", "1.7976931348623157e+308"),
    ("ffefffffffffffff", "-1.7976931348623157e+308"),
    ("4340000000000000", "9007199254740992"),
    ("c340000000000000", "-9007199254740992"),
    ("4430000000000000", "295147905179352830000"),
    ("44b52d02c7e14af5", "9.999999999999997e+22"),
    ("44b52d02c7e14af6", "1e+23"),
    ("44b52d02c7e14af7", "1.0000000000000001e+23"),
    ("444b1ae4d6e2ef4e", "999999999999999700000"),
    ("444b1ae4d6e2ef4f", "999999999999999900000"),
    ("444b1ae4d6e2ef50", "1e+21"),
    ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
    ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("41b3de4355555553", "333333333.3333332"),
    ("41b3de4355555557", "333333333.33333343"),
    ("becbf647612f3696", "-0.0000033333333333333333"),
    ("43143ff3c1cb0959", "1424953923781206.2"),
]


@pytest.mark.parametrize(("bits", "text"), NUMBERS)
def test_numbers_are_written_as_the_standard_says(bits, text):
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical(number).decode() == text


def test_the_example_of_the_standard_is_reproduced():
    value = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"\u002f",
        "literals": [None, True, False],
    }
    expected = (
        '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )
    assert canonical(value).decode() == expected


def test_keys_are_sorted_by_their_utf_16_units():
    value = dict.fromkeys(["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"], 0)
    assert list(json.loads(canonical(value))) == ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]


def test_minus_zero_is_zero_everywhere():
    assert canonical([-0.0, 0.0, {"a": -0.0}]) == b'[0,0,{"a":0}]'
    assert digest(-0.0) == digest(0)


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, 2**53 + 1, -(2**53) - 1, 10**30, "\ud800", {"\udc00": 1}, {1: "a"}, {"a": {1, 2}}]
)
def test_what_has_no_canonical_bytes_is_refused(value):
    with pytest.raises(ValueError):
        canonical({"deep": [value]})


@pytest.mark.parametrize("value", [1e17, -1e20, 37011133620090390.0, 2.0**53, 1e21, 1e300])
def test_a_large_double_survives_being_stored_and_read(value):
    assert canonical({"a": [json.loads(canonical(value))]}) == canonical({"a": [value]})


def test_tuples_are_lists():
    assert canonical((1, ("a",))) == canonical([1, ["a"]])


def test_a_digest_is_the_same_in_every_process():
    story = "from steadyhand.core.canonical import digest; print(digest({'b': {'y': 1, 'x': 2.5}, 'a': ['课', -0.0]}))"
    told = {
        subprocess.run(
            [sys.executable, "-c", story], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert told == {digest({"a": ["课", 0], "b": {"x": 2.5, "y": 1}}) + "\n"}


def test_a_digest_is_a_sha_256_and_its_short_form_its_beginning():
    assert digest_bytes(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert digest({}) == digest_bytes(b"{}")
    assert short(digest({})) == digest({})[:8]


def test_text_that_no_database_can_keep_becomes_legible():
    assert legible("a\ud800b\x00c课") == "a?b\ufffdc课"
