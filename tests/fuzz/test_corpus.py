"""Every input that a longer run once found worth keeping, and a few mutations of each, keep the promises of any bytes."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz.mutating import mutated, seeds
from fuzz.target import check

CORPUS = sorted((Path(__file__).parent / "corpus").glob("*.bin"))


@pytest.mark.parametrize("file", CORPUS, ids=lambda file: file.stem)
def test_an_input_that_was_kept_keeps_the_promises(file):
    assert check(file.read_bytes())


def test_the_corpus_reaches_answers_calls_and_every_kind_of_error():
    found = {check(file.read_bytes()).partition(":")[0] for file in CORPUS}
    assert found >= {"protocol", "truncated", "provider", "tool_call", "stop", "tool_calls", "length", "refusal"}


@settings(max_examples=150, deadline=None)
@given(draw=st.randoms(use_true_random=False))
def test_mutations_of_the_cases_keep_the_promises(draw):
    known = seeds()
    assert check(mutated(draw.choice(known), known, draw))
