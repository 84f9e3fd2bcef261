"""The fast way of writing canonical bytes gives what the reference implementation gives, for every value that takes it and every one that does not."""

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.core.canonical import SAFE, canonical

TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=8)
LEAVES = st.none() | st.booleans() | st.integers(-SAFE, SAFE) | TEXT | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.tuples(inner, inner) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=400, deadline=None)
@given(VALUES)
def test_the_bytes_are_those_of_the_reference_implementation(value: object) -> None:
    assert canonical(value) == rfc8785.dumps(value)  # type: ignore[arg-type]  # made of JSON only


@pytest.mark.parametrize(
    "value",
    [
        {"\U0001f600": 1, "\ufb01": 2, "\ue000": 3, "a": 4},
        {"b": {"ü": 1, "z": [True, None, '\x1f\u2028\x7f"\\/']}, "a": -0.0},
        [1e21, 1.5, 10, -7, 2**53 - 1],
        (),
        {},
    ],
)
def test_so_are_keys_beyond_the_basic_plane_numbers_and_control_characters(value: object) -> None:
    assert canonical(value) == rfc8785.dumps(value)  # type: ignore[arg-type]  # made of JSON only


@pytest.mark.parametrize("value", ["\ud800", {"\udfff": 1}, {"a": ["\ud800"]}])
def test_half_a_surrogate_pair_is_refused(value: object) -> None:
    with pytest.raises(ValueError):
        canonical(value)  # type: ignore[arg-type]  # that is the point
