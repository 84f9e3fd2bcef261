"""Decides what `steady doctor --provider` asks a model's server and what it makes of the answers; it must not ask on where that is pointless, nor show the key."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Generator, Mapping
from dataclasses import dataclass, replace

from steadyhand.cli.terminal.frame import Frame
from steadyhand.cli.terminal.printing import echo
from steadyhand.core.clock import Clock, SystemClock, local
from steadyhand.core.config import Settings
from steadyhand.core.errors import Param, SteadyhandError
from steadyhand.core.explain import word
from steadyhand.core.ids import LOCAL_USER
from steadyhand.core.wire import Completion, Message, Request, ToolSpec
from steadyhand.llm.endpoint import Endpoint, TimeLimits, endpoint_of
from steadyhand.llm.metered import MeteredProvider, Prices
from steadyhand.llm.openai_compat import OpenAICompat
from steadyhand.llm.provider import Provider, ProviderError, complete, let_go
from steadyhand.store import Store
from steadyhand.store.people import people, spending
from steadyhand.store.people.people import User
from steadyhand.store.upkeep import schema
from steadyhand.store.upkeep.health import Finding, Level, failure

TOPIC = "model"
SECONDS = 60.0
"""How long each question may take."""
CALL_TRIES = 2
"""A model may do as it is asked at one time and not at another."""
TOOL = "note_number"
PARAMETERS = {
    "type": "object",
    "properties": {"number": {"type": "integer"}},
    "required": ["number"],
    "additionalProperties": False,
}
SAID_BY_CODE = frozenset({"unreachable", "silent"})
"""Reasons that the finding's own words tell already."""
NO_SERVER_OF_OURS = ("page_of_html", "not_an_event", "not_json", "not_utf8", "chunk_misshapen", "nothing_answered")
BY_REASON: Mapping[str, str] = {
    "unreachable": "model_unreachable",
    "silent": "model_silent",
    "cap_reached": "model_cap_reached",
    **dict.fromkeys(NO_SERVER_OF_OURS, "model_not_compatible"),
}
BY_STATUS: Mapping[int, str] = {
    401: "model_key_refused",
    402: "model_unpaid",
    403: "model_key_refused",
    404: "model_not_found",
    405: "model_not_found",
    429: "model_busy",
}


@dataclass(frozen=True, slots=True)
class Account:
    """Where what is asked is charged: the database and the person in it."""

    store: Store
    user: User


@dataclass(frozen=True, slots=True)
class Heard:
    """An answer, in how many pieces it came, and after how many seconds the first and the last of them."""

    answer: Completion
    pieces: int
    first: float
    last: float


async def looks(frame: Frame, settings: Settings) -> list[Finding]:
    """Ask the model that the settings name, and tell what was found; without one, tell what answers in its place."""
    clock = SystemClock()
    with _account(settings, clock) as (account, trouble):
        frame.asked = frame.asked or (settings.language if account is None else account.user.language)
        try:
            endpoint = endpoint_of(settings)
        except SteadyhandError as error:
            return [failure(TOPIC, error), *trouble]
        if endpoint is None:
            return [_found("ok", "model_none"), *trouble]
        if frame.at_terminal:
            echo(frame.say("doctor.asking"), err=True)
        asked = _found("ok", "model_asked", model=endpoint.model, host=endpoint.host, seconds=round(SECONDS))
        found = await _asked(_Trial(frame, settings, endpoint, account, clock))
        return [asked, *found, *(trouble or _costs(settings, account))]


async def _asked(trial: "_Trial") -> list[Finding]:
    try:
        return [one async for one in trial.findings()]
    finally:
        await let_go(trial.provider)


class _Trial:
    """A few questions to one server, each asked once, with what a turn would send."""

    def __init__(self, frame: Frame, settings: Settings, endpoint: Endpoint, account: Account | None, clock: Clock) -> None:
        self._frame = frame
        self._clock = clock
        self._endpoint = endpoint
        self._capped = settings.model_cost_per_day is not None
        limits = TimeLimits(first_byte=SECONDS, between=SECONDS, total=min(SECONDS, settings.model_timeout_seconds))
        asked: Provider = OpenAICompat(replace(endpoint, attempts=1, limits=limits), clock=clock)
        if account is not None:
            asked = MeteredProvider(asked, account.store, account.user.id, endpoint.model, _prices(settings))
        self.provider = asked

    async def findings(self) -> AsyncGenerator[Finding]:
        """Yield what is found; after a failure nothing more is asked."""
        try:
            heard = await self._ask(Request((Message("user", self._frame.say("doctor.trial.count")),)))
        except SteadyhandError as error:
            yield self._trouble(error)
            return
        yield _found("ok", "model_reached", seconds=f"{heard.last:.1f}")
        yield _streams(heard)
        usage = heard.answer.usage
        if usage.input_tokens or usage.output_tokens:
            yield _found("ok", "model_usage", read=usage.input_tokens, written=usage.output_tokens)
        else:
            yield _found("fail" if self._capped else "warn", "model_no_usage_capped" if self._capped else "model_no_usage")
        yield await self._calls()

    async def _calls(self) -> Finding:
        tool = ToolSpec(TOOL, self._frame.say("doctor.trial.tool"), PARAMETERS)
        request = Request((Message("user", self._frame.say("doctor.trial.call", tool=TOOL)),), (tool,))
        for _ in range(CALL_TRIES):
            try:
                heard = await self._ask(request)
            except ProviderError as error:
                if error.kind == "tool_call":
                    return _found("fail", "model_call_unusable", said=self._said(error))
                if error.status in {400, 422, 500, 501}:
                    return _found("fail", "model_tools_refused", said=self._said(error))
                return self._trouble(error)
            if heard.answer.tool_calls:
                return _found("ok", "model_calls")
        return _found("fail", "model_no_call")

    async def _ask(self, request: Request) -> Heard:
        begun, first, pieces = self._clock.monotonic(), 0.0, 0

        def shown(_piece: object) -> None:
            nonlocal first, pieces
            first = first or self._clock.monotonic() - begun
            pieces += 1

        try:
            async with asyncio.timeout(SECONDS + 5):  # the adapter's own limits come first; this one holds for all else
                answer = await complete(self.provider, request, shown)
        except TimeoutError:
            raise ProviderError("provider", "silent", about=self._endpoint.host) from None
        return Heard(answer, pieces, first, self._clock.monotonic() - begun)

    def _trouble(self, error: SteadyhandError) -> Finding:
        if not isinstance(error, ProviderError):
            return failure(TOPIC, error)
        level: Level = "warn" if error.reason == "cap_reached" else "fail"
        return _found(level, self._code(error), model=self._endpoint.model, said=self._said(error))

    def _code(self, error: ProviderError) -> str:
        status = error.status or 0
        if error.reason in BY_REASON:
            return BY_REASON[error.reason]
        if status == 401 and not self._has_key:
            return "model_key_wanted"
        if status >= 500:
            return "model_failing"
        return BY_STATUS.get(status, "model_refused" if status else "model_unusable")

    @property
    def _has_key(self) -> bool:
        return bool(self._endpoint.key.env) or self._endpoint.key.file is not None

    def _said(self, error: ProviderError) -> str:
        """Return what was reported, in words; the adapter has taken the key out of it."""
        if error.reason in SAID_BY_CODE and error.about:
            return error.about.rstrip(".")
        about = f" ({error.about})" if error.about else ""
        return f"{word(self._frame.language, 'reason', error.reason)}{about}"


def _found(level: Level, code: str, **values: Param) -> Finding:
    return Finding(TOPIC, level, code, values)


def _streams(heard: Heard) -> Finding:
    if heard.pieces > 1:
        return _found("ok", "model_streams", pieces=heard.pieces, first=f"{heard.first:.1f}")
    return _found("warn", "model_one_piece" if heard.pieces else "model_no_stream")


# ---- what it costs ---------------------------------------------------------------------------------------------------


def _prices(settings: Settings) -> Prices:
    return Prices(settings.model_price_read, settings.model_price_written, settings.model_cost_per_day)


@contextlib.contextmanager
def _account(settings: Settings, clock: Clock) -> Generator[tuple[Account | None, list[Finding]]]:
    """Give the account of the local person, if there is one already: nothing is made or brought to another version for a look."""
    try:
        store = Store(settings.url, clock)
    except SteadyhandError as error:
        yield None, [failure("database", error)]
        return
    try:
        account: Account | None = None
        trouble: list[Finding] = []
        try:
            account = _present(store)
        except SteadyhandError as error:
            trouble = [failure("database", error)]
        yield account, trouble
    finally:
        store.close()


def _present(store: Store) -> Account | None:
    if (store.file is not None and not store.file.exists()) or schema.version(store) != schema.HEAD:
        return None
    user = store.read_now(lambda tx: people.find_user(tx, LOCAL_USER))
    return None if user is None else Account(store, user)


def _costs(settings: Settings, account: Account | None) -> list[Finding]:
    """Tell what the day has come to, and whether the cap that is set can hold."""
    prices = _prices(settings)
    if account is None:
        return [_found("ok", "model_not_charged")]
    store, user = account.store, account.user
    day = local(store.clock.now(), user.zone).date().isoformat()
    spent = store.read_now(lambda tx: spending.on_day(tx, user.id, day))
    values: dict[str, Param] = {
        "day": day,
        "requests": spent.requests,
        "read": spent.input_tokens,
        "written": spent.output_tokens,
        "cost": f"{spent.cost:.4f}",
    }
    if prices.cap is None:
        return [_found("ok", "model_spent", **values)]
    full = spent.cost >= prices.cap
    found = [_found("warn" if full else "ok", "model_spent_all" if full else "model_spent_of", **values, cap=f"{prices.cap:g}")]
    if not (prices.read or prices.written):
        found.append(_found("warn", "model_cap_without_prices", cap=f"{prices.cap:g}"))
    return found
