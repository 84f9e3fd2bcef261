"""Three of the reference's seven failures (part 12) that collecting decides: one call at a time, no tool_choice, a spec without its line."""

import asyncio
import json

import pytest

from domains.cae.seeing import full
from steadyhand.agent.collect import collect
from steadyhand.core.canonical import canonical
from steadyhand.core.clock import FakeClock
from steadyhand.core.wire import Completion, ToolCall
from steadyhand.domains.cae.catalogue import brief, route
from steadyhand.gate.contract import Operations, Program, Receipt, Refusal, Rehearsal, Target, Verdict, View
from steadyhand.gate.controller import Controller, Proposal
from steadyhand.gate.lines import line
from steadyhand.gate.machine import State
from steadyhand.gate.policy import Policy
from steadyhand.llm.scripted import Scripted
from trial_domains.ground import folder, quiet_log, stand
from trial_domains.stand import DESK, ME, me

__all__ = ["folder", "quiet_log", "stand"]

REQUEST = "复制全部单元到上方 500，合并重合节点，删除重复单元，再检查"
SPEC = "复制全部单元到上方 500 mm，合并重合节点（容差 0.01），删除重复单元，最后审计。"
LINE = "计划 Part 操作类别：transform, repair, audit"
TRANSFORM = {"operations": [{"kind": "translate", "region": {"all": True}, "vector": [0, 0, 500], "copy_elements": True}]}
CALLS = (
    ("transform_part", TRANSFORM),
    ("repair_part", {"merge_tolerance": 0.01, "remove_duplicate_elements": True}),
    ("audit_part", {}),
)


class Watched:
    """A part at the gate that notes what is done with it; route and briefs are the domain's own."""

    name = "cae"
    rollback = "switch"

    def __init__(self):
        self.done = []
        self.collected = None

    async def observe(self, target, scope):
        return full(scope["module"])

    def brief(self, request, seen, stage, spec, remaining, language):
        return brief(request, seen, stage, spec, remaining, language)

    def route(self, spec, seen):
        return route(spec, seen)

    def operations(self, source, seen, request):
        self.done.append("operations")
        self.collected = source.calls
        return Operations(tuple({"tool": call.name, "arguments": call.arguments} for call in source.calls))

    def compile(self, operations, target, seen):
        self.done.append("compile")
        text = canonical(list(operations.items)).decode()
        return Program(text, "application/json", {"geometry": "1"}, ("geometry",), None, "c", "e", len(operations.items))

    async def rehearse(self, program, change, target):
        self.done.append("rehearse")
        return Rehearsal(ok=True)

    async def discard_rehearsal(self, change):
        pass

    def present(self, program, seen, rehearsal, language):
        return View(program.text, None)

    async def execute(self, program, submission, log):
        self.done.append("execute")
        return Receipt({"geometry": "2"})

    async def outcome(self, program, submission, log):
        raise AssertionError("nothing was interrupted")

    async def read_back(self, target, program):
        self.done.append("read_back")
        return full("part")

    def verify(self, program, before, receipt, after):
        return Verdict(matched=True)


class Ground:
    def __init__(self, store):
        self.part = Watched()
        self.controller = Controller(store, {"cae": self.part}, Policy())

    async def asked(self, provider, number):
        return await collect(self.controller, provider, ME, number)

    async def opened(self, module="part"):
        target = Target("cae", "ship/hull", ME)
        return await self.controller.open(Proposal(ME, DESK, target, REQUEST, None, {"module": module}, "zh-CN"))

    async def confirmed(self, provider):
        row = await self.asked(provider, (await self.opened()).number)
        return await self.controller.confirm(me(), row.number, row.spec_digest)


@pytest.fixture
def ground(stand):
    assert isinstance(stand.clock, FakeClock)
    return Ground(stand.store)


def calls(*names):
    given = dict(CALLS)
    return Completion(
        tool_calls=tuple(ToolCall(f"call_{name}", name, json.dumps(given[name])) for name in names), finish="tool_calls"
    )


def tools_of(body):
    return [tool["function"]["name"] for tool in json.loads(body).get("tools", [])]


def content_of(body):
    return json.loads(json.loads(body)["messages"][1]["content"])


# --- 12.4: a plan of several tools, and a provider that gives one call at a time --------------------------------------


def test_three_tools_are_collected_over_two_rounds_and_nothing_is_compiled_or_run_before_all_are_in(ground):
    part = ground.part
    seen_between = []

    def second(request):
        seen_between.append(list(part.done))
        return calls("repair_part", "audit_part")

    provider = Scripted([Completion(f"{SPEC}\n{LINE}"), calls("transform_part"), second])

    async def scene():
        row = await ground.confirmed(provider)
        assert part.done == []
        return await ground.asked(provider, row.number)

    row = asyncio.run(scene())
    assert seen_between == [[]]
    assert row.state == State.SEALED
    assert part.done == ["operations", "compile", "rehearse"]
    assert [(call.name, call.round, call.index) for call in part.collected] == [
        ("transform_part", 1, 0),
        ("repair_part", 2, 1),
        ("audit_part", 2, 2),
    ]
    assert [tools_of(body) for body in provider.bodies] == [
        [],
        ["transform_part", "repair_part", "audit_part"],
        ["repair_part", "audit_part"],
    ]
    assert [content_of(body)["collected_tool_calls"] for body in provider.bodies] == [[], [], ["transform_part"]]


def test_after_one_call_the_person_reads_collecting_one_of_three_and_never_that_it_was_done(ground):
    provider = Scripted([Completion(f"{SPEC}\n{LINE}")])

    async def scene():
        row = await ground.confirmed(provider)
        return await ground.controller.offer_calls(ME, row.number, calls("transform_part").tool_calls, b"")

    row = asyncio.run(scene())
    assert row.state == State.COLLECTING
    assert "1/3" in line(row, "zh-CN")
    assert "完成" not in line(row, "zh-CN")
    assert ground.part.done == []


@pytest.mark.parametrize("wrong", [("audit_part",), ("repair_part", "transform_part"), ("transform_part", "audit_part"), ()])
def test_calls_out_of_order_go_back_to_the_review_with_nothing_compiled(ground, wrong):
    provider = Scripted([Completion(f"{SPEC}\n{LINE}"), calls(*wrong)])

    async def scene():
        return await ground.asked(provider, (await ground.confirmed(provider)).number)

    row = asyncio.run(scene())
    assert (row.state, row.calls, ground.part.done) == (State.IN_REVIEW, [], [])


def test_what_was_approved_runs_once_after_all_were_in(ground):
    provider = Scripted([Completion(f"{SPEC}\n{LINE}"), calls("transform_part"), calls("repair_part"), calls("audit_part")])

    async def scene():
        row = await ground.asked(provider, (await ground.confirmed(provider)).number)
        return await ground.controller.approve(me(), row.number, row.seal_digest)

    row = asyncio.run(scene())
    assert row.state == State.VERIFIED
    assert ground.part.done == ["operations", "compile", "rehearse", "execute", "read_back"]


# --- 12.5: tool_choice ------------------------------------------------------------------------------------------------


def test_no_request_forces_a_tool_the_order_is_held_here(ground):
    provider = Scripted([Completion(f"{SPEC}\n{LINE}"), calls("transform_part"), calls("repair_part", "audit_part")])

    async def scene():
        return await ground.asked(provider, (await ground.confirmed(provider)).number)

    assert asyncio.run(scene()).state == State.SEALED
    assert len(provider.bodies) == 3
    assert all(b"tool_choice" not in body for body in provider.bodies)
    assert set(json.loads(provider.bodies[0])) == {"messages"}
    assert {frozenset(json.loads(body)) for body in provider.bodies[1:]} == {frozenset({"messages", "tools"})}


# --- 12.6: the line of capabilities -----------------------------------------------------------------------------------


def test_a_spec_that_forgot_its_line_is_routed_by_what_it_means(ground):
    async def scene(spec):
        return await ground.asked(Scripted([Completion(spec)]), (await ground.opened()).number)

    without, with_line = asyncio.run(scene(SPEC)), asyncio.run(scene(f"{SPEC}\n{LINE}"))
    assert without.state == with_line.state == State.IN_REVIEW
    assert without.route == with_line.route == ["transform_part", "repair_part", "audit_part"]


def test_a_spec_that_means_nothing_we_do_stays_in_drafting_and_says_why(ground):
    async def scene():
        return await ground.asked(Scripted([Completion("会处理好的。")]), (await ground.opened()).number)

    row = asyncio.run(scene())
    assert (row.state, row.reason["code"]) == (State.DRAFTING, "capabilities_unclear")
    assert "操作类别" in line(row, "zh-CN")


def test_only_tools_of_the_module_can_be_reached_whatever_the_spec_says(ground):
    async def scene():
        return await ground.asked(Scripted([Completion(f"{SPEC}\n{LINE}")]), (await ground.opened("mesh")).number)

    row = asyncio.run(scene())
    assert (row.state, row.reason["code"]) == (State.DRAFTING, "capability_line_of_other_module")
    assert isinstance(route(f"{SPEC}\n计划 Mesh 操作类别：transform", full("mesh")), Refusal)
