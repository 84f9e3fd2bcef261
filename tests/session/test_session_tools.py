"""The tools about sessions and preferences: each is for the person whose turn it is, and says what it did in their language."""

import asyncio
import json

import pytest

from steadyhand.core.ids import SessionId
from steadyhand.core.wire import ToolCall
from steadyhand.session.tools import session_tools
from steadyhand.store.people import people
from steadyhand.store.sessions import conversations
from steadyhand.store.sessions.conversations import Said
from steadyhand.tools.base import ToolContext
from steadyhand.tools.policy import ToolPolicy
from steadyhand.tools.registry import Registry
from steadyhand.tools.runner import Runner
from tools.walking import faults
from trial_domains.stand import DESK, ME, OTHER

ROOF = SessionId("roof")


@pytest.fixture
def call(stand):
    """Call a tool as the turn of a person does."""
    runner = Runner(Registry(session_tools(stand.store)), ToolPolicy())

    def run(tool, user=ME, language="en", session=DESK, **arguments):
        context = ToolContext(user, session, stand.clock, language)
        return asyncio.run(runner.run(context, ToolCall("c", tool, json.dumps(arguments))))

    def furnish(tx):
        for user in (ME, OTHER):
            for session in (DESK, ROOF):
                people.ensure_session(tx, user, session, "terminal")
        conversations.add(tx, ME, DESK, [Said("a", "user", "a", "person")])

    stand.store.write_now(furnish)
    return run


def test_every_tool_keeps_the_contract(stand):
    tools = session_tools(stand.store)
    assert faults(tools) == []
    effects = {tool.name: tool.effect for tool in tools}
    assert effects == {
        "list_sessions": "read",
        "rename_session": "own",
        "remember": "own",
        "forget": "own",
        "list_preferences": "read",
    }


@pytest.mark.parametrize(("language", "mark"), [("en", "this session"), ("zh-CN", "当前会话")])
def test_sessions_are_listed_to_choose_from(call, language, mark):
    call("rename_session", name="Trip")
    result = call("list_sessions", language=language)
    first, second = result.for_llm.splitlines()
    assert first.startswith("1. Trip (desk) · terminal · 1 ")
    assert mark in first
    assert mark not in second
    choices = result.data["choices"]
    assert choices["kind"] == "session"
    assert [row["value"] for row in choices["rows"]] == [{"session": "desk", "name": "Trip"}, {"session": "roof", "name": ""}]
    assert [f"{number}. {row['label']}" for number, row in enumerate(choices["rows"], 1)] == [first, second]


def test_only_the_present_session_is_named_and_only_for_its_person(call, stand):
    result = call("rename_session", name=" 期末\n复习 ")
    assert (result.is_error, result.data) == (False, {"session": "desk", "name": "期末 复习"})
    names = {
        (user, row.id): row.name
        for user in (ME, OTHER)
        for row in stand.store.read_now(lambda tx, user=user: conversations.sessions_of(tx, user))
    }
    assert [key for key, name in names.items() if name] == [(ME, DESK)]


@pytest.mark.parametrize(
    ("name", "code"), [("", "bad_argument"), ("x" * 61, "bad_argument"), ("\x1b[2J", "session_name_unusable")]
)
def test_a_name_that_cannot_be_used_is_an_error_that_the_model_can_read(call, name, code):
    result = call("rename_session", name=name)
    assert (result.is_error, result.code) == (True, code)


def test_what_is_remembered_is_listed_and_forgotten(call):
    assert "No preferences" in call("list_preferences").for_llm
    result = call("remember", key="evenings", value="keep  free\n")
    assert (result.for_llm, result.data) == ("Remembered: evenings: keep free", {"key": "evenings", "value": "keep free"})
    assert call("list_preferences", language="zh-CN").for_llm == "- evenings：keep free"
    assert call("forget", key="evenings").code == "ok"
    again = call("forget", key="evenings")
    assert (again.is_error, again.code) == (True, "not_found")
    assert call("list_preferences").data == {"preferences": {}}


def test_what_is_too_long_is_refused_and_nothing_kept(call):
    for arguments in ({"key": "k" * 65, "value": "x"}, {"key": "k", "value": "x" * 501}, {"key": " ", "value": "x"}):
        assert call("remember", **arguments).is_error
    assert call("list_preferences").data == {"preferences": {}}


def test_nothing_of_another_person_is_listed_named_or_forgotten(call, stand):
    call("rename_session", name="secret trip")
    call("remember", key="secret", value="mine")
    for tool in ("list_sessions", "list_preferences"):
        assert "secret" not in json.dumps(call(tool, OTHER).to_json())
    assert call("forget", OTHER, key="secret").code == "not_found"
    call("rename_session", OTHER, name="theirs")
    assert stand.store.read_now(lambda tx: conversations.find_session(tx, ME, DESK)).name == "secret trip"
    assert call("list_preferences").data == {"preferences": {"secret": "mine"}}
