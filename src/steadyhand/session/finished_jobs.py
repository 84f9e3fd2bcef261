"""Decides how a session takes up the end of a job that its agent is to read: as a turn of the model, else as words for the person. It must not lose one."""

from collections.abc import Mapping
from typing import Any, cast

from steadyhand.agent.events import Listener
from steadyhand.core.language import Language, say
from steadyhand.jobs import ending
from steadyhand.session.conversation import Conversations
from steadyhand.session.lane import Held
from steadyhand.session.settling import Leaving
from steadyhand.session.turns import Asked
from steadyhand.store import Tx
from steadyhand.store.sessions import inbox
from steadyhand.store.sessions.inbox import Inbound

TAG = "system-reminder"


def take_up_finished_jobs(conversations: Conversations) -> None:
    """Let *conversations* take up the ends of jobs."""

    async def take(held: Held, inbound: Inbound, language: Language, listener: Listener) -> None:
        if not (conversations.parts.thinks and for_the_agent(inbound)):
            await conversations.parts.store.write(lambda tx: _settle(tx, held, inbound))
            return
        asked = Asked(
            [inbound],
            "",
            origin="job",
            reminder=block(inbound, language),
            on_settle=lambda tx, leaving: _unless_read(tx, held, inbound, leaving),
        )
        await conversations.turns.run(held, asked, language, listener)

    conversations.takes("job", take)


def for_the_agent(inbound: Inbound) -> bool:
    """Tell whether the agent of the session is to read this end."""
    return _body(inbound)["delivery"] in ("parent", "both")


def block(inbound: Inbound, language: Language) -> str:
    """Return the block that a model reads: which job, how it ended, what it found, and who has it already."""
    body = _body(inbound)
    lines = [
        say(
            language,
            f"session.job.{body['state']}",
            number=body["number"],
            title=_inside(body["title"]),
            reason=_inside(body["why"]),
        ),
        say(language, f"session.job.to_{body['delivery']}"),
    ]
    if body["for_llm"]:
        lines += [say(language, "session.job.result"), _inside(body["for_llm"])]
    return f"<{TAG}>\n" + "\n".join(lines) + f"\n</{TAG}>"


def _unless_read(tx: Tx, held: Held, inbound: Inbound, leaving: Leaving) -> None:
    if leaving.state != "done":
        ending.owe_instead(tx, held.user, inbound)


def _settle(tx: Tx, held: Held, inbound: Inbound) -> None:
    """Settle an end that no model reads."""
    ending.owe_instead(tx, held.user, inbound)
    inbox.start(tx, held.user, [inbound.id], inbound.id)
    inbox.settle(tx, held.user, inbound.id)


def _inside(text: str) -> str:
    """Return a text that cannot close, or open, the block it stands in."""
    return text.replace(f"</{TAG}", f"< /{TAG}").replace(f"<{TAG}", f"< {TAG}")


def _body(inbound: Inbound) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", inbound.body)
