"""Week lists are read as people write them, and written so that they are read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadyhand.domains.schedule.term.weeks import read_weeks, write_weeks


@pytest.mark.parametrize(
    ("text", "weeks"),
    [
        ("1-16", range(1, 17)),
        ("1-16周", range(1, 17)),
        ("第1-16周", range(1, 17)),
        ("1周-16周", range(1, 17)),
        ("1-15单", range(1, 16, 2)),
        ("1-16单周", range(1, 16, 2)),
        ("2-16(双)", range(2, 17, 2)),
        ("1-15 odd", range(1, 16, 2)),
        ("Weeks", None),
        ("3", [3]),
        ("3周", [3]),
        ("1-5,7-11单", [1, 2, 3, 4, 5, 7, 9, 11]),
        ("1，3、5；7", [1, 3, 5, 7]),
        ("1~3", [1, 2, 3]),
        ("单周", range(1, 17, 2)),
        ("even", range(2, 17, 2)),
        ("全部", range(1, 17)),
        ("all weeks", range(1, 17)),
        ("1-20", range(1, 21)),
        ("5-1", None),
        ("0-3", None),
        ("1-16三", None),
        ("", None),
        ("1,", None),
    ],
)
def test_week_lists_as_people_write_them(text, weeks):
    if weeks is None:
        with pytest.raises(ValueError):
            read_weeks(text, 16)
    else:
        assert read_weeks(text, 16) == frozenset(weeks)


@pytest.mark.parametrize(
    ("weeks", "text"),
    [
        (range(1, 17), "1-16"),
        (range(1, 16, 2), "1-15 odd"),
        ([2, 4, 6], "2-6 even"),
        ([1, 3], "1,3"),
        ([1, 2, 3, 5, 7, 9], "1-3,5-9 odd"),
        ([4], "4"),
        ([], ""),
    ],
)
def test_weeks_are_written_short(weeks, text):
    assert write_weeks(weeks) == text


@given(st.sets(st.integers(1, 60), min_size=1), st.sampled_from([(" odd", " even"), ("单", "双")]))
def test_what_is_written_is_read_back(weeks, words):
    assert read_weeks(write_weeks(weeks, *words), 60) == weeks
