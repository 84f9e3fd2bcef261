"""A shelf over one folder, programs written by hand, and short words for what a test does with them."""

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from steadyhand.core.canonical import digest_bytes
from steadyhand.core.clock import FakeClock
from steadyhand.core.ids import ChangeId, UserId
from steadyhand.domains.cae.shelf import executing
from steadyhand.domains.cae.shelf.executing import Workshop
from steadyhand.domains.cae.shelf.looking import observed
from steadyhand.domains.cae.shelf.places import PartFolder, part_name
from steadyhand.domains.cae.shelf.records import at
from steadyhand.domains.cae.shelf.running import Bounds
from steadyhand.domains.cae.shelf.undoing import inverse
from steadyhand.gate.contract import Given, Observation, Operations, Program, Submission, Target, Verdict, View

ME = UserId("person")
run = asyncio.run
HEAD = """\
from steadyhand.domains.cae.engine.script import BEAM, BOX, CIRC, PIPE, QUAD, RECT, TRI, X, Y, Z, open_model, preflight

model_name = SAM_AGENT_TARGET['model_name']
part_name = SAM_AGENT_TARGET['part_name']
model = open_model(model_name)
part = model.part(part_name)
"""
TAIL = "model.finish(part)\n"
PLATE = "part.Grid(origin=(0.0, 0.0, 0.0), u=(100.0, 0.0, 0.0), v=(0.0, 60.0, 0.0), divisions=(10, 6))"
COPY = "part.translate(elements=part.pickElements(everything=True), vector=(0.0, 0.0, 500.0), copy=True)"
STEEL = "model.Material(name='steel', youngs=210000.0, poisson=0.3, density=7.85e-09)"
WRONG = "part.deleteElement(labels=(999999,))"
REGIONS = ("geometry", "sets", "properties", "cases")
AUDIT = "part.audit(report='part_audit.json', kind='part', tolerance=0.001)"
FIX = "part.Fix(name='edge', nodes=part.pickNodes(side='xmin'), dofs=(1, 2, 3, 4, 5, 6))"


def script(*lines: str) -> str:
    return "\n".join((HEAD, *lines, TAIL))


def program(
    *lines: str,
    footprint: Mapping[str, str] | None = None,
    writes: Sequence[str] = (),
    needs: Sequence[Mapping[str, Any]] = (),
    text: str | None = None,
    **expected: Any,
) -> Program:
    """A program of *lines*; *expected* are counts that its read-back must show, *writes* the regions that its rehearsal holds."""
    evidence = {"module": "part", "expected": expected, "needs": list(needs)}
    return Program(
        script(*lines) if text is None else text,
        "text/x-python",
        footprint or {},
        tuple(writes),
        evidence,
        "by hand",
        "steadyhand-engine/1",
        len(lines),
    )


def judge(program: Program, before: Observation, receipt: Any, after: Observation) -> Verdict:
    facts: Any = after.facts
    found = {**facts["observation"]["summary"], "artifacts": sorted(facts["artifacts"])}
    expected = program.evidence["expected"]
    differing = tuple(f"{name}: {found.get(name)}" for name, value in expected.items() if found.get(name) != value)
    return Verdict(not differing, differing, after.facts)


class Bench:
    """One part on a shelf, changed without a gate."""

    def __init__(self, root: Path, name: str = "panel/plate", bounds: Bounds | None = None) -> None:
        self.folder = PartFolder(root / "cae", ME, part_name(name))
        self.shop = Workshop(bounds or Bounds(), FakeClock(), judge, "en", ("svg",))
        self.made = 0

    def target(self) -> Target:
        return Target("cae", str(self.folder.name), ME)

    def submission(self, wanted: Program, change: str | None = None, rehearsed: Any = None) -> Submission:
        self.made += 1
        change = change or f"chg_{self.made}"
        digest = digest_bytes(wanted.text.encode())
        return Submission(f"sub_{change}", ChangeId(change), self.made, ME, self.target(), digest, "seal", "token", rehearsed)

    def execute(self, wanted: Program, change: str | None = None, rehearsed: Any = None):
        return run(executing.execute(self.shop, self.folder, wanted, self.submission(wanted, change, rehearsed)))

    def rehearse(self, wanted: Program, change: str = "chg_r"):
        return run(executing.rehearse(self.shop, self.folder, wanted, ChangeId(change)))

    def outcome(self, submission: Submission):
        return run(executing.outcome(self.folder, submission))

    def read_back(self, wanted: Program) -> Observation:
        return run(executing.read_back(self.shop, self.folder, wanted))

    def observe(self) -> Observation:
        return observed(self.folder, at(self.folder), "part")

    def counts(self) -> dict[str, Any]:
        return self.observe().facts["observation"]["summary"]

    def reachable(self) -> str:
        """A digest of everything that can be reached from ``current``: that file, and every file of every version in the chain."""
        return reachable(self.folder.path)


def reachable(part: Path) -> str:
    total = hashlib.sha256()
    current = part / "current"
    if not current.exists():
        return "nothing"
    total.update(current.read_bytes())
    number = json.loads(current.read_bytes())["version"]
    while number:
        folder = part / "versions" / str(number)
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            total.update(path.relative_to(folder).as_posix().encode())
            total.update(path.read_bytes())
        number = json.loads((folder / "manifest.json").read_bytes())["base"]["version"]
    return total.hexdigest()


class ScriptDomain:
    """The shelf as a domain at the gate: given operations are ``{"line": …}``, one line of the script each, or a restoring."""

    name = "cae"
    rollback = "switch"

    def __init__(self, root: Path, bounds: Bounds | None = None) -> None:
        self.root = root / "cae"
        self.shop = Workshop(bounds or Bounds(), FakeClock(), judge, "en", ("svg",))

    def folder(self, target: Target) -> PartFolder:
        return PartFolder(self.root, target.owner, part_name(target.name))

    async def observe(self, target, scope):
        return observed(self.folder(target), at(self.folder(target)), "part")

    def operations(self, source, seen, request):
        assert isinstance(source, Given)
        return Operations(source.operations)

    def compile(self, operations, target, seen):
        lines, needs = [], []
        for item in operations.items:
            if item.get("tool") == "restore_version":
                wanted = item["arguments"]
                needs.append({"kind": "version", **wanted})
                lines.append(f"model.restoreVersion(version={wanted['version']}, sha256={wanted['sha256']!r})")
            else:
                lines.append(item["line"])
        return program(*lines, footprint=dict(seen.footprint), writes=REGIONS, needs=needs)

    def present(self, program, seen, rehearsal, language):
        return View(program.text, [])

    def verify(self, program, before, receipt, after):
        return judge(program, before, receipt, after)

    async def rehearse(self, program, change, target):
        return await executing.rehearse(self.shop, self.folder(target), program, change)

    async def discard_rehearsal(self, change):
        executing.discard_rehearsal(self.root, change)

    async def execute(self, program, submission, log):
        return await executing.execute(self.shop, self.folder(submission.target), program, submission)

    async def outcome(self, program, submission, log):
        return await executing.outcome(self.folder(submission.target), submission)

    async def read_back(self, target, program):
        return await executing.read_back(self.shop, self.folder(target), program)

    def inverse(self, program, receipt, now):
        return inverse(program, receipt, now)
