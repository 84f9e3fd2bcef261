"""What a person chose for a session lasts as long as the session, and is that person's and that session's alone."""

import asyncio
from datetime import timedelta

import pytest

from steadyhand.core.ids import SessionId
from steadyhand.domains.cae.choice import KEY, Choice, Choices
from steadyhand.memory.tiers import Tiers
from steadyhand.memory.working import Working
from trial_domains.ground import folder, quiet_log, stand
from trial_domains.stand import DESK, ME, OTHER

__all__ = ["folder", "quiet_log", "stand"]

HULL = Choice("part", "ship", "hull")
run = asyncio.run


@pytest.fixture
def working(stand):
    return Working(stand.store, Tiers())


@pytest.fixture
def choices(working):
    return Choices(working)


def test_what_was_chosen_is_read_back_as_long_as_the_session_lasts(choices, clock):
    assert run(choices.read(ME, DESK)) is None
    run(choices.put(ME, DESK, HULL))
    clock.advance(timedelta(days=400))
    assert run(choices.read(ME, DESK)) == HULL
    assert HULL.name == "ship/hull"


def test_a_later_choice_takes_the_place_of_an_earlier_one_and_can_be_dropped(choices):
    run(choices.put(ME, DESK, HULL))
    run(choices.put(ME, DESK, Choice("mesh", "ship", "deck")))
    assert run(choices.read(ME, DESK)) == Choice("mesh", "ship", "deck")
    run(choices.drop(ME, DESK))
    assert run(choices.read(ME, DESK)) is None


def test_it_is_of_one_person_and_one_session(choices):
    run(choices.put(ME, DESK, HULL))
    assert run(choices.read(OTHER, DESK)) is None
    assert run(choices.read(ME, SessionId("other"))) is None


def test_a_module_that_is_no_more_counts_as_not_chosen(choices, working):
    run(working.hold(ME, DESK, KEY, {"module": "weld", "model": "ship", "part": "hull"}, keep=True))
    assert run(choices.read(ME, DESK)) is None
