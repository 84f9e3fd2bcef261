"""The tools of this machine, in a workspace of their own, with doors that remember."""

import asyncio
import json
from dataclasses import dataclass, field, replace

import pytest

from steadyhand.core.clock import FakeClock
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.wire import ToolCall
from steadyhand.tools.base import ToolContext
from steadyhand.tools.builtin.machine import builtin_tools
from steadyhand.tools.builtin.workspace import Workspace
from steadyhand.tools.policy import Rule, ToolPolicy
from steadyhand.tools.ports import Ports, Sent
from steadyhand.tools.registry import Registry
from steadyhand.tools.runner import Runner


@pytest.fixture(autouse=True)
def _manuals():
    """Keep the real manuals here."""


@pytest.fixture
def workspace(tmp_path):
    return Workspace(tmp_path / "workspace")


@pytest.fixture
def root(workspace):
    return workspace.ready()


@pytest.fixture
def outside(tmp_path):
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret.txt").write_text("the secret", encoding="utf-8")
    return folder


class Outbox:
    """Answers as it was told to and remembers what it was given."""

    def __init__(self, answer=None):
        self.answer = answer or Sent("m_1")
        self.sent = []

    async def send(self, text, *, source, reply_to=None):
        self.sent.append((text, source, reply_to))
        return self.answer


class Questions:
    """Remembers what was parked."""

    def __init__(self):
        self.parked = []

    async def park(self, question):
        self.parked.append(question)


@dataclass
class Desk:
    """Calls tools as a turn does."""

    runner: Runner
    context: ToolContext
    outbox: Outbox = field(default_factory=Outbox)
    questions: Questions = field(default_factory=Questions)

    async def acall(self, name, language="en", **arguments):
        context = replace(self.context, language=language, ports=Ports(self.outbox, self.questions))
        return await self.runner.run(context, ToolCall("call_1", name, json.dumps(arguments)))

    def call(self, name, language="en", **arguments):
        return asyncio.run(self.acall(name, language, **arguments))


ALLOWED = (Rule("allow"),)


def desk_of(tools, rules=ALLOWED):
    context = ToolContext(UserId("person"), SessionId("desk"), FakeClock(), "en", turn="turn_1")
    return Desk(Runner(Registry(tools), ToolPolicy(tuple(rules))), context)


@pytest.fixture
def desk(workspace):
    return desk_of(builtin_tools(workspace))
