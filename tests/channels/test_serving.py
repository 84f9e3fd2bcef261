"""Where the channels listen, by which names, and with which secrets: this machine unless told otherwise, and no secret that others can read."""

import asyncio
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from channels.ground import SECONDS
from steadyhand.channels.serving import listen, names_of, serve
from steadyhand.channels.tokens import onebot_token, web_token
from steadyhand.core.config import Settings
from steadyhand.core.errors import OperatorRepairs, SettingsInvalid
from steadyhand.core.explain import explain
from steadyhand.core.language import LANGUAGES

TOKEN = "a-token-that-is-long-enough"


def test_the_web_token_is_made_once_for_its_owner_alone(data_dir):
    settings = Settings(data_dir=data_dir)
    with ThreadPoolExecutor(8) as pool:
        tokens = set(pool.map(lambda _: web_token(settings), range(24)))
    assert len(tokens) == 1
    assert stat.S_IMODE((data_dir / "web-token").stat().st_mode) == 0o600
    assert [path.name for path in data_dir.iterdir()] == ["web-token"]


@pytest.mark.parametrize(
    ("content", "mode", "code"),
    [(TOKEN, 0o644, "private_file_open"), ("tiny7", 0o600, "channel_token_short"), ("", 0o600, "channel_token_missing")],
)
def test_a_secret_that_is_open_or_weak_is_refused(data_dir, content, mode, code):
    file = data_dir / "onebot-token"
    file.write_text(content, encoding="utf-8")
    file.chmod(mode)
    with pytest.raises(SettingsInvalid) as refused:
        onebot_token(Settings(data_dir=data_dir, onebot_token_file=file))
    assert refused.value.code == code
    for language in LANGUAGES:
        told = explain(refused.value, language).text()
        assert "unexpected" not in told
        assert content not in told or not content


def test_the_token_of_onebot_comes_from_the_environment_first_and_may_be_absent(data_dir, monkeypatch):
    file = data_dir / "onebot-token"
    file.write_text(TOKEN + "\n", encoding="utf-8")
    file.chmod(0o600)
    assert onebot_token(Settings(data_dir=data_dir)) is None
    assert onebot_token(Settings(data_dir=data_dir, onebot_token_file=file)) == TOKEN
    monkeypatch.setenv("MY_TOKEN", "another-token-in-the-environment")
    both = Settings(data_dir=data_dir, onebot_token_file=file, onebot_token_env="MY_TOKEN")
    assert onebot_token(both) == "another-token-in-the-environment"
    monkeypatch.delenv("MY_TOKEN")
    with pytest.raises(SettingsInvalid):
        onebot_token(both)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_secret_of_somebody_else_is_refused(data_dir):
    file = data_dir / "onebot-token"
    file.write_text(TOKEN, encoding="utf-8")
    file.chmod(0o600)
    os.chown(file, 65534, -1)
    with pytest.raises(SettingsInvalid):
        onebot_token(Settings(data_dir=data_dir, onebot_token_file=file))


def test_requests_may_ask_for_our_own_names_alone():
    assert names_of("127.0.0.1", 8000, ()) == {"127.0.0.1:8000", "localhost:8000", "[::1]:8000"}
    assert names_of("::1", 80, ()) >= {"localhost", "[::1]"}
    assert names_of("192.168.1.5", 9000, ("Desk.example",)) == {"192.168.1.5:9000", "desk.example:9000", "desk.example"}
    with pytest.raises(OperatorRepairs) as refused:
        names_of("0.0.0.0", 8000, ())  # noqa: S104  # compared, not bound
    assert refused.value.code == "channel_names_missing"
    everywhere = names_of("0.0.0.0", 8000, ("desk.example",))  # noqa: S104  # as above
    assert everywhere == {"desk.example:8000", "desk.example"}


def test_a_place_that_is_taken_or_not_ours_is_said():
    with listen("127.0.0.1", 0) as taken:
        with pytest.raises(OperatorRepairs) as refused:
            listen("127.0.0.1", taken.getsockname()[1])
        assert refused.value.code == "channel_cannot_listen"
        assert str(taken.getsockname()[1]) in explain(refused.value, "en").text()


def test_the_server_ends_when_it_is_told_to_and_leaves_signals_alone():
    import signal

    async def application(scope, receive, send):
        assert scope["type"] == "lifespan"
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})

    async def scene():
        before = signal.getsignal(signal.SIGTERM)
        with listen("127.0.0.1", 0) as bound:
            stop = asyncio.Event()
            running = asyncio.create_task(serve(application, bound, stop))
            _, writer = await asyncio.open_connection(*bound.getsockname())
            during = signal.getsignal(signal.SIGTERM)
            writer.close()
            await writer.wait_closed()
            stop.set()
            await asyncio.wait_for(running, SECONDS)
        return before, during

    before, during = asyncio.run(scene())
    assert before == during


def test_commands_that_serve_nothing_import_no_server():
    program = (
        "import sys; from steadyhand.cli.main import run; run(['channel', '--help']); "
        "sys.exit(bool({'fastapi', 'starlette', 'uvicorn', 'websockets'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=False).returncode == 0
