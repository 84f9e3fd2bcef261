"""The file that says where a person spoke last is whole at every moment and never older than it was, whoever writes it and however they end."""

import json
import os
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from steadyhand.core.clock import to_text
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import LOCAL_SESSION, SessionId
from steadyhand.store.people import people
from steadyhand.tools.builtin.workspace import Workspace
from steadyhand.wakeups.state_file import LastChannel, StateFile, session_of
from trial_domains.stand import ME

WRITER = """
import sys
from pathlib import Path
from steadyhand.core.clock import SystemClock
from steadyhand.tools.builtin.workspace import Workspace
from steadyhand.wakeups.state_file import StateFile

file = StateFile(Workspace(Path(sys.argv[1])), SystemClock())
print("ready", flush=True)
number = 0
while number < int(sys.argv[3]):
    number += 1
    print(file.record_last_channel(sys.argv[2], f"{sys.argv[2]}-{number}").updated_at, flush=True)
"""


@pytest.fixture
def workspace(tmp_path):
    return Workspace(tmp_path / "workspace")


@pytest.fixture
def file(workspace, clock):
    return StateFile(workspace, clock)


def kept(workspace: Workspace) -> dict[str, str]:
    return json.loads((workspace.root / "state" / "state.json").read_text(encoding="utf-8"))


def test_the_file_says_where_and_when_a_person_spoke_last(file, workspace, clock):
    assert file.last() is None
    file.record_last_channel("onebot", "onebot-1-2")
    clock.advance(timedelta(minutes=3))
    said = file.record_last_channel("web", "desk")
    assert kept(workspace) == {"last_channel": "web", "last_chat_id": "desk", "updated_at": to_text(clock.now())}
    assert file.last() == said == LastChannel("web", "desk", to_text(clock.now()))


def test_a_clock_that_was_set_back_makes_nothing_older(file, clock):
    before = file.record_last_channel("web", "desk").updated_at
    clock.advance(timedelta(hours=-2))
    assert file.record_last_channel("web", "other") == LastChannel("web", "other", before)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"last_channel": 3}', '{"last_channel": "web"}', "\x00\xff" * 40])
def test_a_file_that_is_none_of_ours_counts_as_none_and_is_written_anew(file, workspace, content):
    file.record_last_channel("web", "desk")
    (workspace.root / "state" / "state.json").write_text(content, encoding="latin-1")
    assert file.last() is None
    file.record_last_channel("web", "desk")
    assert kept(workspace)["last_channel"] == "web"


def test_a_rename_that_fails_leaves_the_old_file_and_no_other(file, workspace, monkeypatch):
    before = file.record_last_channel("web", "desk")

    def refused(*_names: object, **_folders: object) -> None:
        raise PermissionError(13, "refused")

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", refused)
        with pytest.raises(ToolRefusal):
            file.record_last_channel("web", "other")
    assert file.last() == before
    assert [path.name for path in (workspace.root / "state").iterdir()] == ["state.json"]


def test_the_moment_is_read_while_nobody_else_writes(file, workspace, clock):
    """Of two who write at once the later moment stands, since each reads it after it has the lock."""
    moments: list[str] = []
    held = threading.Lock()

    def work() -> None:
        for number in range(10):
            with held:
                clock.advance(timedelta(seconds=1))
            moments.append(file.record_last_channel("web", str(number)).updated_at)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert kept(workspace)["updated_at"] == max(moments)


def test_a_link_in_the_place_of_the_folder_leads_nowhere(file, workspace, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    workspace.ready()
    (workspace.root / "state").symlink_to(elsewhere)
    with pytest.raises(ToolRefusal):
        file.record_last_channel("web", "desk")
    assert list(elsewhere.iterdir()) == []


def start(workspace: Workspace, name: str, count: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, os.fspath(workspace.root), name, str(count)], stdout=subprocess.PIPE, text=True
    )


def line_of(writer: subprocess.Popen[str]) -> str:
    assert writer.stdout is not None
    return writer.stdout.readline().strip()


@pytest.mark.crash
def test_many_processes_of_which_some_are_killed_leave_a_whole_file_that_never_goes_back(workspace, clock):
    writers = [start(workspace, f"w{number}", 100_000 if number % 2 else 60) for number in range(4)]
    assert [line_of(writer) for writer in writers] == ["ready"] * 4
    seen: list[str] = []
    reader = StateFile(workspace, clock)
    for writer in writers[1::2]:
        for _ in range(15):
            written = line_of(writer)
            found = reader.last()
            assert found is not None
            assert found.updated_at >= written
            seen.append(found.updated_at)
        writer.kill()
        writer.wait(timeout=60)
    assert [writer.wait(timeout=120) for writer in writers[0::2]] == [0, 0]
    for writer in writers:
        assert writer.stdout is not None
        writer.stdout.close()
    assert seen == sorted(seen)
    assert reader.last() is not None
    assert kept(workspace)["updated_at"] >= seen[-1]


# ---- whose it is -------------------------------------------------------------------------------------------------------


def test_what_belongs_to_no_session_goes_where_the_person_spoke_last(room):
    store = room().store
    store.write_now(lambda tx: people.ensure_session(tx, ME, SessionId("web-1"), "web"))
    there, gone = LastChannel("web", "web-1", ""), LastChannel("web", "deleted", "")
    assert store.write_now(lambda tx: session_of(tx, ME, there)) == "web-1"
    assert store.write_now(lambda tx: session_of(tx, ME, gone)) == LOCAL_SESSION
    assert store.write_now(lambda tx: session_of(tx, ME, None)) == LOCAL_SESSION


async def _said(room, text: str, **more: object) -> None:
    await room.say(text, **more)


def test_every_message_of_a_person_is_told_and_one_that_came_before_is_not(room):
    import asyncio
    from dataclasses import replace

    from steadyhand.session.conversation import Conversations

    told: list[tuple[str, str, str]] = []
    made = room()
    made.talk = Conversations(replace(made.parts, spoke=lambda *what: told.append(what)))
    for number in (1, 2, 2):
        asyncio.run(_said(made, f"message {number}", message_id=str(number)))
    assert told == [(ME, "desk", "terminal")] * 2


def test_the_file_lies_in_the_workspace(workspace, file):
    file.record_last_channel("terminal", "terminal")
    assert Path(workspace.root, "state", "state.json").stat().st_mode & 0o777 == 0o600
