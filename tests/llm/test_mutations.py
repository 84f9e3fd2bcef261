"""What damage does to a stream: nothing, or no call at all; and where nobody can see it, one value, never another call.

Said precisely. Of a stream whose answer is good, cut at a place, with an event doubled or moved, or with one byte replaced, there
comes an error, an answer without calls that says so, or the same calls. One exception: damage inside one value (of one argument, or
an id, or an index that orders the calls) may leave another well-formed stream; then all calls, their names and the names of their
arguments are the same, and at most one value or one id is another one, of the type that the tool asks for.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llm.streams import CASES, is_stream, read, read_case

GOOD = [case for case in CASES if is_stream(case) and read_case(case).completion is not None]
CALLING = [case for case in GOOD if read_case(case).calls]
FAILING = [case for case in CASES if is_stream(case) and read_case(case).completion is None]
PRINTED_BEFORE_IT_FAILS = "-after-done"
"""Cases that are good up to the end mark and fail after it: cutting them there makes them good."""

BYTES = st.one_of(st.integers(0, 255), st.sampled_from(b'\x00\n\r :"\\/,{}[]0129aetnE-._\x7f\x80\xff'))


def body(case):
    return b"".join(case.recorded.chunks)


def events(case):
    """The pieces of a stream that end in an empty line; how the network cut it is no part of what can be doubled or moved."""
    parts = body(case).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n\n")
    return [part + b"\n\n" for part in parts if part.strip()]


def distance(intact, damaged):
    """Count the values and ids in which two lists of calls differ; None when they are not the same calls."""
    if [(name, sorted(arguments)) for _, name, arguments in intact] != [(name, sorted(given)) for _, name, given in damaged]:
        return None
    ids = len({one[0] for one in intact} ^ {one[0] for one in damaged})
    changed = [
        sum(one[2][key] != other[2][key] or type(one[2][key]) is not type(other[2][key]) for key in one[2])
        for one, other in zip(intact, damaged, strict=True)
    ]
    return (ids + 1) // 2 + sum(changed)


def nearest(intact, damaged):
    """Compare as sets first: a value that changed may sort a call elsewhere."""
    left = [call for call in intact if call not in damaged]
    right = [call for call in damaged if call not in intact]
    return None if len(intact) != len(damaged) else distance(left, right)


def same_or_nothing(case, chunks, *, broken=False, most=0):
    intact, damaged = read_case(case).calls, read(chunks, case.tools, broken=broken)
    if not damaged.calls:
        return
    apart = nearest(intact, damaged.calls)
    assert apart is not None, (case.id, intact, damaged.calls)
    assert apart <= most, (case.id, intact, damaged.calls)


@settings(max_examples=400, deadline=None)
@given(case=st.sampled_from(CALLING), share=st.floats(0, 1), broken=st.booleans())
def test_a_stream_that_is_cut_gives_the_same_calls_or_none(case, share, broken):
    whole = body(case)
    same_or_nothing(case, [whole[: int(share * len(whole))]], broken=broken, most=1)  # an id in two pieces may lose the second


@pytest.mark.parametrize("case", CALLING, ids=lambda case: case.id)
def test_without_its_end_mark_no_stream_gives_a_call(case):
    whole = body(case)
    if whole.lstrip().startswith(b"{"):
        return  # a document has another mark: it is whole
    end = whole.index(b"[DONE]")
    for broken in (False, True):
        assert read([whole[:end]], case.tools, broken=broken).completion is None
        assert read([whole[: end + 5]], case.tools, broken=broken).completion is None


@pytest.mark.parametrize("case", CALLING, ids=lambda case: case.id)
def test_an_event_that_comes_twice_or_elsewhere_gives_the_same_calls_or_none(case):
    parts = events(case)
    within_a_value = 2 if "one-character-at-a-time" in case.id else 1
    for first in range(min(len(parts), 12)):
        same_or_nothing(case, [*parts[: first + 1], *parts[first:]], most=within_a_value)
        for second in range(min(len(parts), 12)):
            moved = list(parts)
            moved.insert(second, moved.pop(first))
            same_or_nothing(case, moved, most=within_a_value)
            swapped = list(parts)
            swapped[first], swapped[second] = swapped[second], swapped[first]
            same_or_nothing(case, swapped, most=within_a_value)


@settings(max_examples=600, deadline=None)
@given(case=st.sampled_from(CALLING), share=st.floats(0, 1, exclude_max=True), value=BYTES)
def test_a_byte_that_changed_gives_the_same_calls_or_none_or_one_other_value(case, share, value):
    damaged = bytearray(body(case))
    damaged[int(share * len(damaged))] = value
    same_or_nothing(case, [bytes(damaged)], broken=not case.recorded.clean, most=1)


@settings(max_examples=400, deadline=None)
@given(case=st.sampled_from(FAILING), first=st.integers(0, 30), second=st.integers(0, 30), swap=st.booleans())
def test_a_stream_that_fails_gives_no_call_when_its_events_are_doubled_or_moved(case, first, second, swap):
    parts = events(case)
    if not parts or PRINTED_BEFORE_IT_FAILS in case.id:
        return
    first, second = first % len(parts), second % len(parts)
    if swap:
        parts[first], parts[second] = parts[second], parts[first]
    else:
        parts.insert(second, parts[first])
    found = read(parts, case.tools).calls
    assert not found or read(events(case), case.tools).calls, (case.id, found)


@settings(max_examples=300, deadline=None)
@given(case=st.sampled_from(FAILING), share=st.floats(0, 1), broken=st.booleans())
def test_a_stream_that_fails_gives_no_call_when_it_is_cut(case, share, broken):
    whole = body(case)
    if PRINTED_BEFORE_IT_FAILS not in case.id:
        assert not read([whole[: int(share * len(whole))]], case.tools, broken=broken).calls


@settings(max_examples=300, deadline=None)
@given(data=st.binary(max_size=200), tail=st.booleans())
def test_noise_is_an_error_and_nothing_else(data, tail):
    assert not read([data + (b"\n\ndata: [DONE]\n\n" if tail else b"")]).calls
