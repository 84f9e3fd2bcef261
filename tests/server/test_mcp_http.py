"""Over HTTP only who has the token, asks by our own name and comes from no foreign page is answered; anything else changes nothing."""

import asyncio
import contextlib
import http.client
import json
import os
import stat
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.types import Message, Receive, Scope, Send

from command_line.ground import in_here
from server.ground import MODERN, OLDER, Served, code_of, http_client, in_child, over_http, text_of
from steadyhand.core.errors import SettingsInvalid, ToolRefusal
from steadyhand.server.mcp_http import MAX_BODY_BYTES, Guard, Place, names_of, place_of, token_of

HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}
ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
TOKEN = "a-token-that-is-long-enough-to-be-one"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    folder = tmp_path_factory.mktemp("http") / "data"
    folder.mkdir()
    with over_http(folder) as running:
        yield running


def post(served: Served, headers: dict[str, str], body: bytes | None = None, path: str = "/mcp") -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=30)
    try:
        sent = json.dumps(HELLO).encode() if body is None else body
        connection.request("POST", path, sent, {**ACCEPT, **headers})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def right(served: Served, **more: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {served.token}", **more}


def test_with_the_token_the_handshake_is_answered_by_each_own_name(served: Served) -> None:
    for name in ("127.0.0.1", "localhost", "LOCALHOST", "[::1]"):
        status, body = post(served, right(served, Host=f"{name}:{served.port}"))
        assert status == 200, name
        assert b"Steadyhand" in body


@pytest.mark.parametrize(
    "given_token", ["", "Bearer", "Bearer ", "Bearer wrong", "Basic {token}", "bearer {token}", "Bearer {token}x", "{token}"]
)
def test_without_the_very_token_nothing_is_answered(served: Served, given_token: str) -> None:
    sent = given_token.format(token=served.token)
    status, body = post(served, {"Authorization": sent} if sent else {})
    assert (status, json.loads(body)) == (401, {"error": "token_refused"})
    assert served.token.encode() not in body


def test_the_token_in_the_address_does_not_count(served: Served) -> None:
    assert post(served, {}, path=f"/mcp?token={served.token}&access_token={served.token}")[0] == 401


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "localhost:1", "127.0.0.1.evil.example:{port}", "", "evil.example:{port}"]
)
def test_a_request_to_a_foreign_name_is_refused_even_with_the_token(served: Served, host: str) -> None:
    status, body = post(served, right(served, Host=host.format(port=served.port)))
    assert status in (400, 421)
    assert b"Steadyhand" not in body


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1.evil.example:{port}", "http://127.0.0.1:1", "file://"]
)
def test_a_request_from_a_foreign_page_is_refused_even_with_the_token(served: Served, origin: str) -> None:
    status, body = post(served, right(served, Origin=origin.format(port=served.port)))
    assert (status, json.loads(body)) == (403, {"error": "origin_refused"})


def test_our_own_page_may_ask(served: Served) -> None:
    assert post(served, right(served, Origin=f"http://127.0.0.1:{served.port}"))[0] == 200


def test_a_body_that_is_too_large_is_refused_whether_its_size_is_told_or_not(served: Served) -> None:
    large = json.dumps({**HELLO, "padding": "x" * MAX_BODY_BYTES}).encode()
    assert post(served, right(served), large)[0] == 413
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=30)
    pieces = (large[start : start + 65_536] for start in range(0, len(large), 65_536))
    connection.request("POST", "/mcp", pieces, {**ACCEPT, **right(served)}, encode_chunked=True)
    assert connection.getresponse().status == 413
    connection.close()


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"[" * 20_000, b'"x"', b"\xff\xfe", b'{"jsonrpc":"2.0"}', b'{"jsonrpc":"2.0","id":1}']
)
@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28", "nonsense"])
def test_malformed_bodies_are_refused_and_the_server_goes_on(served: Served, body: bytes, version: str) -> None:
    status, answer = post(served, right(served, **{"MCP-Protocol-Version": version}), body)
    assert 400 <= status < 500 or status == 202
    assert b"Traceback" not in answer
    assert post(served, right(served))[0] == 200


def test_half_a_character_in_a_call_is_an_answer_and_no_crash(served: Served) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    }
    params = {"name": "list_tasks", "arguments": {"category": "\ud800", "\udfff": 1}, "_meta": meta}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "list_tasks"}
    status, answer = post(served, right(served, **headers), body)
    assert status == 200, answer
    assert json.loads(answer)["result"]["isError"] is True


@pytest.mark.parametrize("mode", [MODERN, OLDER])
def test_a_client_with_the_token_is_served_and_no_session_is_anothers(served: Served, mode: str) -> None:
    async def look() -> None:
        async with http_client(served, mode) as one, http_client(served, mode) as two:
            assert text_of(await one.call_tool("list_changes", {})) == "There are no changes."
            refused = await two.call_tool("place", {"task_id": 1, "day": 1, "slot_start": 1})
            assert code_of(refused) == "no_term"

    asyncio.run(look())


# ---- the token and the place -----------------------------------------------------------------------------------------


def test_the_token_is_made_once_for_the_owner_alone_and_never_printed(tmp_path: Path, data_dir: Path) -> None:
    file = tmp_path / "deep" / "token"
    first, made = token_of(file)
    assert made
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert token_of(file) == (first, False)
    assert list(file.parent.iterdir()) == [file]
    other = tmp_path / "other"
    assert token_of(other)[0] != first
    with over_http(data_dir, "--token-file", str(file)) as running:
        assert running.token == first
        running.process.terminate()
        assert running.process.wait(30) in (0, -15)
    assert not (data_dir / "mcp-token").exists()


@pytest.mark.parametrize(
    "text", ["", "short", "x" * 600, "with a space in the middle of it", "schlüssel-der-keiner-ist-weil-nicht-ascii"]
)
def test_what_is_no_token_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "token"
    file.write_text(text, encoding="utf-8")
    file.chmod(0o600)
    with pytest.raises(SettingsInvalid) as refused:
        token_of(file)
    assert refused.value.code == "mcp_token_unusable"
    assert not text or text not in str(refused.value)


def test_a_token_that_others_can_read_or_that_is_elsewhere_is_refused(tmp_path: Path) -> None:
    file, link = tmp_path / "token", tmp_path / "link"
    token_of(file)
    link.symlink_to(file)
    with pytest.raises(SettingsInvalid):
        token_of(link)
    os.chmod(file, 0o640)  # noqa: PTH101  # as a person does
    with pytest.raises(SettingsInvalid) as refused:
        token_of(file)
    assert refused.value.code == "mcp_token_open"


@pytest.mark.parametrize("place", ["0.0.0.0:8710", "[::]:8710", "192.0.2.7:8710", "example.org:8710"])
def test_a_place_that_other_machines_reach_is_refused_unless_it_is_asked_for(data_dir: Path, place: str) -> None:
    answer = in_here(data_dir, "--lang", "en", "mcp", "--http", place)
    assert answer.code == 2
    assert "--allow-remote" in answer.err
    assert not (data_dir / "mcp-token").exists()


def test_everywhere_needs_a_name_and_options_of_http_need_http(data_dir: Path) -> None:
    answer = in_here(data_dir, "--lang", "en", "mcp", "--http", "0.0.0.0:0", "--allow-remote")
    assert (answer.code, "--allow-host" in answer.err) == (2, True)
    assert in_here(data_dir, "mcp", "--allow-remote").code == 2


def test_a_place_that_is_taken_is_told(served: Served, data_dir: Path) -> None:
    done = in_child(data_dir, "--lang", "en", "mcp", "--http", f"127.0.0.1:{served.port}")
    assert done.returncode == 2
    assert "Cannot listen" in done.stderr


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("127.0.0.1:80", Place("127.0.0.1", 80)),
        (":0", Place("127.0.0.1", 0)),
        ("[::1]:65535", Place("::1", 65_535)),
        ("localhost:1", Place("localhost", 1)),
    ],
)
def test_places_are_read(text: str, place: Place) -> None:
    assert place_of(text) == place
    assert place.is_here


@settings(max_examples=200)
@given(st.text(max_size=20) | st.from_regex(r"[\[\]0-9a-f.:]{0,20}", fullmatch=True))
def test_whatever_is_typed_as_a_place_is_one_or_is_refused(text: str) -> None:
    place = Place("refused", 0)
    with contextlib.suppress(ToolRefusal):
        place = place_of(text)
    assert 0 <= place.port <= 65_535
    assert place.host
    assert not set(place.host) & set(" /@?#")


def test_the_names_of_a_place_are_its_own_and_those_that_were_given() -> None:
    assert names_of(Place("127.0.0.1", 0), 8710, ()) == {"127.0.0.1:8710", "localhost:8710", "[::1]:8710"}
    assert names_of(Place("0.0.0.0", 1), 1, ("Plan.Example",)) == {"plan.example:1", "plan.example"}  # noqa: S104  # not bound
    assert names_of(Place("192.0.2.7", 9), 9, ()) == {"192.0.2.7:9"}


HEADER = st.tuples(
    st.sampled_from([b"host", b"origin", b"authorization"]),
    st.sampled_from(
        [b"127.0.0.1:1", b"evil:1", b"http://127.0.0.1:1", b"http://evil", f"Bearer {TOKEN}".encode(), b"Bearer x", b"\xe4", b""]
    ),
)


@settings(max_examples=300)
@given(st.lists(HEADER, max_size=5))
def test_the_guard_lets_nothing_through_but_one_own_name_no_foreign_page_and_the_token(
    headers: list[tuple[bytes, bytes]],
) -> None:
    passed: list[Scope] = []
    sent: list[Any] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        passed.append(scope)

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    async def send(message: Message) -> None:
        sent.append(message)

    guard = Guard(app, TOKEN, frozenset({"127.0.0.1:1"}))
    scope: Scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": headers}
    asyncio.run(guard(scope, receive, send))
    values = {name: [value for key, value in headers if key == name] for name in (b"host", b"origin", b"authorization")}
    may = (
        values[b"host"] == [b"127.0.0.1:1"]
        and set(values[b"origin"]) <= {b"http://127.0.0.1:1"}
        and values[b"authorization"] == [f"Bearer {TOKEN}".encode()]
    )
    assert bool(passed) == may
    assert may or sent[0]["status"] in (401, 403, 421)
