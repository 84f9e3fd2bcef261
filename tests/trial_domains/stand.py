"""A gate with its trial domains over one database and one folder, and short words for what a person and a model do."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steadyhand.core.clock import Clock, FakeClock
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.wire import ToolCall
from steadyhand.gate import journal
from steadyhand.gate.contract import Given, Target
from steadyhand.gate.controller import Controller, Decider, Proposal
from steadyhand.gate.policy import Policy
from steadyhand.store import Store
from steadyhand.store.changes import changes, records
from steadyhand.store.people import people
from steadyhand.store.people.people import User
from steadyhand.store.upkeep import schema
from trial_domains.mailroom import Mailroom
from trial_domains.notebook import Notebook, make_tables
from trial_domains.panel import Panel

ME = UserId("person")
OTHER = UserId("another")
DESK = SessionId("desk")
SPEC = "Cut the plate deck, paint it, look at it.\nroute: cut_plate, paint_plate, inspect_panel"
REQUEST = "cut deck 3 by 4, paint it red, inspect the panel"
CALLS = (
    ("cut_plate", {"plate": "deck", "width": 3, "height": 4}),
    ("paint_plate", {"plate": "deck", "colour": "red"}),
    ("inspect_panel", {}),
)
run = asyncio.run


def call(name: str, arguments: Any) -> ToolCall:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return ToolCall(f"call_{name}", name, text)


def good_calls(*, start: int = 0, stop: int | None = None) -> list[ToolCall]:
    return [call(name, arguments) for name, arguments in CALLS[start:stop]]


def me(session: SessionId = DESK, *, user: UserId = ME, words: str = "") -> Decider:
    return Decider(user, session, "test", words)


@dataclass
class Stand:
    """Everything a gate test touches."""

    store: Store
    clock: Clock
    controller: Controller
    panel: Panel
    mailroom: Mailroom
    notebook: Notebook
    folder: Path

    # --- targets -----------------------------------------------------------------------------------------------------

    def target(self, domain: str = "panel", name: str = "main", owner: UserId = ME, *, shared: bool = False) -> Target:
        return Target(domain, name, owner, shared)

    # --- reading the record ------------------------------------------------------------------------------------------

    def row(self, number: int, user: UserId = ME):
        found = self.store.read_now(lambda tx: changes.by_number(tx, user, number))
        assert found is not None
        return found

    def events(self, number: int, user: UserId = ME) -> list[str]:
        return [json.loads(entry.entry)["event"] for entry in self.entries(number, user)]

    def entries(self, number: int, user: UserId = ME) -> list[records.JournalRow]:
        row = self.row(number, user)
        return self.store.read_now(lambda tx: records.entries(tx, row.user_id, row.id))

    def chain_holds(self, number: int, user: UserId = ME) -> bool:
        entries = self.entries(number, user)
        return bool(entries) and journal.broken_at(entries) is None

    def decisions(self, number: int, user: UserId = ME):
        row = self.row(number, user)
        return self.store.read_now(lambda tx: changes.decisions_of(tx, row.user_id, row.id))

    def artifacts(self, number: int, user: UserId = ME) -> dict[str, bytes]:
        row = self.row(number, user)
        return self.store.read_now(lambda tx: records.artifacts_of(tx, row.user_id, row.id))

    def set(self, number: int, **columns: Any) -> None:
        """Reach into the stored row, as somebody with access to the database could."""
        from sqlalchemy import update

        from steadyhand.store.changes.tables import changes as table

        row = self.row(number)
        self.store.write_now(lambda tx: tx.execute(update(table).where(table.c.id == row.id).values(**columns)))

    # --- ways into a state -------------------------------------------------------------------------------------------

    async def open(
        self,
        *operations: Any,
        domain: str = "panel",
        name: str = "main",
        session: SessionId = DESK,
        request: str = REQUEST,
        shared: bool = False,
        user: UserId = ME,
    ):
        """Open a change: with *operations* they are given, without any a spec will be asked for."""
        source = Given(tuple(operations)) if operations else None
        scope = [item.get("plate") or item.get("to") or item.get("name") for item in operations if isinstance(item, dict)]
        target = self.target(domain, name, user, shared=shared)
        return await self.controller.open(Proposal(user, session, target, request, source, scope or ["deck"]))

    async def drafting(self, **more: Any):
        return await self.open(**more)

    async def in_review(self, spec: str = SPEC, **more: Any):
        row = await self.open(**more)
        return await self.controller.offer_spec(row.user_id, row.number, spec)

    async def collecting(self, spec: str = SPEC, **more: Any):
        row = await self.in_review(spec, **more)
        return await self.controller.confirm(me(row.session_id, user=row.user_id), row.number, row.spec_digest)

    async def sealed_from_spec(self, **more: Any):
        row = await self.collecting(**more)
        return await self.controller.offer_calls(row.user_id, row.number, good_calls())

    async def sealed(self, plate: str = "deck", **more: Any):
        """A sealed change of the panel whose operations were given."""
        return await self.open(cut(plate), **more)

    async def approve(self, row: Any):
        return await self.controller.approve(me(row.session_id, user=row.user_id), row.number, row.seal_digest)


def cut(plate: str = "deck", width: int = 3, height: int = 4) -> dict[str, Any]:
    return {"op": "cut_plate", "plate": plate, "width": width, "height": height}


def paint(plate: str = "deck", colour: str = "red") -> dict[str, Any]:
    return {"op": "paint_plate", "plate": plate, "colour": colour}


def letter(to: str, text: str = "hello") -> dict[str, Any]:
    return {"kind": "letter", "to": to, "text": text}


def phone(to: str) -> dict[str, Any]:
    return {"kind": "call", "to": to, "text": "ring"}


def note(name: str, text: str = "written") -> dict[str, Any]:
    return {"name": name, "text": text}


def over(url: str, folder: Path, clock: Clock | None = None, policy: Policy | None = None, **more: Any) -> Stand:
    """Stand on a database that has its tables and persons already."""
    store = Store(url, clock)
    panel, mailroom, notebook = Panel(folder / "panels"), Mailroom(folder / "mail"), Notebook(store)
    domains = {"panel": panel, "mailroom": mailroom, "notebook": notebook}
    controller = Controller(store, domains, policy or Policy(), **more)
    return Stand(store, store.clock, controller, panel, mailroom, notebook, folder)


def build(url: str, folder: Path, clock: Clock | None = None, policy: Policy | None = None, **more: Any) -> Stand:
    """Make the tables, two persons and an empty target of each kind, then stand there."""
    store = Store(url, clock)
    if store.on_sqlite:
        _lay_sqlite(Path(store.url.database or ""), folder)
    else:
        _fill(store)
    store.close()
    made = over(url, folder, clock or FakeClock(), policy, **more)
    made.panel.make("main")
    made.mailroom.make("main")
    return made


def _fill(store: Store) -> None:
    schema.migrate(store)
    make_tables(store)
    for user in (ME, OTHER):
        store.write_now(lambda tx, user=user: people.add_user(tx, User(user, str(user), "UTC", "en", ("*",))))


_MIGRATED: list[bytes] = []


def _lay_sqlite(file: Path, folder: Path) -> None:
    """Lay down the bytes of a database that was migrated once: half a second less for every test."""
    if not _MIGRATED:
        first = folder / "first.db"
        store = Store(f"sqlite:///{first}")
        schema.ensure(store)
        _fill(store)
        store.close()
        _MIGRATED.append(first.read_bytes())
        first.unlink()
    file.write_bytes(_MIGRATED[0])


# --- children ---------------------------------------------------------------------------------------------------------

CHILD = (sys.executable, "-m", "trial_domains.child")


def environment(fault: str = "") -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("STEADYHAND_")}
    kept["PYTHONPATH"] = str(Path(__file__).parent.parent)
    return {**kept, "STEADYHAND_FAULT": fault} if fault else kept


def start_child(
    stand: Stand, story: str, *arguments: str, fault: str = "", more: Mapping[str, str] | None = None
) -> subprocess.Popen[str]:
    url = stand.store.url.render_as_string(hide_password=False)
    return subprocess.Popen(
        [*CHILD, url, str(stand.folder), story, *arguments],
        env={**environment(fault), **(more or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def give_the_shot(stand: Stand, children: Sequence[subprocess.Popen[str]]) -> None:
    """Let every child begin at the same moment, once all of them wait for it."""
    for child in children:
        wait_for(stand.folder / f"ready-{child.pid}", child)
    (stand.folder / "go").touch()


def wait_for(path: Path, child: subprocess.Popen[str]) -> None:
    limit = time.monotonic() + 60
    while not path.exists():
        assert child.poll() is None, child.communicate()
        assert time.monotonic() < limit, f"{path} never came"
        time.sleep(0.005)


def end_child(child: subprocess.Popen[str]) -> str:
    """Wait for a child that is to live, and return what it said."""
    said, complaint = child.communicate(timeout=120)
    assert child.returncode == 0, complaint
    return said.strip()


def killed(child: subprocess.Popen[str]) -> bool:
    """Wait for a child that is to be killed; tell whether it was."""
    _, complaint = child.communicate(timeout=120)
    assert child.returncode in (0, -signal.SIGKILL), complaint
    return child.returncode == -signal.SIGKILL
