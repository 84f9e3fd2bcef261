"""What is proposed stands before the gate with the line that code renders and, where there is a program, its diff."""

import asyncio

import pytest

from steadyhand.agent.propose import propose, standing
from steadyhand.core.errors import DecisionRefused
from steadyhand.core.ids import UserId
from steadyhand.gate.contract import DraftCopy, Given, Target
from steadyhand.gate.controller import Proposal
from steadyhand.gate.lines import line
from steadyhand.gate.machine import State
from trial_domains.stand import DESK, ME, REQUEST, cut, me


def proposal(source=None, **more):
    return Proposal(ME, DESK, Target("panel", "main", ME), REQUEST, source, ["deck"], **more)


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_given_operations_come_sealed_with_their_diff_and_line(stand, language):
    made = asyncio.run(propose(stand.controller, proposal(Given((cut(),)), language=language)))
    assert made.row.state == State.SEALED
    assert made.line == line(made.row, language)
    assert made.row.seal_digest[:8] in made.line
    assert made.view is not None
    assert "deck" in made.view.text


def test_a_request_without_operations_comes_to_drafting_and_has_no_diff(stand):
    made = asyncio.run(propose(stand.controller, proposal()))
    assert (made.row.state, made.view) == (State.DRAFTING, None)


def test_a_draft_is_offered_as_the_copy_that_it_was(stand):
    content = {"writes": [1, 2]}
    made = asyncio.run(propose(stand.controller, proposal(DraftCopy("draft_1", 7, content))))
    assert made.row.source == {"draft": "draft_1", "revision": 7, "content": {"writes": [1, 2]}}
    content["writes"].append(3)
    assert stand.row(made.row.number).source["content"] == {"writes": [1, 2]}


def test_proposing_again_withdraws_what_the_same_session_had_proposed(stand):
    async def scene():
        first = await propose(stand.controller, proposal(Given((cut(),))))
        second = await propose(stand.controller, proposal(Given((cut("side"),))))
        return first.row.number, second.row.number

    first, second = asyncio.run(scene())
    assert stand.row(first).state == State.WITHDRAWN
    assert stand.row(first).superseded_by == second


def test_what_a_person_may_not_change_is_refused_before_there_is_a_change(stand):
    stranger = Proposal(ME, DESK, Target("panel", "main", UserId("another")), REQUEST, Given((cut(),)))
    with pytest.raises(DecisionRefused) as caught:
        asyncio.run(propose(stand.controller, stranger))
    assert caught.value.code == "not_owner"


def test_the_line_of_a_change_follows_it_to_its_end(stand):
    async def scene():
        made = await propose(stand.controller, proposal(Given((cut(),))))
        done = await stand.controller.approve(me(), made.row.number, made.row.seal_digest)
        return standing(stand.controller, done, "en")

    made = asyncio.run(scene())
    assert made.row.state == State.VERIFIED
    assert made.line == line(made.row, "en")
