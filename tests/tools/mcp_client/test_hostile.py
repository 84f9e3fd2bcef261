"""A server that does not behave is an error result, whatever it does: never a crash, never a hang, never more than its share."""

import asyncio

import pytest
from structlog.testing import capture_logs

from tools.mcp_client.ground import program, using

CALL = "mcp_bad_act"


def met(mode, name=CALL, arguments="{}", **more):
    """List a hostile server and call one of its tools, when it has any."""

    async def scene():
        async with using(bad=program("hostile.py", mode, **more)) as clients:
            ran = await clients.run(name, arguments) if name in clients.tools else None
            return clients.tools, clients.clients.unreachable, ran

    return asyncio.run(scene())


@pytest.mark.parametrize("mode", ["silent", "gone", "endless_line", "endless_noise", "no_list"])
def test_a_server_that_never_becomes_one_is_unreachable(mode):
    tools, unreachable, _ = met(mode, seconds=1)
    assert tools == {}
    assert unreachable["bad"].code == "mcp_unreachable"


@pytest.mark.parametrize(("mode", "seconds"), [("wrong_id", 3), ("garbage", 3), ("no_result", 60), ("breaks", 60)])
def test_an_answer_that_is_none_leaves_open_what_the_call_did(mode, seconds):
    _, _, ran = met(mode, seconds=seconds)
    assert (ran.answered, ran.result.code) == (False, "mcp_answer_lost")
    assert "obey" not in ran.result.for_llm


@pytest.mark.parametrize("mode", ["refuses", "asks_back"])
def test_a_call_that_the_server_did_not_take_is_known_not_to_have_run(mode):
    _, _, ran = met(mode)
    assert (ran.answered, ran.result.code) == (True, "mcp_declined")
    assert "obey" not in ran.result.for_llm


def test_what_a_server_says_that_its_answers_look_like_costs_no_check():
    _, _, ran = met("well")
    assert (ran.result.code, ran.result.for_llm.splitlines()[1]) == ("ok", "done")


def test_a_long_answer_is_cut_and_that_is_said():
    _, _, ran = met("large_answer")
    assert len(ran.result.for_llm) < 21_000
    assert "20000 of 99999" in ran.result.for_llm
    assert len(ran.result.for_user) < 3_000


def test_a_list_without_end_is_read_up_to_a_bound():
    tools, _, _ = met("pages")
    assert 0 < len(tools) <= 20


def test_odd_tools_are_left_out_with_their_reason_and_the_others_offered():
    with capture_logs() as lines:
        tools, unreachable, _ = met("odd_tools")
    left_out = {line["tool"]: line["reason"] for line in lines if line["event"] == "mcp_tool_left_out"}
    assert unreachable == {}
    assert len(tools) == 128
    assert "mcp_bad_good" in tools
    assert len(tools["mcp_bad_good"].spec("en").description) < 2_000
    assert {
        "remote": "refers_elsewhere",
        "deep": "too_deep",
        "large": "too_large",
        "wrong": "no_schema",
        "same.name": "name_taken",
    }.items() <= left_out.items()
    assert left_out["number"] == "no_json"
    assert left_out["many199"] == "too_many"
    assert all(len(name) <= 64 for name in tools)


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("bomb", "{}", "bad_argument"),
        ("loop", "{}", "bad_argument"),
        ("pattern", '{"text": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"}', "ok"),
    ],
)
def test_a_schema_that_is_built_to_take_for_ever_does_not(tool, arguments, code):
    _, _, ran = met("odd_tools", f"mcp_bad_{tool}", arguments)
    assert ran.result.code == code
