"""A foreign target without transactions: letters lie in a folder one by one, and a phone call leaves no trace at all."""

import json
import os
from pathlib import Path
from typing import Any

from steadyhand.core.canonical import canonical, digest
from steadyhand.core.errors import StaleTarget, ToolRefusal
from steadyhand.core.faults import reach
from steadyhand.gate.contract import (
    Applied,
    Given,
    NotApplied,
    Observation,
    Operations,
    Partly,
    Program,
    Receipt,
    Refusal,
    Unclear,
    Verdict,
    View,
)


class LineDead(Exception):
    """The mailroom stopped answering."""


def region(item: Any) -> str:
    return f"{item['kind']}/{item['to']}"


class Mailroom:
    """*fail_at* breaks the run at that effect, before it (``"before"``) or after it (``"after"``), and may close the room then."""

    name = "mailroom"
    rollback = "none"

    def __init__(self, root: Path) -> None:
        self.root = root
        self.fail_at: tuple[int, str] | None = None
        self.closes_on_failure = False

    # --- the target itself -------------------------------------------------------------------------------------------

    @property
    def _closed(self) -> Path:
        return self.root / "closed"

    def make(self, name: str) -> None:
        (self.root / name).mkdir(parents=True, exist_ok=True)

    def close(self) -> None:
        self._closed.touch()

    def open(self) -> None:
        self._closed.unlink(missing_ok=True)

    def put(self, name: str, to: str, text: str) -> None:
        """A foreign hand lays a letter there."""
        (self.root / name / to).write_text(text, encoding="utf-8")

    def letters(self, name: str) -> dict[str, str]:
        if self._closed.exists():
            raise LineDead("the mailroom is closed")
        if not (self.root / name).is_dir():
            raise ToolRefusal("not_found", name=name)
        return {path.name: path.read_text(encoding="utf-8") for path in sorted((self.root / name).iterdir())}

    def effects(self) -> list[str]:
        """What really took place, in order: known to the test, never to the domain."""
        path = self.root / "effects.log"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def _do(self, name: str, item: Any) -> None:
        with (self.root / "effects.log").open("a", encoding="utf-8") as handle:
            handle.write(f"{region(item)}\n")
            handle.flush()
            os.fsync(handle.fileno())
        if item["kind"] == "letter":
            self.put(name, item["to"], item["text"])

    # --- what every domain has ---------------------------------------------------------------------------------------

    async def observe(self, target, scope):
        letters = self.letters(target.name)
        return Observation(
            {"letters": letters}, {f"letter/{to}": digest(letters.get(to)) for to in sorted({*letters, *(scope or [])})}
        )

    def operations(self, source, seen, request):
        if not isinstance(source, Given):
            return Refusal("source_missing", {"domain": self.name})
        for index, item in enumerate(source.operations):
            if set(item) != {"kind", "to", "text"} or item["kind"] not in ("letter", "call"):
                return Refusal("bad_argument", {"tool": "send"}, index)
        there = seen.facts["letters"]
        return Operations(
            tuple(item for item in source.operations if item["kind"] == "call" or there.get(item["to"]) != item["text"])
        )

    def compile(self, operations, target, seen):
        regions = [region(item) for item in operations.items if item["kind"] == "letter"]
        return Program(
            text=canonical({"target": target.name, "send": list(operations.items)}).decode(),
            media="application/json",
            footprint={name: seen.footprint.get(name, digest(None)) for name in regions},
            writes=tuple(regions),
            evidence={item["to"]: item["text"] for item in operations.items if item["kind"] == "letter"},
            compiler="mailroom-compiler 1",
            engine="mailroom 1",
            steps=len(operations.items),
        )

    def present(self, program, seen, rehearsal, language):
        items = json.loads(program.text)["send"]
        return View("\n".join(f"{region(item)}: {item['text']}" for item in items), items)

    async def execute(self, program, submission, log):
        name = submission.target.name
        letters = self.letters(name)
        differing = tuple(
            key for key, seen in program.footprint.items() if digest(letters.get(key.removeprefix("letter/"))) != seen
        )
        if differing:
            raise StaleTarget(differing)
        for number, item in enumerate(json.loads(program.text)["send"], start=1):
            index = await log.begin(region(item), item)
            self._maybe_fail(number, "before")
            self._do(name, item)
            reach("gate.in_effect")
            self._maybe_fail(number, "after")
            await log.end(index)
        return Receipt({key: digest(self.letters(name).get(key.removeprefix("letter/"))) for key in program.writes})

    def _maybe_fail(self, number: int, when: str) -> None:
        if self.fail_at == (number, when):
            if self.closes_on_failure:
                self.close()
            raise LineDead(f"effect {number}")

    async def outcome(self, program, submission, log):
        logged = {entry.name: entry.state for entry in await log.entries()}
        done: list[str] = []
        undone: list[str] = []
        for item in json.loads(program.text)["send"]:
            name = region(item)
            state = logged.get(name)
            if state == "begun":
                if item["kind"] == "call":
                    return Unclear("no_trace", f"ask {item['to']} whether the phone rang")
                try:
                    found = self.letters(submission.target.name).get(item["to"])
                except LineDead:
                    return Unclear("mailroom_closed", f"see whether a letter to {item['to']} lies there")
                state = "ended" if found == item["text"] else None
            (done if state == "ended" else undone).append(name)
        if not undone:
            return Applied(Receipt({key: digest(program.evidence[key.removeprefix("letter/")]) for key in program.writes}))
        return Partly(tuple(done), tuple(undone)) if done else NotApplied()

    async def read_back(self, target, program):
        letters = self.letters(target.name)
        names = [key.removeprefix("letter/") for key in program.writes]
        return Observation(
            {"letters": {to: letters.get(to) for to in names}},
            {f"letter/{to}": digest(letters.get(to)) for to in names},
        )

    def verify(self, program, before, receipt, after):
        sent = json.loads(program.text)["send"]
        if receipt is None and any(item["kind"] == "call" for item in sent):
            return Verdict(None)
        found = after.facts["letters"]
        differences = tuple(f"{to}: {found.get(to)}" for to, text in program.evidence.items() if found.get(to) != text)
        if receipt is None and differences:
            return Verdict(None, differences)
        return Verdict(not differences, differences, after.facts)
