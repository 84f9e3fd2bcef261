"""Decides what a conversation is put together from; it must not hold behaviour of its own."""

from collections.abc import Awaitable, Callable

from steadyhand.agent.turn import Limits
from steadyhand.core.config import Settings
from steadyhand.core.errors import SteadyhandError
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.logs import get_logger
from steadyhand.core.tracing import Tracing
from steadyhand.domains.calls.holding import Holding
from steadyhand.gate.controller import Controller
from steadyhand.jobs.book import OwnJobs
from steadyhand.llm.provider import Provider
from steadyhand.memory.tiers import tiers_of
from steadyhand.session.conversation import Conversations
from steadyhand.session.decisions import Decisions
from steadyhand.session.finished_jobs import take_up_finished_jobs
from steadyhand.session.lane import Lanes
from steadyhand.session.outbox import Attached, Outbox
from steadyhand.session.parts import Parts, Spoke
from steadyhand.store import Store
from steadyhand.store.changes.changes import ChangeRow
from steadyhand.tools.result import ToolResult
from steadyhand.tools.traced import TracedRunner
from steadyhand.wakeups.state_file import StateFile
from steadyhand.wiring.domains import DOMAINS
from steadyhand.wiring.later import heartbeat, waking
from steadyhand.wiring.telemetry import tracing_of
from steadyhand.wiring.toolbox import Toolbox


def conversations(
    settings: Settings,
    store: Store,
    controller: Controller,
    decisions: Decisions,
    toolbox: Toolbox,
    attached: Attached,
    provider: Provider | None,
    user: UserId,
) -> Conversations:
    """Put the sessions together; *provider* stands in the place of the configured one."""
    tracing = tracing_of(settings)
    configured = provider or configured_provider(settings, store, user, tracing)
    made = Conversations(_parts(settings, store, controller, decisions, toolbox, attached, configured, tracing, user))
    take_up_finished_jobs(made)
    waking(settings, made)
    heartbeat(settings, toolbox, made, user)
    return made


def _parts(
    settings: Settings,
    store: Store,
    controller: Controller,
    decisions: Decisions,
    toolbox: Toolbox,
    attached: Attached,
    configured: Provider | None,
    tracing: Tracing,
    user: UserId,
) -> Parts:
    holding, domains = Holding(controller), toolbox.domains
    return Parts(
        store=store,
        controller=controller,
        decisions=decisions,
        runner=TracedRunner(toolbox.registry, toolbox.policy, holding.hold, tracing),
        provider=configured or rules_provider(),
        thinks=configured is not None,
        working=toolbox.working,
        tiers=tiers_of(settings),
        outbox=Outbox(store, decisions, attached),
        lanes=Lanes(store, settings.lease_seconds),
        call_answer=_call_answer(holding),
        assertions=domains.assertions,
        prompts=tuple(record.prompt for record in domains.records),
        writes=() if configured is not None else domains.written_by_rules,
        shared=domains.shared,
        commands=domains.commands,
        facts=domains.facts,
        readers=domains.readers,
        tracing=tracing,
        limits=Limits(settings.turn_rounds, settings.turn_seconds, settings.turn_tokens),
        spoke=_remembering(toolbox, store, user),
        told=domains.outcome,
        help=domains.help,
        jobs=lambda user, session, turn: OwnJobs(toolbox.book, user, session, turn),
    )


def _remembering(toolbox: Toolbox, store: Store, local: UserId) -> Spoke:
    """Return what remembers where the local person spoke last, for what belongs to no session."""

    def spoke(user: UserId, session: SessionId, channel: str) -> None:
        if user != local:
            return
        try:
            StateFile(toolbox.workspace, store.clock).record_last_channel(channel, session)
        except (SteadyhandError, OSError) as error:  # what was said counts more than where
            get_logger(__name__).warning("last_channel_not_kept", reason=str(error))

    return spoke


def configured_provider(settings: Settings, store: Store, user: UserId, tracing: Tracing) -> Provider | None:
    """Return the provider that the settings name; None when they name none."""
    from steadyhand.llm.endpoint import endpoint_of  # noqa: PLC0415  # most installations start without a model
    from steadyhand.llm.metered import MeteredProvider, Prices  # noqa: PLC0415  # as above
    from steadyhand.llm.openai_compat import OpenAICompat  # noqa: PLC0415  # as above
    from steadyhand.llm.traced import TracedProvider  # noqa: PLC0415  # as above

    endpoint = endpoint_of(settings)
    if endpoint is None:
        return None
    asked = TracedProvider(
        OpenAICompat(endpoint, clock=store.clock), tracing, store.clock, name=endpoint.host, model=endpoint.model
    )
    prices = Prices(settings.model_price_read, settings.model_price_written, settings.model_cost_per_day)
    return MeteredProvider(asked, store, user, endpoint.model, prices)


def usual_provider(settings: Settings, store: Store, user: UserId) -> Provider:
    """Return what answers in this installation: the configured provider, else the one that needs no model."""
    return configured_provider(settings, store, user, tracing_of(settings)) or rules_provider()


def rules_provider() -> Provider:
    """Return the provider that needs no model."""
    from steadyhand.llm.rules.provider import RulesProvider  # noqa: PLC0415  # needed where there is no model
    from steadyhand.session.phrases import session_phrases  # noqa: PLC0415  # as above
    from steadyhand.wakeups.phrases import wakeup_phrases  # noqa: PLC0415  # as above

    books = [book for record in DOMAINS for book in record.phrases()]
    writers = [writer for record in DOMAINS for writer in record.writers()]
    return RulesProvider((*books, *session_phrases(), *wakeup_phrases()), writers)


def _call_answer(holding: Holding) -> Callable[[ChangeRow], Awaitable[ToolResult]]:
    async def answer(row: ChangeRow) -> ToolResult:
        return await holding.answer(row, row.language)

    return answer
