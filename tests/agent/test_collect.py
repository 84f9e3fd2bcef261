"""A provider is asked for a spec without tools and for calls with the tools that remain; the gate takes or refuses what it says."""

import asyncio
import json

import pytest

from steadyhand.agent.collect import collect
from steadyhand.core.wire import Completion, Delta, ToolCall
from steadyhand.gate.lines import line
from steadyhand.gate.machine import State
from steadyhand.gate.policy import Policy
from steadyhand.llm.provider import ProviderError
from steadyhand.llm.rules.provider import RulesProvider
from steadyhand.llm.scripted import Scripted
from trial_domains.stand import ME, SPEC, build, call, good_calls, me


def calls(*made: ToolCall, raw: bytes = b"", text: str = "") -> Completion:
    return Completion(text, tool_calls=tuple(made), finish="tool_calls", raw=raw)


def busy(*, retry_after=None, retryable=True):
    return ProviderError("provider", "busy", retryable=retryable, retry_after=retry_after, status=429)


def tools_of(body: bytes) -> list[str]:
    return [tool["function"]["name"] for tool in json.loads(body).get("tools", [])]


# --- the spec ---------------------------------------------------------------------------------------------------------


def test_a_spec_is_asked_for_without_tools_and_comes_to_the_review(stand, pauses):
    provider = Scripted([[Delta(SPEC[:10]), Completion(SPEC)]])

    async def scene():
        row = await stand.drafting()
        return await collect(stand.controller, provider, ME, row.number, pause=pauses)

    row = asyncio.run(scene())
    assert (row.state, row.spec) == (State.IN_REVIEW, SPEC)
    assert [set(json.loads(body)) for body in provider.bodies] == [{"messages"}]
    assert b"tools" not in provider.bodies[0]


def test_a_spec_without_a_route_is_asked_for_once_and_stays_in_drafting(stand, pauses):
    provider = Scripted([Completion("I would cut something.")])

    async def scene():
        row = await stand.drafting()
        return await collect(stand.controller, provider, ME, row.number, pause=pauses)

    assert asyncio.run(scene()).state == State.DRAFTING
    assert provider.left == 0


def test_nothing_is_asked_while_a_person_is_to_decide(stand, pauses):
    provider = Scripted([])

    async def scene():
        reviewed = await stand.in_review()
        sealed = await stand.sealed("side", name="main", session="other")
        return [await collect(stand.controller, provider, ME, row.number, pause=pauses) for row in (reviewed, sealed)]

    assert [row.state for row in asyncio.run(scene())] == [State.IN_REVIEW, State.SEALED]
    assert provider.requests == []


@pytest.mark.parametrize(
    "useless",
    [
        Completion(SPEC, finish="length"),
        Completion(SPEC, tool_calls=tuple(good_calls())),
        [Delta(SPEC)],
        busy(retryable=False),
        ProviderError("protocol", "no stream"),
    ],
)
def test_an_answer_that_is_no_spec_leaves_the_draft_and_says_how_to_go_on(stand, pauses, useless):
    provider = Scripted([useless, useless, useless])

    async def scene():
        row = await stand.drafting()
        return await collect(stand.controller, provider, ME, row.number, pause=pauses)

    row = asyncio.run(scene())
    assert (row.state, row.spec) == (State.DRAFTING, None)
    assert row.reason["code"] == "provider_failed"
    assert "continue" in line(row, "en")


@pytest.mark.parametrize("begin", ["drafting", "collecting"])
def test_words_that_no_rule_reads_are_told_as_such_and_not_as_what_a_model_did(stand, pauses, begin):
    async def scene():
        row = await getattr(stand, begin)()
        return await collect(stand.controller, RulesProvider(()), ME, row.number, pause=pauses)

    row = asyncio.run(scene())
    assert row.reason["code"] == "words_unread"
    told = line(row, "en")
    assert "Without a model" in told
    assert "provider" not in told
    assert "The model gave" not in told


def test_after_a_model_error_the_same_change_goes_on(stand, pauses):
    provider = Scripted([busy(retryable=False), Completion(SPEC)])

    async def scene():
        row = await stand.drafting()
        await collect(stand.controller, provider, ME, row.number, pause=pauses)
        return await collect(stand.controller, provider, ME, row.number, pause=pauses)

    assert asyncio.run(scene()).state == State.IN_REVIEW


# --- the calls --------------------------------------------------------------------------------------------------------


def test_calls_are_collected_round_by_round_with_just_the_tools_that_remain(stand, pauses):
    provider = Scripted(
        [calls(*good_calls(stop=1), raw=b"first", text="First the cut."), calls(*good_calls(start=1), raw=b"second")]
    )

    async def scene():
        row = await stand.collecting()
        return await collect(stand.controller, provider, ME, row.number, pause=pauses)

    row = asyncio.run(scene())
    assert row.state == State.SEALED
    assert [tools_of(body) for body in provider.bodies] == [
        ["cut_plate", "paint_plate", "inspect_panel"],
        ["paint_plate", "inspect_panel"],
    ]
    artifacts = stand.artifacts(row.number)
    assert (artifacts["provider_tool_response.sse"], artifacts["provider_tool_response.2.sse"]) == (b"first", b"second")
    assert artifacts["script_response.txt"] == b"First the cut.\n"
    assert stand.panel.executions == 0


def test_one_call_a_round_is_enough(stand, pauses):
    provider = Scripted([calls(made) for made in good_calls()])

    async def scene():
        row = await stand.collecting()
        return await collect(stand.controller, provider, ME, row.number, pause=pauses)

    assert asyncio.run(scene()).state == State.SEALED


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (Completion("I have done it all."), "no_calls"),
        (calls(*good_calls(), call("inspect_panel", {})), "too_many_calls"),
        (calls(*reversed(good_calls())), "wrong_order"),
        (calls(call("burn_plate", {})), "tool_not_in_route"),
        (calls(call("cut_plate", '{"plate": "deck"')), "arguments_not_json"),
        (calls(call("cut_plate", '{"plate": "deck", "width": 1e999, "height": 1}')), "arguments_not_json"),
        (calls(call("cut_plate", '{"plate": "\\ud800", "width": 1, "height": 1}')), "arguments_not_json"),
        (calls(call("cut_plate", '{"plate": "deck", "width": 9007199254740993, "height": 1}')), "arguments_not_json"),
    ],
)
def test_calls_that_do_not_fit_go_back_to_the_review_and_are_not_asked_for_again(stand, pauses, answer, code):
    provider = Scripted([answer])

    async def scene():
        row = await stand.collecting()
        return await collect(stand.controller, provider, ME, row.number, pause=pauses)

    row = asyncio.run(scene())
    assert (row.state, row.reason["code"], row.calls) == (State.IN_REVIEW, code, [])
    assert "tool_call_rejected" in stand.events(row.number)
    assert provider.left == 0
    assert stand.panel.executions == 0


def test_a_name_that_a_model_made_up_is_printed_without_what_a_terminal_obeys(stand, pauses):
    provider = Scripted([calls(call("\x1b[2J\u202eburn", {}))])

    async def scene():
        row = await stand.collecting()
        return await collect(stand.controller, provider, ME, row.number, pause=pauses)

    row = asyncio.run(scene())
    assert row.reason["code"] == "tool_not_in_route"
    assert line(row, "en").isprintable()


def test_after_three_refusals_the_change_is_over(stand, pauses):
    provider = Scripted([Completion("no call")] * 3)

    async def scene():
        row = await stand.collecting()
        for _ in range(2):
            row = await collect(stand.controller, provider, ME, row.number, pause=pauses)
            row = await stand.controller.confirm(me(), row.number, row.spec_digest)
        return await collect(stand.controller, provider, ME, row.number, pause=pauses)

    assert asyncio.run(scene()).state == State.INVALID


@pytest.mark.parametrize(
    "useless",
    [
        ProviderError("tool_call", "arguments are not an object"),
        ProviderError("protocol", "no end"),
        Completion(tool_calls=tuple(good_calls()), finish="length"),
    ],
)
def test_a_provider_that_fails_while_collecting_sends_the_change_back_to_the_review(stand, pauses, useless):
    provider = Scripted([calls(*good_calls(stop=1)), useless])

    async def scene():
        row = await stand.collecting()
        return await collect(stand.controller, provider, ME, row.number, pause=pauses)

    row = asyncio.run(scene())
    assert (row.state, row.calls, row.reason["code"]) == (State.IN_REVIEW, [], "provider_failed")
    assert pauses.waited == []


def test_a_policy_that_approves_within_the_confirmed_spec_takes_the_last_call_to_the_end(data_dir, clock, pauses):
    stand = build(f"sqlite:///{data_dir / 'steadyhand.db'}", data_dir, clock, Policy(approve_sealed="within_confirmed_spec"))
    provider = Scripted([calls(*good_calls())])

    async def scene():
        row = await stand.collecting()
        return await collect(stand.controller, provider, ME, row.number, pause=pauses)

    row = asyncio.run(scene())
    assert row.state == State.VERIFIED
    assert [decision.decided_by for decision in stand.decisions(row.number)] == ["person", "policy"]
    stand.store.close()


# --- asking again -----------------------------------------------------------------------------------------------------


def test_an_error_that_may_pass_is_retried_twice_and_each_time_is_in_the_journal(stand, pauses):
    provider = Scripted([busy(), busy(retry_after=7.0), Completion(SPEC)])

    async def scene():
        row = await stand.drafting()
        return await collect(stand.controller, provider, ME, row.number, pause=pauses)

    row = asyncio.run(scene())
    assert row.state == State.IN_REVIEW
    assert pauses.waited == [0.5, 7.0]
    assert stand.events(row.number).count("provider_failed") == 2
    assert len(set(provider.bodies)) == 1
    assert stand.chain_holds(row.number)


def test_a_third_failure_is_the_last(stand, pauses):
    provider = Scripted([busy()] * 5)

    async def scene():
        row = await stand.drafting()
        return await collect(stand.controller, provider, ME, row.number, pause=pauses)

    row = asyncio.run(scene())
    assert (row.state, provider.left) == (State.DRAFTING, 2)
    assert stand.events(row.number).count("provider_failed") == 3


@pytest.mark.parametrize("error", [busy(retryable=False), busy(retry_after=3600.0)])
def test_what_will_not_pass_soon_is_not_retried(stand, pauses, error):
    provider = Scripted([error])

    async def scene():
        row = await stand.drafting()
        return await collect(stand.controller, provider, ME, row.number, pause=pauses)

    assert asyncio.run(scene()).state == State.DRAFTING
    assert pauses.waited == []


def test_each_request_has_its_own_retries_and_calls_handed_in_are_not_asked_for_again(stand, pauses):
    first, rest = good_calls(stop=1), good_calls(start=1)
    provider = Scripted([busy(), busy(), calls(*first), busy(), busy(), calls(*rest)])

    async def scene():
        row = await stand.collecting()
        return await collect(stand.controller, provider, ME, row.number, pause=pauses)

    row = asyncio.run(scene())
    assert row.state == State.SEALED
    assert stand.events(row.number).count("tool_call_collected") == 3
    assert [len(tools_of(body)) for body in provider.bodies] == [3, 3, 3, 2, 2, 2]


# --- what happens meanwhile -------------------------------------------------------------------------------------------


def test_a_change_that_was_stopped_while_waiting_is_not_asked_about_again(stand, pauses):
    provider = Scripted([busy(), Completion(SPEC)])

    async def scene():
        row = await stand.drafting()

        async def stop():
            await stand.controller.withdraw(me(), row.number)

        pauses.meanwhile = stop
        return await collect(stand.controller, provider, ME, row.number, pause=pauses)

    assert asyncio.run(scene()).state == State.WITHDRAWN
    assert provider.left == 1


def test_an_answer_that_comes_after_the_change_was_stopped_is_dropped(stand, pauses):
    async def scene():
        row = await stand.drafting()

        class Slow(Scripted):
            async def stream(self, request):
                await stand.controller.withdraw(me(), row.number)
                async for event in super().stream(request):
                    yield event

        return await collect(stand.controller, Slow([Completion(SPEC)]), ME, row.number, pause=pauses)

    row = asyncio.run(scene())
    assert (row.state, row.spec) == (State.WITHDRAWN, None)


def test_the_gate_serves_others_while_a_model_thinks(stand, pauses):
    thinking = asyncio.Event()

    class Thinking(Scripted):
        async def stream(self, request):
            await thinking.wait()
            async for event in super().stream(request):
                yield event

    async def scene():
        row = await stand.drafting()
        asked = asyncio.create_task(collect(stand.controller, Thinking([Completion(SPEC)]), ME, row.number, pause=pauses))
        other = await stand.approve(await stand.sealed("side", session="other"))
        thinking.set()
        return other, await asked

    other, row = asyncio.run(scene())
    assert (other.state, row.state) == (State.VERIFIED, State.IN_REVIEW)
