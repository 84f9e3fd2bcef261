"""Decides what runs jobs in a process that is the host, or works for one; it must not hold behaviour of its own."""

from steadyhand.agent.subagent import SubAgents
from steadyhand.core.config import Settings
from steadyhand.jobs.here import Limits
from steadyhand.jobs.work import Worker
from steadyhand.session.conversation import Conversations
from steadyhand.wiring.toolbox import Toolbox


def worker(settings: Settings, toolbox: Toolbox, talk: Conversations) -> Worker:
    """Return what runs the jobs of every person; its sub-agents have the provider and the facts of *talk*."""
    parts = talk.parts
    agents = SubAgents(
        parts.store, parts.provider, lambda: toolbox.registry, toolbox.policy, toolbox.book, parts.facts, parts.prompts
    )
    return Worker(
        parts.store,
        toolbox.book,
        agents.run,
        limits=Limits(memory_mib=settings.job_memory_mib, seconds=settings.job_seconds),
        lease_seconds=settings.lease_seconds,
        most_bodies=settings.jobs_at_once,
        keep=toolbox.keep,
    )
