"""Every handed case and every one of our own is read as it expects, however its bytes are cut; the wire itself is tried by the command."""

import pytest

from llm.streams import CASES, is_stream, read_case
from steadyhand.llm.conformance import Outcome, passes

STREAMS = [case for case in CASES if is_stream(case)]


def outcome(read):
    return Outcome("ok", read.completion) if read.error is None else Outcome("error", error=read.error)


@pytest.mark.parametrize("case", STREAMS, ids=lambda case: case.id)
def test_a_case_is_read_as_it_expects(case):
    found = outcome(read_case(case))
    assert passes(found, case.expect), (case.expect, found.told())


@pytest.mark.parametrize("size", [1, 3, 64])
@pytest.mark.parametrize("case", STREAMS, ids=lambda case: case.id)
def test_how_the_bytes_are_cut_changes_nothing(case, size):
    body = b"".join(case.recorded.chunks)
    whole = read_case(case, [body])
    cut = read_case(case, [body[start : start + size] for start in range(0, len(body), size)])
    assert (cut.calls, cut.error and (cut.error.kind, cut.error.reason)) == (
        whole.calls,
        whole.error and (whole.error.kind, whole.error.reason),
    )
    if whole.completion is not None and cut.completion is not None:
        assert (cut.completion.text, cut.completion.reasoning) == (whole.completion.text, whole.completion.reasoning)


@pytest.mark.parametrize("case", STREAMS, ids=lambda case: case.id)
def test_what_was_shown_on_the_way_is_what_the_answer_says(case):
    found = read_case(case)
    if found.completion is None or found.completion.finish == "refusal" or found.completion.raw.lstrip().startswith(b"{"):
        return  # a refusal and a document come only at the end
    assert found.shown == found.completion.text
    assert found.thought == found.completion.reasoning
    assert found.completion.raw == b"".join(case.recorded.chunks)


def test_there_are_the_handed_cases_and_more_of_our_own():
    assert len(CASES) >= 78 + 50
    assert len({case.id for case in CASES}) == len(CASES)
