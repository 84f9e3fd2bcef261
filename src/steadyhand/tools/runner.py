"""Decides how a call is run: rights, arguments, a time limit, a line in the journal, and always a `ToolResult`. It must not decide for a person."""

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, cast

from steadyhand.core.errors import ModelCanFix, PersonDecides, SteadyhandError, ToolRefusal
from steadyhand.core.explain import explain
from steadyhand.core.language import has, say
from steadyhand.core.logs import get_logger
from steadyhand.core.wire import ToolCall
from steadyhand.tools.base import ToolContext
from steadyhand.tools.checking import HeldCall, ReadyCall, Unfit, consider
from steadyhand.tools.policy import ToolPolicy
from steadyhand.tools.registry import Registry
from steadyhand.tools.result import ToolResult, error_result
from steadyhand.tools.telling import not_called

if TYPE_CHECKING:
    from structlog.typing import FilteringBoundLogger

Hold: TypeAlias = Callable[[ToolContext, ToolCall], Awaitable[ToolResult]]
"""The port that puts a call before a person and says so in its result."""

log = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a call. *answered* is False when its body broke off, so that nobody can tell what it did before.

    *refused* is why it did nothing: its body refused, or it could not be called at all.
    """

    result: ToolResult
    answered: bool
    refused: ToolRefusal | None = None


class Runner:
    """Runs the calls of a registry under a policy; without a *hold* port there is nobody to ask."""

    def __init__(self, registry: Registry, policy: ToolPolicy, hold: Hold | None = None) -> None:
        self.registry = registry
        self.policy = policy
        self._hold = hold

    def consider(self, context: ToolContext, call: ToolCall) -> ReadyCall | HeldCall | Unfit:
        """Say what would become of *call*: run, held for a person, or not run and why."""
        return consider(self.registry, self.policy, call, can_ask=context.origin == "person" and self._hold is not None)

    async def run(self, context: ToolContext, call: ToolCall) -> ToolResult:
        """Run *call*, or put it before a person, or say why not."""
        context = dataclasses.replace(context, call_id=call.id)
        found = self.consider(context, call)
        if isinstance(found, HeldCall):
            return (await self._put_before_a_person(context, found)).result
        return (await self._run(context, call, found)).result

    async def run_decided(self, context: ToolContext, call: ToolCall) -> Ran:
        """Run *call*, which a person has approved: the policy's *ask* is answered for this one call, its *deny* is not."""
        context = dataclasses.replace(context, call_id=call.id)
        found = consider(self.registry, self.policy, call, can_ask=True)
        return await self._run(context, call, found.ready if isinstance(found, HeldCall) else found)

    def refused(self, context: ToolContext, call: ToolCall, unfit: Unfit) -> ToolResult:
        """Return the result of a call that was not run; after a denial the model is told that this is no riddle to solve."""
        if unfit.code == "denied":
            text = f"{unfit.text(context.language)}\n{say(context.language, 'tools.denied_is_denied')}"
            return error_result(text, code=unfit.code)
        can_ask = context.origin == "person" and self._hold is not None
        allowed = [tool.name for tool in self.registry if self.policy.answer(tool.name, tool.effect, can_ask=can_ask) != "deny"]
        return error_result(not_called(self.registry, call, unfit, allowed, context.language), code=unfit.code)

    def unfit(self, context: ToolContext, call: ToolCall) -> ToolResult | None:
        """Return why *call* cannot be run, without running it; None when it could be."""
        found = self.consider(context, call)
        return self.refused(context, call, found) if isinstance(found, Unfit) else None

    async def _put_before_a_person(self, context: ToolContext, held: HeldCall) -> Ran:
        call = held.ready.call
        hold = cast("Hold", self._hold)
        _log(context, call).info("held")
        return await self._to_its_end(context, call, lambda: hold(context, call), None)

    async def _run(self, context: ToolContext, call: ToolCall, found: ReadyCall | Unfit) -> Ran:
        if isinstance(found, Unfit):
            (code, params), *_ = found.reasons
            result = _journalled(context, call, self.refused(context, call, found))
            return Ran(result, answered=True, refused=ToolRefusal(code, **params))
        tool, arguments = found.tool, found.arguments
        return await self._to_its_end(context, call, lambda: tool.body(context, arguments), tool.seconds)

    async def _to_its_end(
        self, context: ToolContext, call: ToolCall, work: Callable[[], Awaitable[ToolResult]], seconds: float | None
    ) -> Ran:
        begun = context.clock.monotonic()
        try:
            ran = await _within(context, call, work, seconds)
        except asyncio.CancelledError:
            _log(context, call).warning("failed", code="cancelled")
            raise
        _journalled(context, call, ran.result, context.clock.monotonic() - begun)
        return ran


async def _within(context: ToolContext, call: ToolCall, work: Callable[[], Awaitable[ToolResult]], seconds: float | None) -> Ran:
    """Await *work* within *seconds*; whatever it does, there is a result."""
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            result = await work()
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        return Ran(_broke_off(context, call, "tool_raised", error), answered=False)
    except TimeoutError as error:
        code = "timed_out" if limit.expired() else "tool_raised"
        return Ran(_broke_off(context, call, code, error, seconds=seconds or 0.0), answered=False)
    except ToolRefusal as error:
        return Ran(_told(context, call, error), answered=True, refused=error)
    except SteadyhandError as error:
        return Ran(_told(context, call, error), answered=False)
    except Exception as error:  # noqa: BLE001  # whatever a tool raises, the turn goes on with a result
        return Ran(_broke_off(context, call, "tool_raised", error), answered=False)
    if not isinstance(result, ToolResult):  # pyright: ignore[reportUnnecessaryIsInstance]  # a body that is not type-checked may return anything
        wrong = TypeError(f"{call.name} returned {type(result).__name__}, not a ToolResult")
        return Ran(_broke_off(context, call, "bad_result", wrong), answered=False)
    return Ran(result, answered=True)


def _told(context: ToolContext, call: ToolCall, error: SteadyhandError) -> ToolResult:
    if not has(context.language, f"error.{error.code}.summary"):
        if isinstance(error, ToolRefusal) and has(context.language, f"refusal.{error.code}"):
            return error_result(say(context.language, f"refusal.{error.code}", **error.params), code=error.code, err=error)
        return dataclasses.replace(_broke_off(context, call, "tool_raised", error), code=error.code)
    words = explain(error, context.language)
    return error_result(f"{words.summary}\n{words.detail}".strip(), code=error.code, err=error)


def _broke_off(context: ToolContext, call: ToolCall, code: str, error: BaseException, **params: float) -> ToolResult:
    text = say(context.language, f"tools.{code}", tool=call.name, **params)
    return error_result(text, code=code, err=error)


def _log(context: ToolContext, call: ToolCall) -> "FilteringBoundLogger":
    return log.bind(tool=call.name, call=call.id, user=context.user, session=context.session, turn=context.turn)


def _journalled(context: ToolContext, call: ToolCall, result: ToolResult, seconds: float = 0.0) -> ToolResult:
    """Write the line that tells what became of a call; arguments and contents are left out, they may be private."""
    line = _log(context, call)
    if result.is_error:
        cause = None if result.err is None else f"{type(result.err).__name__}: {result.err}"
        expected = result.err is None or isinstance(result.err, SteadyhandError | TimeoutError)
        told = (
            line.info if result.err is None or isinstance(result.err, ModelCanFix | PersonDecides) else line.warning
        )  # what was refused is no fault
        told("failed", code=result.code, err=cause, seconds=seconds, exc_info=None if expected else result.err)
    elif result.is_async:
        line.info("started", job=result.job_id, seconds=seconds)
    else:
        line.info("completed", code=result.code, seconds=seconds)
    return result
