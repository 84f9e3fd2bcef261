"""The text of a call's arguments is one JSON object with one meaning, or it is nothing."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.core.arguments import MAX_ARGUMENT_BYTES, parse_arguments
from steadyhand.core.canonical import canonical


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        '"{}"',
        "{",
        "{} {}",
        "{'a': 1}",
        '{"a": 1,}',
        '{"a": 1, "a": 1}',
        '{"a": {"b": 1, "b": 2}}',
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": 1e999}',
        '{"a": 9007199254740993}',
        '{"a": "\\ud800"}',
        '{"\\udfff": 1}',
        '{"a": ' + "[" * 100_000 + "]" * 100_000 + "}",
        '{"a": ' + "9" * 5000 + "}",
    ],
    ids=lambda text: text[:24] or "empty",
)
def test_what_is_not_one_unambiguous_object_is_refused(text):
    assert parse_arguments(text) is None


def test_the_limit_is_on_bytes():
    room = MAX_ARGUMENT_BYTES - len('{"a":""}')
    assert parse_arguments('{"a":"' + "x" * room + '"}') is not None
    assert parse_arguments('{"a":"' + "x" * (room + 1) + '"}') is None
    assert parse_arguments('{"a":"' + "字" * (room // 3 + 1) + '"}') is None


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), VALUES, max_size=4))
@settings(max_examples=200)
def test_what_is_taken_has_canonical_bytes_and_is_what_was_said(value):
    parsed = parse_arguments(json.dumps(value))
    if parsed is None:
        with pytest.raises(ValueError):
            canonical(value)
    else:
        assert parsed == value
        assert canonical(parsed) == canonical(value)
