"""Decides what takes up that which happens later: wake-ups, heartbeats; it must not hold behaviour of its own."""

from collections.abc import Callable
from datetime import timedelta

from steadyhand.core.config import Settings
from steadyhand.core.ids import UserId
from steadyhand.core.language import Language
from steadyhand.session.conversation import Conversations
from steadyhand.wakeups.heartbeat import Heartbeat, Rhythm
from steadyhand.wakeups.heartbeat_file import HeartbeatFiles
from steadyhand.wakeups.judging import Rules, read_quiet
from steadyhand.wakeups.state_file import StateFile
from steadyhand.wakeups.waking import Waking
from steadyhand.wiring.toolbox import Toolbox


def waking(settings: Settings, talk: Conversations) -> Waking:
    """Return what takes up due wake-ups, here and in the sessions of *talk*."""
    return Waking(talk, rules_of(settings))


def rules_of(settings: Settings) -> Rules:
    """Return when people may be spoken to unasked."""
    apart = timedelta(minutes=settings.proactive_apart_minutes)
    return Rules(read_quiet(settings.quiet_hours), settings.proactive_per_day, apart)


def heartbeat(settings: Settings, toolbox: Toolbox, talk: Conversations, user: UserId) -> Heartbeat:
    """Return the heartbeat of the local person, which the sessions of *talk* take up."""
    clock = talk.parts.store.clock
    rhythm = Rhythm(timedelta(minutes=settings.heartbeat_minutes), settings.heartbeat_enabled)
    files, state = HeartbeatFiles(toolbox.workspace, clock), StateFile(toolbox.workspace, clock)
    return Heartbeat(talk, user, files, state, rhythm, _reads(talk), rules_of(settings))


def _reads(talk: Conversations) -> Callable[[str, Language], bool] | None:
    """Return what tells whether the rules understand a line; None where a model is asked."""
    from steadyhand.llm.rules.matching import Unmet  # noqa: PLC0415  # needed where there is no model
    from steadyhand.llm.rules.provider import RulesProvider  # noqa: PLC0415  # as above

    provider = talk.parts.provider
    if not isinstance(provider, RulesProvider):
        return None
    return lambda text, language: not isinstance(provider.understand(text, language)[1], Unmet)
