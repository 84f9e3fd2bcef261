"""A gate whose one domain is `ScriptDomain`, over a database and a folder."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steadyhand.core.clock import Clock, FakeClock
from steadyhand.gate.contract import Given, Target
from steadyhand.gate.controller import Controller, Proposal
from steadyhand.gate.policy import Policy
from steadyhand.store import Store
from steadyhand.store.changes import changes
from steadyhand.store.people import people
from steadyhand.store.people.people import User
from steadyhand.store.upkeep import schema
from trial_domains.stand import DESK, ME, me
from trial_parts.stand import ScriptDomain

PART = "panel/plate"


@dataclass
class Gate:
    """A store, its controller and the domain."""

    store: Store
    controller: Controller
    domain: ScriptDomain
    folder: Path

    def row(self, number: int):
        return self.store.read_now(lambda tx: changes.by_number(tx, ME, number))

    @property
    def part(self) -> Path:
        return self.domain.folder(Target("cae", PART, ME)).path


def over(url: str, folder: Path, clock: Clock | None = None) -> Gate:
    store = Store(url, clock or FakeClock())
    domain = ScriptDomain(folder)
    return Gate(store, Controller(store, {"cae": domain}, Policy()), domain, folder)


def build(folder: Path) -> Gate:
    url = f"sqlite:///{folder / 'gate.db'}"
    store = Store(url)
    schema.ensure(store)
    store.write_now(lambda tx: people.add_user(tx, User(ME, "person", "UTC", "en", ("*",))))
    store.close()
    return over(url, folder)


async def change(stand: Gate, *lines: str) -> Any:
    """Propose the lines; what comes back is sealed when its rehearsal went well."""
    source = Given(tuple({"line": line} for line in lines))
    return await stand.controller.open(Proposal(ME, DESK, Target("cae", PART, ME), "in words", source, {"module": "part"}))


async def changed(stand: Gate, *lines: str) -> Any:
    row = await change(stand, *lines)
    return await stand.controller.approve(me(), row.number, row.seal_digest)
