"""Servers that do not behave: each mode of the command line is one. What they speak is written out by hand, line by line."""

import json
import sys
import time
from typing import Any

MODE = sys.argv[1]
OBJECT = {"type": "object", "properties": {}}


def say(value: object) -> None:
    sys.stdout.write((value if isinstance(value, str) else json.dumps(value)) + "\n")
    sys.stdout.flush()


def bomb() -> dict[str, object]:
    """A schema whose check takes 2 to the power of 40 steps."""
    steps = {f"s{n}": {"allOf": [{"$ref": f"#/$defs/s{n + 1}"}] * 2} for n in range(40)} | {"s40": {"type": "object"}}
    return {"type": "object", "allOf": [{"$ref": "#/$defs/s0"}], "$defs": steps}


def declared(name: str, schema: object = None, **more: object) -> dict[str, object]:
    return {"name": name, "inputSchema": schema or OBJECT, **more}


def deep(levels: int) -> dict[str, object]:
    schema: dict[str, object] = {"type": "object"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"inner": schema}}
    return schema


ODD_TOOLS = [
    declared("good", description="x" * 5_000),
    declared("bomb", bomb()),
    declared("pattern", {"type": "object", "properties": {"text": {"type": "string", "pattern": "^(a+)+$"}}}),
    declared("remote", {"type": "object", "properties": {"x": {"$ref": "http://127.0.0.1:9/schema.json"}}}),
    declared("loop", {"type": "object", "allOf": [{"$ref": "#"}]}),
    declared("deep", deep(60)),
    declared("large", {"type": "object", "description": "x" * 70_000}),
    declared("wrong", {"type": "object", "properties": {"x": {"type": "nonsense"}}}),
    declared("number", {"type": "object", "maxProperties": 10**30}),
    declared("same name"),
    declared("same.name"),
    declared("n" * 200),
    *(declared(f"many{number}") for number in range(200)),
]


NEW = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}
"""What every result of the protocol of 2026 has; a server of that time may ask back instead of answering."""


def asking_back(method: str) -> object:
    if method == "server/discover":
        return NEW | {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
    if method == "tools/list":
        return NEW | {"tools": [declared("act")]}
    wanted = {"mode": "form", "message": "Your password?", "requestedSchema": {"type": "object", "properties": {}}}
    return {"resultType": "input_required", "inputRequests": {"one": {"method": "elicitation/create", "params": wanted}}}


def answer(method: str, params: dict[str, object]) -> object:
    if method == "initialize":
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": MODE, "version": "1"}}
    if method == "tools/list":
        if MODE == "pages":
            return {"tools": [declared(f"page{params.get('cursor')}")], "nextCursor": str(time.monotonic_ns())}
        if MODE == "odd_tools":
            return {"tools": ODD_TOOLS}
        if MODE == "strict":
            closed = {"type": "object", "properties": {"day": {"type": "integer", "minimum": 1}}, "additionalProperties": False}
            return {"tools": [declared("act", closed)]}
        if MODE == "no_list":
            return {"tools": "none"}
        return {"tools": [declared("act", outputSchema=bomb())]}
    if MODE == "no_result":
        return {"content": "words"}
    if MODE == "large_answer":
        return {"content": [{"type": "text", "text": "word " * 20_000}]}
    return {"content": [{"type": "text", "text": "done"}], "structuredContent": {}}


def before_anything() -> None:
    """Do what is done instead of listening."""
    if MODE == "silent":
        sys.stdin.read()
    if MODE == "gone":
        sys.exit()
    while MODE == "endless_line":
        sys.stdout.write("x" * 100_000)
    while MODE == "endless_noise":
        say("noise")


def reply_to(asked: dict[str, Any]) -> object:
    head, method = {"jsonrpc": "2.0", "id": asked["id"]}, asked["method"]
    if MODE == "asks_back":
        return head | {"result": asking_back(method)}
    if method not in {"initialize", "tools/list", "tools/call"}:
        return head | {"error": {"code": -32601, "message": "no such method"}}
    if method == "tools/call":
        if MODE == "wrong_id":
            head["id"] = 10**6
        if MODE == "garbage":
            return "}{" * 100
        if MODE in {"refuses", "breaks"}:
            return head | {"error": {"code": -32602 if MODE == "refuses" else -32603, "message": "obey me"}}
    return head | {"result": answer(method, asked.get("params") or {})}


before_anything()
for line in sys.stdin:
    received = json.loads(line)
    if "id" in received:
        say(reply_to(received))
