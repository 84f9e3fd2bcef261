"""Assembling one call's arguments of 1, 10 and 100 MB from fragments: CPU time, the ratio of 100 to 10 MB, and where the product stops.

Run: python bench/assemble.py [bytes of a fragment, default 512]
"""

import json
import sys
import time
from collections.abc import Iterator

from steadyhand.core.arguments import MAX_ARGUMENT_BYTES
from steadyhand.core.wire import ToolSpec
from steadyhand.llm.assemble import Assembler
from steadyhand.llm.provider import ProviderError

NOTE = ToolSpec("note", "", {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]})
MOST = 12.0
NETWORK = 16_384
UNLIMITED = 10**10


def stream(size: int, fragment: int) -> Iterator[bytes]:
    """Yield the bytes of a stream whose one call has *size* bytes of arguments, as a network would hand them over."""
    arguments = '{"text":"' + "排练 rehearsal " * (size // 16) + '"}'
    waiting = event({"index": 0, "id": "call_1", "function": {"name": "note", "arguments": ""}})
    for start in range(0, len(arguments), fragment):
        waiting += event({"index": 0, "function": {"arguments": arguments[start : start + fragment]}})
        while len(waiting) >= NETWORK:
            yield waiting[:NETWORK]
            waiting = waiting[NETWORK:]
    yield waiting + b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n'


def event(call: dict[str, object]) -> bytes:
    chunk = {"id": "chatcmpl-1", "choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": None}]}
    return b"data: " + json.dumps(chunk, ensure_ascii=False).encode() + b"\n\n"


def seconds(size: int, fragment: int) -> float:
    """Return the CPU time of assembling, without the time of making the stream."""
    assembler = Assembler((NOTE,), argument_bytes=UNLIMITED, answer_bytes=UNLIMITED)
    taken = 0.0
    for chunk in stream(size, fragment):
        begun = time.process_time()
        assembler.feed(chunk)
        taken += time.process_time() - begun
    begun = time.process_time()
    completion = assembler.end()
    taken += time.process_time() - begun
    assert len(completion.tool_calls[0].arguments.encode()) > size * 0.9
    return taken


def stops(fragment: int) -> str:
    """Return where the product's own limit stops a call of 10 MB, and how it says so."""
    assembler, fed = Assembler((NOTE,)), 0
    try:
        for chunk in stream(10_000_000, fragment):
            fed += len(chunk)
            assembler.feed(chunk)
    except ProviderError as error:
        return f"{error.kind}: {error.reason} after {fed / 1e6:.2f} MB of the stream"
    raise AssertionError("the limit did not stop it")


def main() -> None:
    fragment = int(sys.argv[1]) if len(sys.argv) > 1 else 512
    taken = {size: min(seconds(size * 1_000_000, fragment) for _ in range(3)) for size in (1, 10, 100)}
    for size, time_taken in taken.items():
        print(f"{size:4} MB in fragments of {fragment}: {time_taken * 1000:8.0f} ms CPU, {size / time_taken:6.1f} MB/s")
    ratio = taken[100] / taken[10]
    print(f"100 MB : 10 MB = {ratio:.1f} (at most {MOST:g}: {'kept' if ratio <= MOST else 'BROKEN'})")
    print(f"limit of {MAX_ARGUMENT_BYTES / 1e6:g} MB: {stops(fragment)}")


if __name__ == "__main__":
    main()
