"""Bodies that misbehave on purpose; the test's child sees this folder as a part of the package."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

from steadyhand.core.errors import PersonDecides
from steadyhand.jobs.bodies import body


@body
def echo(arguments, payload, report):
    return {"arguments": arguments, "size": len(payload), "text": payload[:100].decode("utf-8", "replace")}


@body
def count(arguments, payload, report):
    for step in range(arguments["steps"]):
        report(step + 1, arguments["steps"], "第几步")
    return arguments["steps"]


@body
def big(arguments, payload, report):
    return "课" * arguments["characters"]


@body
def babble(arguments, payload, report):
    sys.stdout.write('{"done": "a lie"}\n')
    sys.stdout.flush()
    sys.stdout.buffer.write(b"\xff\x00\n{]" * 50)
    sys.stdout.flush()
    os.write(2, b'{"failed": {}}\nlast words')
    return "truth"


@body
def flood(arguments, payload, report):
    while True:
        sys.stdout.write("x" * 10_000)


@body
def hoard(arguments, payload, report):
    kept = []
    while True:
        kept.append(bytearray(16 << 20))


@body
def wait_forever(arguments, payload, report):
    if arguments.get("deaf"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    report(os.getpid(), 0, "")
    threading.Event().wait()


@body
def with_grandchild(arguments, payload, report):
    grandchild = subprocess.Popen([sys.executable, "-c", "import threading; threading.Event().wait()"])
    report(grandchild.pid, 0, "")
    if arguments.get("leave"):
        return "left"
    threading.Event().wait()
    return None


@body
def raise_known(arguments, payload, report):
    raise PersonDecides("calendar_unreadable", why="没有", count=3)


@body
def raise_unknown(arguments, payload, report):
    raise RuntimeError("out of the blue")


@body
def leave(arguments, payload, report):
    os._exit(arguments["code"])


@body
def shoot_itself(arguments, payload, report):
    os.kill(os.getpid(), signal.SIGKILL)


@body
def not_json(arguments, payload, report):
    return float("nan")


@body
def surroundings(arguments, payload, report):
    return {"environment": sorted(os.environ), "folder": str(Path.cwd()), "leader": os.getpgid(0) == os.getpid()}


def unmarked(arguments, payload, report):
    return "never"


@body
def mark(arguments, payload, report):
    with Path(arguments["file"]).open("a", encoding="utf-8") as file:
        file.write("done\n")
    return {"for_user": "marked", "for_llm": "marked it", "lines": 1}
