"""A session holds what it works with for an hour, or as long as it lives; no other session and no other person sees it."""

import asyncio
from datetime import timedelta

import pytest

from steadyhand.core.ids import SessionId
from steadyhand.memory.tiers import Tiers
from steadyhand.memory.working import Working
from store.ground import DESK, ME, OTHER


@pytest.fixture
def working(desk):
    return Working(desk, Tiers())


def held(working, user=ME, session=DESK):
    return dict(asyncio.run(working.held(user, session)))


def hold(working, key, value, **more):
    asyncio.run(working.hold(ME, DESK, key, value, **more))


def test_what_is_held_is_there_for_an_hour(working, clock):
    hold(working, "list", {"rows": [1, "二"]})
    clock.advance(timedelta(minutes=59))
    assert held(working) == {"list": {"rows": [1, "二"]}}
    clock.advance(timedelta(minutes=1))
    assert held(working) == {}


def test_holding_again_begins_the_hour_again(working, clock):
    hold(working, "list", 1)
    clock.advance(timedelta(minutes=50))
    hold(working, "list", 2)
    clock.advance(timedelta(minutes=50))
    assert held(working) == {"list": 2}


def test_what_is_kept_outlives_the_hour(working, clock):
    hold(working, "window", {"first_week": 3}, keep=True)
    clock.advance(timedelta(days=400))
    assert held(working) == {"window": {"first_week": 3}}


def test_the_hour_can_be_set(desk, clock):
    working = Working(desk, Tiers(working_hours=0.5))
    hold(working, "list", 1)
    clock.advance(timedelta(minutes=30))
    assert held(working) == {}


def test_what_is_dropped_is_gone_and_the_rest_stays(working):
    for key in ("a", "b", "c"):
        hold(working, key, key)
    asyncio.run(working.drop(ME, DESK, "a", "c", "never there"))
    assert held(working) == {"b": "b"}


def test_no_other_session_and_no_other_person_sees_it(working):
    hold(working, "list", 1)
    assert held(working, OTHER) == {}
    assert held(working, ME, SessionId("other")) == {}
    asyncio.run(working.drop(OTHER, DESK, "list"))
    assert held(working) == {"list": 1}
