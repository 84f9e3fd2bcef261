"""CPU and wall time of one turn with one tool call, streaming, against a loopback server without delay, beside two peers in the same run.

    python bench/turn.py --peers PYTHON [--turns N]

PYTHON is that of an environment with the extra ``bench`` (pydantic-ai, LangGraph). Aims: CPU per turn at most half of either peer's
with its messages in memory; with everything on disk, wall time at most 0.85 of that of LangGraph with its SQLite saver.

Durability is equal on disk: both write to SQLite with ``journal_mode=WAL`` and ``synchronous=FULL`` (the saver sets the first and leaves
the second at SQLite's default, which is FULL), so that each commit is synced to the disk. Ours commits before the next step begins;
LangGraph does so only with ``durability="sync"`` (its default writes while the next step runs), so that is what it is run with. Its saver
commits each checkpoint and each task's writes by itself. Ours also commits what the saver has no word for: the message before it is
acknowledged, the answer before it is shown, that it was shown.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent / "turn_peers"


def run(python: str, script: str, port: str, turns: int, *more: str) -> dict[str, float]:
    done = subprocess.run(
        [python, str(HERE / script), port, str(turns), *more], capture_output=True, text=True, cwd=HERE, check=False
    )
    if done.returncode:
        sys.exit(f"{script}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--peers", required=True)
    arguments.add_argument("--turns", type=int, default=200)
    given = arguments.parse_args()
    server = subprocess.Popen([sys.executable, str(HERE / "server.py")], stdout=subprocess.PIPE, text=True)
    try:
        port = server.stdout.readline().strip() if server.stdout else ""
        found = {
            "ours, in memory": run(sys.executable, "own_turn.py", port, given.turns, "memory"),
            "pydantic-ai, in memory": run(given.peers, "pydantic_ai_turn.py", port, given.turns),
            "LangGraph, in memory": run(given.peers, "langgraph_turn.py", port, given.turns, "memory"),
            "ours, SQLite (durable)": run(sys.executable, "own_turn.py", port, given.turns, "sqlite"),
            "LangGraph, SQLite saver": run(given.peers, "langgraph_turn.py", port, given.turns, "sqlite"),
        }
    finally:
        server.terminate()
        server.wait()
    for name, spent in found.items():
        print(f"{name:26} CPU {spent['cpu'] * 1000:7.2f} ms   wall {spent['wall'] * 1000:7.2f} ms")
    own, durable = found["ours, in memory"], found["ours, SQLite (durable)"]
    for peer in ("pydantic-ai, in memory", "LangGraph, in memory"):
        print(f"CPU, ours : {peer} = {own['cpu'] / found[peer]['cpu']:.2f} (aim 0.50)")
    print(f"wall on disk, ours : LangGraph = {durable['wall'] / found['LangGraph, SQLite saver']['wall']:.2f} (aim 0.85)")
    print(
        f"durability costs {(durable['cpu'] - own['cpu']) * 1000:.2f} ms CPU, {(durable['wall'] - own['wall']) * 1000:.2f} ms wall a turn"
    )


if __name__ == "__main__":
    main()
