"""An agent may look at a person's changes and propose to take one back; it has no way to decide one."""

import asyncio
import json

import pytest

from steadyhand.agent.change_tools import change_tools, under_review
from steadyhand.core.wire import ToolCall
from steadyhand.tools.base import ToolContext
from steadyhand.tools.policy import ToolPolicy
from steadyhand.tools.registry import Registry
from steadyhand.tools.runner import Runner
from trial_domains.stand import DESK, ME, OTHER, note

run = asyncio.run


@pytest.fixture
def tools(stand):
    return Runner(Registry(change_tools(stand.controller)), ToolPolicy())


def context(stand, user=ME, language="en", words=""):
    return ToolContext(user, DESK, stand.clock, language, turn="turn_1", said=words)


def call(name, **arguments):
    return ToolCall("c", name, json.dumps(arguments))


def sealed(stand, name="monday"):
    return run(stand.open(note(name), domain="notebook"))


def test_there_is_no_tool_that_decides(tools):
    assert {tool.name: tool.effect for tool in tools.registry} == {
        "list_changes": "read",
        "show_change": "read",
        "propose_undo": "draft",
    }


def test_changes_are_listed_with_their_states_to_choose_from(stand, tools):
    assert run(tools.run(context(stand), call("list_changes"))).for_llm == "There are no changes."
    sealed(stand)
    result = run(tools.run(context(stand), call("list_changes")))
    assert result.for_llm.startswith("C-1")
    assert result.data["choices"]["rows"] == [{"label": result.for_llm, "value": {"change": 1}}]
    assert result.data["changes"][0]["state"] == "sealed"


def test_a_change_is_shown_to_the_person_whole_and_may_be_decided_then(stand, tools):
    row = sealed(stand)
    result = run(tools.run(context(stand), call("show_change", number=1)))
    assert row.seal_digest in result.for_user
    assert "monday" in result.for_llm
    assert row.seal_digest not in result.for_llm
    assert result.data == {"change": 1, "review": 1}
    run(stand.approve(row))
    assert run(tools.run(context(stand), call("show_change", number=1))).data == {"change": 1}


@pytest.mark.parametrize("name", ["show_change", "propose_undo"])
def test_what_is_not_there_or_not_theirs_is_an_error(stand, tools, name):
    sealed(stand)
    assert run(tools.run(context(stand), call(name, number=9))).is_error
    assert run(tools.run(context(stand, OTHER), call(name, number=1))).is_error
    assert run(tools.run(context(stand), call(name, number=0))).code == "bad_argument"


def test_a_change_that_is_not_verified_is_not_taken_back(stand, tools):
    row = sealed(stand)
    assert run(tools.run(context(stand), call("propose_undo", number=row.number))).is_error
    assert stand.row(1).state == "sealed"


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_what_was_opened_goes_before_the_person_and_the_model_hears_that_it_waits(stand, language):
    result = run(under_review(stand.controller, context(stand, language=language), sealed(stand)))
    assert (result.is_error, result.data) == (False, {"change": 1, "review": 1})
    assert "C-1" in result.for_llm
    assert "monday" in result.for_user


def test_what_could_not_be_prepared_is_an_error_for_both(stand):
    row = run(stand.open({"plate": "deck", "width": -1}, domain="panel"))
    result = run(under_review(stand.controller, context(stand), row))
    assert result.is_error
    assert result.for_llm == result.for_user
    assert "review" not in result.data
