"""A whole change of a part with 176k elements, through the domain's own doors: script in a child, read-back in another, one switch.

The part is the girder of `cae_mesh`, brought in as a deck. Two changes are executed: one that merges, removes duplicates and free nodes
and audits, and one that copies everything first. The seconds are those of the clock, so that a busy machine shows; the peak is that of
the largest process.

Run: python bench/cae_change.py [ROUNDS]
"""

import asyncio
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from steadyhand.core.canonical import Json, digest_bytes
from steadyhand.core.config import Settings
from steadyhand.core.ids import ChangeId, UserId
from steadyhand.domains.cae.module import CaeDomain, root_of, target
from steadyhand.domains.cae.shelf.doors import Shelf
from steadyhand.domains.cae.shelf.places import PartName
from steadyhand.gate.contract import Given, Operations, Program, Submission

ME, NAME = UserId("bench"), PartName("ship", "girder")
SECONDS, MIB = 7.0, 500.0
MAKE = (
    "import sys; sys.path.insert(0, sys.argv[1])\n"
    "from pathlib import Path\n"
    "from cae_mesh import SIZES, girder, part_of\n"
    "from steadyhand.domains.cae.engine.deck.writing import write_deck\n"
    "write_deck(part_of(girder(SIZES['176k'])), Path(sys.argv[2]))\n"
)
MERGE = ("repair_part", {"merge_tolerance": 0.001, "remove_duplicate_elements": True, "remove_free_nodes": True})
MOVE = {"kind": "translate", "region": {"all": True}, "vector": [0, 0, 50_000], "copy_elements": True}
COPY = ("transform_part", {"operations": [MOVE]})
AUDIT = ("audit_part", {})


@dataclass(frozen=True)
class Ready:
    """A program, and what its rehearsal showed."""

    program: Program
    shown: Json


def prepared(domain: CaeDomain, operations: list[dict[str, object]]) -> Ready:
    """Compile and rehearse as the gate does."""
    place = target(ME, str(NAME))
    seen = asyncio.run(domain.observe(place, {"module": "part"}))
    made = domain.operations(Given(tuple(operations)), seen, "")
    assert isinstance(made, Operations), made
    program = domain.compile(made, place, seen)
    assert isinstance(program, Program), program
    rehearsal = asyncio.run(domain.rehearse(program, ChangeId("rehearsal"), place))
    assert rehearsal.ok, rehearsal.refusal
    return Ready(program, rehearsal.evidence)


def execute(domain: CaeDomain, ready: Ready, change: str) -> float:
    place, digest = target(ME, str(NAME)), digest_bytes(ready.program.text.encode())
    submission = Submission(f"sub_{change}", ChangeId(change), 1, ME, place, digest, "", "", ready.shown)
    begun = time.perf_counter()
    asyncio.run(domain.execute(ready.program, submission, None))
    return time.perf_counter() - begun


def said(tool: str, arguments: dict[str, object]) -> dict[str, object]:
    return {"tool": tool, "arguments": arguments}


def measured(folder: Path, deck: Path, *changes: tuple[str, dict[str, object]]) -> tuple[float, dict[str, object]]:
    """Return the seconds of one change on a fresh part, and what the part is afterwards."""
    settings = Settings(data_dir=folder)
    domain, shelf = CaeDomain(settings, pictures=()), Shelf(root_of(settings))
    taken = asyncio.run(shelf.take_deck(ME, NAME, deck))
    execute(domain, prepared(domain, [taken.operation(replace=False)]), "import")
    spent = execute(domain, prepared(domain, [said(*change) for change in changes]), "change")
    seen = asyncio.run(domain.observe(target(ME, str(NAME)), {"module": "part"}))
    return spent, dict(seen.facts["observation"]["summary"])


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    met = True
    with tempfile.TemporaryDirectory() as root:
        deck = Path(root) / "girder.inp"
        subprocess.run([sys.executable, "-c", MAKE, str(Path(__file__).parent), str(deck)], check=True)
        begun = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        for name, changes in (("merge and audit", (MERGE, AUDIT)), ("copy, merge and audit", (COPY, MERGE, AUDIT))):
            best, after = min(
                (measured(Path(root) / f"{name}{turn}", deck, *changes) for turn in range(rounds)), key=lambda pair: pair[0]
            )
            good = best <= SECONDS
            met = met and good
            print(
                f"{name:<22} {best:6.2f} s, goal at most {SECONDS:.0f}{'' if good else ', MISSED'}   {after['element_count']:,} elements"
            )
    peak = max(resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(
        f"peak of a process: {peak:.0f} MiB (making the mesh: {begun:.0f}), goal at most {MIB:.0f}{'' if peak <= MIB else ', MISSED'}"
    )
    return 0 if met and peak <= MIB else 1


if __name__ == "__main__":
    sys.exit(main())
