"""A loopback server that streams one tool call, then, once it has the result, a last answer: chat completions without any delay."""

import asyncio
import json
import sys

CALL = [
    {"role": "assistant", "content": None},
    {"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": {"name": "look", "arguments": ""}}]},
    {"tool_calls": [{"index": 0, "function": {"arguments": '{"day":'}}]},
    {"tool_calls": [{"index": 0, "function": {"arguments": " 3}"}}]},
]
ANSWER = [{"role": "assistant", "content": ""}, *({"content": f"word{n} "} for n in range(20))]


def chunk(delta: dict, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    body = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "bench", "choices": [choice]}
    return f"data: {json.dumps(body)}\n\n".encode()


def answer_to(request: dict) -> bytes:
    last = request["messages"][-1]
    deltas, finish = (ANSWER, "stop") if last["role"] == "tool" else (CALL, "tool_calls")
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    end = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "bench", "choices": [], "usage": usage}
    parts = [*(chunk(delta) for delta in deltas), chunk({}, finish), f"data: {json.dumps(end)}\n\n".encode(), b"data: [DONE]\n\n"]
    return b"".join(parts)


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            fields = dict(line.split(b":", 1) for line in head.split(b"\r\n")[1:] if b":" in line)
            length = int({name.lower(): value for name, value in fields.items()}[b"content-length"])
            body = answer_to(json.loads(await reader.readexactly(length)))
            head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
            events = body.split(b"\n\n")[:-1]
            chunks = b"".join(b"%x\r\n%s\n\n\r\n" % (len(event) + 2, event) for event in events)
            writer.write(head + chunks + b"0\r\n\r\n")
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def main() -> None:
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
