"""A call that would bring nothing new is not run again; what changed, or may have, makes it worth asking again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steadyhand.agent.repeats import MOST, Repeats
from steadyhand.core.wire import ToolCall
from steadyhand.tools.base import Arguments, Effect, Tool
from steadyhand.tools.registry import Registry
from steadyhand.tools.result import ToolResult, error_result, tool_result


async def body(context, arguments):
    raise NotImplementedError


def tool(name: str, effect: Effect, *, repeatable: bool = False) -> Tool:
    return Tool(name, effect, Arguments, body, repeatable=repeatable)


REGISTRY = Registry([tool("read", "read"), tool("write", "draft"), tool("back", "draft", repeatable=True)])
GOOD, BAD = tool_result("good"), error_result("bad", code="look_again")


def call(name: str, arguments: str = "{}") -> ToolCall:
    return ToolCall("id", name, arguments)


class Turn:
    """Plays calls; tells which of them ran."""

    def __init__(self) -> None:
        self.repeats = Repeats(REGISTRY)

    def play(self, name: str, result: ToolResult = GOOD, arguments: str = "{}") -> bool:
        made = call(name, arguments)
        refused = self.repeats.refuses(made, "en")
        if refused is not None:
            assert (refused.is_error, refused.code) == (True, "repeated")
            return False
        self.repeats.ran(made, result)
        return True


def test_the_same_call_runs_once():
    turn = Turn()
    assert [turn.play("read"), turn.play("read")] == [True, False]


@pytest.mark.parametrize("other", ['{"b":1, "a":2}', '{ "a": 2, "b": 1.0 }'])
def test_arguments_are_compared_by_what_they_say(other):
    turn = Turn()
    assert turn.play("read", arguments='{"a":2,"b":1}')
    assert not turn.play("read", arguments=other)


def test_other_arguments_are_another_call():
    turn = Turn()
    assert turn.play("read", arguments='{"a":1}')
    assert turn.play("read", arguments='{"a":2}')
    assert turn.play("read", arguments="not json")
    assert not turn.play("read", arguments="not json")


def test_after_a_change_what_was_read_may_be_read_again():
    turn = Turn()
    assert turn.play("read")
    assert turn.play("write")
    assert turn.play("read")
    assert not turn.play("write")


def test_a_write_that_has_to_look_again_may_look_and_write_again():
    turn = Turn()
    assert turn.play("read")
    assert turn.play("write", BAD)
    assert turn.play("read")
    assert turn.play("write")


def test_a_refused_call_is_not_tried_again_at_once():
    turn = Turn()
    assert turn.play("write", BAD)
    assert not turn.play("write", BAD)


def test_a_step_back_may_be_taken_again_until_it_is_refused():
    turn = Turn()
    assert [turn.play("back") for _ in range(5)] == [True] * 5
    assert turn.play("back", BAD)
    assert not turn.play("back", BAD)


def test_a_tool_that_is_not_there_is_asked_for_once():
    turn = Turn()
    assert turn.play("nowhere", BAD)
    assert not turn.play("nowhere", BAD)


def test_after_some_repeats_the_turn_is_hopeless():
    turn = Turn()
    turn.play("read")
    for _ in range(MOST):
        assert not turn.repeats.hopeless
        turn.play("read")
    assert turn.repeats.hopeless


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["read", "write", "nowhere"]), st.sampled_from("12"), st.booleans()), max_size=60))
def test_while_nothing_changes_no_call_runs_more_than_a_few_times(played):
    turn = Turn()
    ran: dict[tuple[str, str], int] = {}
    for name, argument, good in played:
        if turn.play(name, GOOD if good else BAD, f'{{"a":{argument}}}'):
            if name == "write" and good:
                ran.clear()
            ran[name, argument] = ran.get((name, argument), 0) + 1
            assert ran[name, argument] <= MOST
