"""Decides how the gate observes, compiles, runs and reads back one tool call; it must not run it without a begun step or twice.

The target is the call itself, and what is read back is its stored result: effects outside are neither checked nor undone.
"""

import json
from collections.abc import Mapping
from typing import Any, Literal, cast

from steadyhand.core.canonical import Json, canonical, digest
from steadyhand.core.errors import StaleTarget, ToolRefusal
from steadyhand.core.faults import reach
from steadyhand.core.language import Language, has, say
from steadyhand.core.visible import visible
from steadyhand.core.wire import ToolCall
from steadyhand.domains.calls.around import surroundings
from steadyhand.domains.calls.storing import as_stored
from steadyhand.gate.contract import (
    Applied,
    Given,
    NotApplied,
    Observation,
    Operations,
    Outcome,
    Program,
    Receipt,
    Refusal,
    Rehearsal,
    Source,
    StepLog,
    Submission,
    Target,
    Unclear,
    Verdict,
    View,
)
from steadyhand.gate.machine import ON_ITS_WAY
from steadyhand.store import Store
from steadyhand.store.changes import changes, records
from steadyhand.tools.base import Tool, ToolContext
from steadyhand.tools.checking import Unfit, check_arguments, consider
from steadyhand.tools.policy import ToolPolicy
from steadyhand.tools.registry import Registry
from steadyhand.tools.runner import Runner

NAME = "calls"
OF_THE_CALL = ("tool:", "call:")
"""What the regions begin with that are the call's own; all others are what it hangs on besides."""


REFUSED = "refused"
"""The key of an ended step that says that the call did nothing."""
WHOLE = "exited"
"""How a program has ended that came to its own end."""


class Unanswered(Exception):
    """The call broke off, so that what it did before cannot be told."""


class CallsDomain:
    """Tool calls as a domain; see `gate.contract.DomainModule` and `Permitting`."""

    name = NAME
    rollback: Literal["transaction", "switch", "none"] = "none"

    def __init__(self, store: Store, registry: Registry, policy: ToolPolicy) -> None:
        self._store = store
        self._registry = registry
        self._policy = policy
        self._runner = Runner(registry, policy)

    async def observe(self, target: Target, scope: Json) -> Observation:
        wanted = cast("Mapping[str, Json]", scope)
        name = str(wanted["tool"])
        tool = self._registry.find(name)
        if tool is None:
            raise ToolRefusal("tool_unknown", tool=name)
        around = await _around(tool, wanted.get("arguments"))
        footprint = {tool_region(name): declared(tool), call_region(target): digest(None), **_regions(around)}
        return Observation({"tool": name, "effect": tool.effect, "around": around}, footprint)

    def operations(self, source: Source, seen: Observation, request: str) -> Operations | Refusal:
        del seen, request
        if not isinstance(source, Given) or len(source.operations) != 1:
            return Refusal("call_malformed")
        operation = source.operations[0]
        if not isinstance(operation, Mapping) or set(operation) != {"tool", "arguments"}:
            return Refusal("call_malformed")
        return self._unfit(operation) or Operations((dict(operation),))

    def compile(self, operations: Operations, target: Target, seen: Observation) -> Program | Refusal:
        return Program(
            text=canonical(operations.items[0]).decode(),
            media="application/json",
            footprint=dict(seen.footprint),
            writes=(call_region(target),),
            evidence={"returned": True},
            compiler="calls 2",
            engine="tools 1",
            steps=1,
        )

    def present(self, program: Program, seen: Observation, rehearsal: Rehearsal | None, language: Language) -> View:
        del rehearsal
        operation, facts = _operation(program), cast("Mapping[str, Any]", seen.facts)
        arguments = json.dumps(operation["arguments"], ensure_ascii=False, indent=2, sort_keys=True)
        message = f"calls.effect.{facts['effect']}"
        effect = say(language, message) if has(language, message) else facts["effect"]
        text = say(language, "calls.review", tool=facts["tool"], effect=effect, arguments=visible(arguments))
        around = cast("Mapping[str, Json]", facts.get("around", {}))
        payload = {**operation, "effect": facts["effect"], **({"around": around} if around else {})}
        return View("\n".join([text, *surroundings(around, language)]), payload)

    def refuses(self, program: Program) -> Refusal | None:
        """Say why the rules no longer let the call run."""
        return self._unfit(_operation(program))

    async def execute(self, program: Program, submission: Submission, log: StepLog) -> Receipt:
        operation = _operation(program)
        name = str(operation["tool"])
        await self._expect_as_seen(program, operation)
        context = await self._context(submission)
        step = await log.begin(name)
        ran = await self._runner.run_decided(context, _call(operation, submission.change))
        reach("gate.in_effect")
        if not ran.answered:
            raise Unanswered(ran.result.code)
        result = as_stored(ran.result)
        refused = ran.refused is not None

        def keep(tx: records.Tx) -> None:
            records.put_call_result(tx, submission.user, submission.change, result)
            records.end_step(tx, submission.user, submission.change, step, {"result": digest(result), REFUSED: refused})

        await self._store.write(keep)
        reach("gate.step_ended")
        if ran.refused is not None:
            raise ran.refused
        return _receipt(submission.target, result)

    async def outcome(self, program: Program, submission: Submission, log: StepLog) -> Outcome:
        del program
        result = await self._store.read(lambda tx: records.call_result(tx, submission.user, submission.change))
        entries = await log.entries()
        if any(isinstance(entry.detail, Mapping) and entry.detail.get(REFUSED) for entry in entries):
            return NotApplied()
        if result is not None:
            return Applied(_receipt(submission.target, result))
        return Unclear("call_unanswered") if entries else NotApplied()

    async def read_back(self, target: Target, program: Program) -> Observation:
        del program

        def look(tx: records.Tx) -> Json:
            rows = changes.on_target(tx, target.key, [state.value for state in ON_ITS_WAY])
            return records.call_result(tx, rows[0].user_id, rows[0].id) if rows else None

        result = await self._store.read(look)
        return Observation({"result": result}, {call_region(target): digest(result)})

    def verify(self, program: Program, before: Observation, receipt: Receipt | None, after: Observation) -> Verdict:
        del before
        result = cast("Mapping[str, Any] | None", cast("Mapping[str, Json]", after.facts)["result"])
        if result is None:
            return Verdict(None)
        if receipt is not None and dict(receipt.footprint_after) != dict(after.footprint):
            return Verdict(False, tuple(sorted(after.footprint)))
        if _broken_off(result):
            return Verdict(False, (f"{_operation(program)['tool']}: {result['code']}",), {"result": digest(result)})
        return Verdict(True, evidence={"result": digest(result), "outside": "not_checked"})

    def _unfit(self, operation: Mapping[str, Json]) -> Refusal | None:
        found = consider(self._registry, self._policy, _call(operation, ""), can_ask=True)
        if not isinstance(found, Unfit):
            return None
        message, params = found.reasons[0]
        return Refusal(message, params)

    async def _expect_as_seen(self, program: Program, operation: Mapping[str, Json]) -> None:
        """Refuse, just before the call is made, when the tool or what lies around the call is no longer what was shown."""
        name = str(operation["tool"])
        tool = self._registry.find(name)
        region = tool_region(name)
        if tool is None or declared(tool) != program.footprint[region]:
            raise StaleTarget((region,))
        now = _regions(await _around(tool, operation["arguments"]))
        seen = {name: found for name, found in program.footprint.items() if not name.startswith(OF_THE_CALL)}
        changed = sorted(region for region in {*now, *seen} if now.get(region) != seen.get(region))
        if changed:
            raise StaleTarget(tuple(changed))

    async def _context(self, submission: Submission) -> ToolContext:
        row = await self._store.read(lambda tx: changes.by_id(tx, submission.user, submission.change))
        if row is None:
            raise ToolRefusal("change_unknown", name=submission.change)
        return ToolContext(row.user_id, row.session_id, self._store.clock, row.language)


def _broken_off(result: Mapping[str, Any]) -> bool:
    """Tell whether what was called was ended before it was done. What it says of itself, a status included, is its result."""
    data = result["data"]
    return isinstance(data, Mapping) and cast("Mapping[str, Any]", data).get("how", WHOLE) != WHOLE


def tool_region(name: str) -> str:
    """Return the region of a tool's declaration."""
    return f"tool:{name}"


def call_region(target: Target) -> str:
    """Return the region of a call's stored result."""
    return f"call:{target.name}"


async def _around(tool: Tool[Any], arguments: Json) -> Mapping[str, Json]:
    """Return what a call of *tool* hangs on besides its arguments; nothing for a tool that names nothing of the kind."""
    if tool.around is None:
        return {}
    checked = check_arguments(tool, canonical(arguments).decode())
    return {} if isinstance(checked, Unfit) else await tool.around(checked)


def _regions(around: Mapping[str, Json]) -> dict[str, str]:
    return {name: digest(fact) for name, fact in around.items()}


def declared(tool: Tool[Any]) -> str:
    """Return the digest of what a tool declares: one that means something else by now is not the tool that was seen."""
    outside: dict[str, Json] = {} if tool.outside is None else {"outside": tool.outside.digest}
    return digest({"effect": tool.effect, "arguments": tool.arguments.model_json_schema(), **outside})


def _operation(program: Program) -> Mapping[str, Json]:
    return cast("Mapping[str, Json]", json.loads(program.text))


def _call(operation: Mapping[str, Json], call_id: str) -> ToolCall:
    return ToolCall(call_id, str(operation["tool"]), canonical(operation["arguments"]).decode())


def _receipt(target: Target, result: Json) -> Receipt:
    stored = digest(result)
    return Receipt({call_region(target): stored}, {"result": stored}, {"tool_result.json": canonical(result)})
