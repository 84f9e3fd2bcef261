"""A host in a process of its own, over a test's data folder."""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

SECONDS = 60.0


def start(data_dir: Path, *words: str, **environment: str) -> "subprocess.Popen[str]":
    """Start a command of the program and return at once."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("STEADYHAND_")}
    clean |= {"STEADYHAND_DATA_DIR": str(data_dir), "STEADYHAND_LANGUAGE": "en", **environment}
    command = [sys.executable, "-P", "-m", "steadyhand", *words]
    return subprocess.Popen(
        command, env=clean, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def hosted_by(data_dir: Path, child: "subprocess.Popen[str]") -> None:
    """Wait until *child* is the host."""
    end = time.monotonic() + SECONDS
    while True:
        with contextlib.suppress(OSError, ValueError):
            if json.loads((data_dir / "host.json").read_text(encoding="utf-8"))["pid"] == child.pid:
                return
        assert child.poll() is None, child.communicate()
        assert time.monotonic() < end, "it does not become the host"
        time.sleep(0.02)


@contextlib.contextmanager
def serving(data_dir: Path, *words: str, **environment: str) -> Iterator["subprocess.Popen[str]"]:
    """Let a host run while the block lasts; then it is ended, unless the block has done so."""
    child = start(data_dir, *(words or ("serve",)), **environment)
    try:
        hosted_by(data_dir, child)
        yield child
    finally:
        if child.poll() is None:
            child.terminate()
        child.communicate(timeout=SECONDS)


def killed(child: "subprocess.Popen[str]") -> None:
    """End a process as a power cut would."""
    child.kill()
    child.wait(timeout=SECONDS)
