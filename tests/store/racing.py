"""Starts several processes that do the same work on one database at the same moment, and waits for their end."""

import subprocess
import sys
import time
from pathlib import Path

WRITER = Path(__file__).with_name("writer.py")


def race(url: str, folder: Path, story: str, *arguments: object, processes: int = 3) -> None:
    """Run *story* in several processes that start together; every one must succeed."""
    folder.mkdir()
    command = [sys.executable, str(WRITER), url, str(folder), story, *map(str, arguments)]
    children = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(processes)]
    limit = time.monotonic() + 60
    while len(list(folder.glob("ready-*"))) < processes and time.monotonic() < limit:
        if any(child.poll() is not None for child in children):
            break
        time.sleep(0.002)
    (folder / "go").touch()
    said = [child.communicate(timeout=120)[1] for child in children]
    assert [child.returncode for child in children] == [0] * processes, said
