"""Measures what a beat of the heartbeat takes of its own when it starts work of ten minutes; guide: at most 0.1 s (median).

The model is a script, so that only our own part is measured: reading the list, the turn, and storing the job that it starts.
"""

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

from steadyhand.core import logs
from steadyhand.core.clock import FakeClock
from steadyhand.core.config import load_settings
from steadyhand.core.ids import LOCAL_SESSION
from steadyhand.core.wire import Completion, ToolCall
from steadyhand.llm.scripted import Scripted
from steadyhand.store.later import jobs
from steadyhand.wakeups.heartbeat_file import MARKER
from steadyhand.wiring.app import App, open_app
from steadyhand.wiring.later import heartbeat

BEATS = 4
"""So many, as each leaves a sub-agent open, of which a person may have five."""
ROUNDS = 10
GUIDE = 0.1


async def beats(app: App, clock: FakeClock) -> list[float]:
    """Let the heart beat, with work started at each beat; return what each took."""
    started = json.dumps({"task": "read all of the mail and sum it up", "label": "mail"})
    script = [
        line
        for number in range(BEATS)
        for line in (Completion(tool_calls=(ToolCall(f"call_{number}", "spawn", started),)), Completion("HEARTBEAT_OK"))
    ]
    talk = app.conversations(lambda _user, _session: None, Scripted(script))
    heart = heartbeat(app.settings, app.toolbox, talk, app.user.id)
    await heart.tick(1)
    app.toolbox.workspace.ready()
    (app.toolbox.workspace.root / "HEARTBEAT.md").write_text(f"{MARKER}\n- read the mail\n", encoding="utf-8")
    clock.advance(timedelta(minutes=1))
    taken: list[float] = []
    for _ in range(BEATS):
        begun = time.perf_counter()
        assert await heart.tick(1) == 1, "the beat is on time"
        await talk.run(app.user.id, LOCAL_SESSION)
        taken.append(time.perf_counter() - begun)
        clock.advance(timedelta(minutes=30))
    open_jobs = app.store.read_now(lambda tx: jobs.of_user(tx, app.user.id, states=("queued",)))
    assert len(open_jobs) == BEATS, "each beat has started its work, and none has waited for it"
    return taken


def main() -> int:
    """Print the figures; return 1 when the guide is missed."""
    logs.configure("warning")
    taken: list[float] = []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["STEADYHAND_DATA_DIR"] = str(Path(folder) / "data")
            clock = FakeClock()
            app = open_app(load_settings(), "en", clock)
            taken += asyncio.run(beats(app, clock))[1:]  # the first one imports what a turn needs
            app.store.close()
    print(
        f"a beat that starts work of ten minutes: median {statistics.median(taken) * 1000:.1f} ms, "
        f"slowest of {len(taken)}: {max(taken) * 1000:.1f} ms (guide {GUIDE * 1000:.0f} ms)"
    )
    return 1 if statistics.median(taken) > GUIDE else 0


if __name__ == "__main__":
    sys.exit(main())
