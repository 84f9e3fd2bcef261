"""Runs the fuzz target of the stream assembler for a while; it must not change anything but the corpus, and that only when told to.

Run: python scripts/fuzz_streams.py --seconds 60            an input that breaks a promise is written to the corpus, and told
     python scripts/fuzz_streams.py --seconds 60 --keep     so is one that reaches an outcome which no input of the corpus reaches
"""

import argparse
import hashlib
import sys
import traceback
from pathlib import Path
from random import Random  # noqa: TID251  # a run must be repeatable by its seed

HERE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE / "tests"))

from fuzz.mutating import CORPUS, mutated, seeds  # noqa: E402  # the tests lie outside the package
from fuzz.target import check  # noqa: E402  # as above
from steadyhand.core.clock import SystemClock  # noqa: E402  # as above


def main() -> int:
    """Fuzz until the time is over or a promise is broken."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", action="store_true")
    asked = parser.parse_args()
    draw, clock = Random(asked.seed), SystemClock()  # noqa: S311  # nothing secret is drawn
    pool = list(seeds())
    reached = {check(data) for data in pool if data}
    kept = {check(file.read_bytes()) for file in CORPUS.glob("*.bin")}
    until, runs = clock.monotonic() + asked.seconds, 0
    while clock.monotonic() < until:
        data = mutated(draw.choice(pool), tuple(pool), draw)
        runs += 1
        try:
            outcome = check(data)
        except Exception:  # noqa: BLE001  # whatever it is, the input is what matters
            traceback.print_exc()
            print(f"broken by {write(data)} after {runs} inputs")
            return 1
        if outcome not in reached:
            reached.add(outcome)
            pool.append(data)
        if asked.keep and outcome not in kept:
            kept.add(outcome)
            write(data)
    print(f"{runs} inputs, {len(reached)} outcomes, no promise broken")
    return 0


def write(data: bytes) -> str:
    """Write an input to the corpus; return where."""
    file = CORPUS / f"{hashlib.sha256(data).hexdigest()[:12]}.bin"
    file.write_bytes(data)
    return str(file.relative_to(HERE))


if __name__ == "__main__":
    sys.exit(main())
