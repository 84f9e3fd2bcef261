"""Equal rows are found, whatever their hashes are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.domains.cae.engine import equal_rows
from steadyhand.domains.cae.engine.equal_rows import first_equal

ROWS = st.lists(st.tuples(st.integers(-2, 2), st.integers(-(2**63), 2**63 - 1) | st.integers(0, 1)), max_size=30)


def by_hand(rows: list[tuple[int, int]]) -> list[int]:
    return [rows.index(row) for row in rows]


@given(ROWS)
@settings(max_examples=100, deadline=None)
def test_each_row_is_told_the_first_one_that_equals_it(rows):
    columns = np.array(rows, np.int64).reshape(-1, 2).T.copy()
    assert first_equal(list(columns)).tolist() == by_hand(rows)


@pytest.mark.parametrize("rows", [[(1, 2), (3, 4), (1, 2), (3, 4), (5, 6), (1, 2)], [(0, 0)], []])
def test_rows_that_share_a_hash_are_told_apart_by_what_they_hold(rows, monkeypatch):
    monkeypatch.setattr(equal_rows, "_hashed", lambda columns: np.zeros(len(columns[0]), np.uint64))
    columns = np.array(rows, np.int64).reshape(-1, 2).T.copy()
    assert first_equal(list(columns)).tolist() == by_hand(rows)
