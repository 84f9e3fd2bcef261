"""How inputs for the fuzz target are made: from the cases and the corpus, by damage of the kinds that networks and servers do."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

from llm.streams import CASES, is_stream

CORPUS = Path(__file__).parent / "corpus"
WORDS = [
    b"data: ",
    b"[DONE]",
    b"\n\n",
    b"\r\n",
    b"\r",
    b"event: error\n",
    b": ",
    b'"index":0,',
    b'"index":1,',
    b'"index":null,',
    b'"id":"call_1",',
    b'"id":"",',
    b'"name":"place"',
    b'"arguments":"',
    b'"finish_reason":"length"',
    b'"error":{"message":"x"}',
    b'"tool_calls":[',
    b'"function_call":{',
    b"\xef\xbb\xbf",
    b"\xff",
    b"\x00",
    b"\\ud83d",
    b"\\ude00",
    b"1e999",
    b"NaN",
    b"{}",
    b"[]",
    b"null",
    b"true",
    b'\\"',
]


@cache
def seeds() -> tuple[bytes, ...]:
    """Every body of a case, and every input of the corpus."""
    kept = [file.read_bytes() for file in sorted(CORPUS.glob("*.bin"))]
    return tuple(
        [b"".join(case.recorded.chunks) for case in CASES if is_stream(case) and len(b"".join(case.recorded.chunks)) < 8000]
        + kept
    )


def mutated(data: bytes, others: tuple[bytes, ...], draw: Random) -> bytes:
    """Return *data* after one to four damages."""
    for _ in range(draw.randint(1, 4)):
        data = draw.choice(DAMAGES)(data, others, draw)
    return data[:16_000]


def _cut(data: bytes, _: tuple[bytes, ...], draw: Random) -> bytes:
    return data[: draw.randint(0, len(data))]


def _without(data: bytes, _: tuple[bytes, ...], draw: Random) -> bytes:
    start = draw.randint(0, len(data))
    return data[:start] + data[start + draw.randint(1, 40) :]


def _flip(data: bytes, _: tuple[bytes, ...], draw: Random) -> bytes:
    if not data:
        return data
    place = draw.randrange(len(data))
    return data[:place] + bytes([data[place] ^ (1 << draw.randrange(8))]) + data[place + 1 :]


def _word(data: bytes, _: tuple[bytes, ...], draw: Random) -> bytes:
    place = draw.randint(0, len(data))
    return data[:place] + draw.choice(WORDS) + data[place + draw.choice((0, 0, 1, 5)) :]


def _doubled(data: bytes, _: tuple[bytes, ...], draw: Random) -> bytes:
    parts = data.split(b"\n\n")
    place = draw.randrange(len(parts))
    return b"\n\n".join([*parts[:place], parts[place], *parts[place:]])


def _moved(data: bytes, _: tuple[bytes, ...], draw: Random) -> bytes:
    parts = data.split(b"\n\n")
    parts.insert(draw.randint(0, len(parts)), parts.pop(draw.randrange(len(parts))))
    return b"\n\n".join(parts)


def _spliced(data: bytes, others: tuple[bytes, ...], draw: Random) -> bytes:
    mine, theirs = data.split(b"\n\n"), draw.choice(others).split(b"\n\n")
    return b"\n\n".join(mine[: draw.randint(0, len(mine))] + theirs[draw.randint(0, len(theirs)) :])


DAMAGES: list[Callable[[bytes, tuple[bytes, ...], Random], bytes]] = [
    _cut,
    _without,
    _flip,
    _flip,
    _word,
    _word,
    _doubled,
    _moved,
    _spliced,
]
