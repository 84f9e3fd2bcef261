"""The file tools reach nothing outside the workspace: not through links, second names, odd files, nor by being quick."""

import asyncio
import ctypes
import os
import socket
import stat
import sys
import threading

import pytest

from steadyhand.tools.builtin.workspace import Workspace

FILE_CALLS = [
    ("read_file", {}),
    ("write_file", {"content": "mine"}),
    ("append_file", {"content": "mine"}),
    ("edit_file", {"old": "the", "new": "mine"}),
]


def unharmed(outside):
    return (outside / "secret.txt").read_text(encoding="utf-8") == "the secret" and [p.name for p in outside.iterdir()] == [
        "secret.txt"
    ]


def test_the_workspace_is_made_for_its_owner_alone(tmp_path):
    root = Workspace(tmp_path / "deep" / "workspace").ready()
    assert root.stat().st_mode & 0o777 == 0o700
    assert Workspace(root).ready() == root


@pytest.mark.parametrize(("name", "more"), FILE_CALLS)
@pytest.mark.parametrize("path", ["link.txt", "folder/secret.txt", "deep/folder/secret.txt", "to_link/secret.txt", "dangling"])
def test_a_link_that_leaves_the_workspace_is_refused_wherever_it_stands(desk, root, outside, name, more, path):
    (root / "link.txt").symlink_to(outside / "secret.txt")
    (root / "folder").symlink_to(outside)
    (root / "deep").mkdir()
    (root / "deep" / "folder").symlink_to("../../outside")
    (root / "to_link").symlink_to("folder")
    (root / "dangling").symlink_to(outside / "new.txt")
    result = desk.call(name, path=path, **more)
    assert (result.is_error, result.code) == (True, "path_is_link")
    assert "the secret" not in result.for_llm
    assert unharmed(outside)


@pytest.mark.parametrize(("name", "more"), FILE_CALLS)
def test_a_link_that_stays_inside_is_refused_too(desk, root, name, more):
    (root / "real.txt").write_text("the text", encoding="utf-8")
    (root / "link.txt").symlink_to("real.txt")
    assert desk.call(name, path="link.txt", **more).code == "path_is_link"
    assert (root / "real.txt").read_text(encoding="utf-8") == "the text"


def test_a_linked_folder_is_not_listed(desk, root, outside):
    (root / "folder").symlink_to(outside)
    result = desk.call("list_dir", path="folder")
    assert result.code == "path_is_link"
    assert "secret" not in desk.call("list_dir").for_llm


@pytest.mark.parametrize(("name", "more"), FILE_CALLS)
def test_a_second_name_of_a_file_is_refused(desk, root, outside, name, more):
    os.link(outside / "secret.txt", root / "second.txt")
    result = desk.call(name, path="second.txt", **more)
    assert (result.is_error, result.code) == (True, "file_has_other_names")
    assert unharmed(outside)


@pytest.mark.parametrize(("name", "more"), FILE_CALLS)
@pytest.mark.parametrize("kind", ["fifo", "socket", "folder"])
def test_what_is_no_plain_file_is_neither_opened_nor_replaced(desk, root, name, more, kind, monkeypatch):
    if kind == "fifo":
        os.mkfifo(root / "odd")
    elif kind == "folder":
        (root / "odd").mkdir()
    else:
        monkeypatch.chdir(root)
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("odd")
    before = (root / "odd").stat().st_ino
    result = desk.call(name, path="odd", **more)
    assert result.code == ("path_is_folder" if kind == "folder" else "path_is_no_file")
    assert (root / "odd").stat().st_ino == before


@pytest.mark.skipif(os.getuid() != 0, reason="only root makes devices")
def test_a_device_is_not_opened(desk, root):
    try:
        os.mknod(root / "zero", 0o600 | 0o020000, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("devices cannot be made here")
    assert desk.call("read_file", path="zero").code == "path_is_no_file"


@pytest.mark.parametrize(("name", "more"), [*FILE_CALLS, ("list_dir", {})])
def test_a_file_on_the_way_is_no_folder(desk, root, name, more):
    (root / "file").write_text("x", encoding="utf-8")
    assert desk.call(name, path="file/x", **more).code == "path_no_folder"


@pytest.mark.parametrize(("name", "more"), FILE_CALLS)
def test_a_path_outside_is_refused_by_every_tool(desk, outside, name, more):
    for path in ("../outside/secret.txt", str(outside / "secret.txt")):
        result = desk.call(name, path=path, **more)
        assert (result.code, "the secret" in result.for_llm) == ("path_outside", False)
    assert unharmed(outside)


def test_what_the_system_refuses_is_an_error_in_words(desk, root, monkeypatch):
    (root / "a").write_text("x", encoding="utf-8")

    def refuse(number):
        def act(*_args, **_more):
            raise OSError(number, os.strerror(number))

        return act

    for number, code in [(13, "path_forbidden"), (28, "file_no_room"), (5, "path_failed"), (21, "path_is_folder")]:
        with monkeypatch.context() as patch:
            patch.setattr(os, "rename", refuse(number))
            result = desk.call("write_file", path="a", content="y")
        assert (result.is_error, result.code) == (True, code)
    assert [path.name for path in root.iterdir()] == ["a"], "nothing is left beside"
    assert (root / "a").read_text(encoding="utf-8") == "x"


def test_a_write_whose_last_step_fails_does_not_claim_that_nothing_happened(desk, root, monkeypatch):
    real, calls = os.fsync, []

    def second_fails(descriptor):
        calls.append(descriptor)
        if len(calls) == 2:
            raise OSError(5, "I/O error")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", second_fails)
    result = desk.call("write_file", path="a", content="y")
    assert (result.is_error, result.code) == (True, "tool_raised")


# --- races ------------------------------------------------------------------------------------------------------------

ROUNDS = 250
EXCHANGE = 2
CALL_DIRECTORY = -100


class Swapper(threading.Thread):
    """Exchanges a place of the workspace for a link out of it, and back, each time in one step, until told to stop."""

    def __init__(self, root, target):
        super().__init__(daemon=True)
        self.names = os.fsencode(root / "box"), os.fsencode(root / "link")
        (root / "link").symlink_to(target)
        self.done = threading.Event()
        self.swaps = 0

    def run(self):
        exchange = ctypes.CDLL(None).renameat2
        here, there = self.names
        while not self.done.is_set():
            assert exchange(CALL_DIRECTORY, here, CALL_DIRECTORY, there, EXCHANGE) == 0
            self.swaps += 1


@pytest.fixture
def swapper(root, outside):
    (root / "box").mkdir()
    (root / "box" / "secret.txt").write_text("inside", encoding="utf-8")
    thread = Swapper(root, outside)
    thread.start()
    yield thread
    thread.done.set()
    thread.join()
    assert thread.swaps > 0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux exchanges two names in one step")
@pytest.mark.parametrize(
    ("name", "more"), [("read_file", {}), ("write_file", {"content": "inside"}), ("append_file", {"content": "+"})]
)
def test_a_folder_swapped_for_a_link_during_the_call_leads_nowhere(desk, outside, swapper, name, more):
    async def scene():
        for _ in range(ROUNDS):
            result = await desk.acall(name, path="box/secret.txt", **more)
            assert result.code in {"ok", "path_is_link", "path_no_folder"}
            assert "the secret" not in result.for_llm
            assert unharmed(outside)

    asyncio.run(scene())


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux exchanges two names in one step")
def test_a_file_swapped_for_a_link_during_the_call_leads_nowhere(desk, root, outside):
    (root / "box").write_text("inside", encoding="utf-8")
    thread = Swapper(root, outside / "secret.txt")
    thread.start()

    async def scene():
        for _ in range(ROUNDS):
            seen = await desk.acall("read_file", path="box")
            assert seen.code in {"ok", "path_is_link"}
            assert "the secret" not in seen.for_llm
            done = await desk.acall("append_file", path="box", content="+")
            assert done.code in {"ok", "path_is_link", "file_changed_meanwhile"}
            assert unharmed(outside)

    try:
        asyncio.run(scene())
    finally:
        thread.done.set()
        thread.join()


@pytest.mark.parametrize("into", ["link", "fifo"])
def test_a_file_swapped_between_the_look_and_the_opening_is_not_opened(desk, root, outside, monkeypatch, into):
    path = root / "box"
    path.write_text("inside", encoding="utf-8")
    look = os.stat

    def look_then_swap(name, **more):
        seen = look(name, **more)
        if name == "box" and stat.S_ISREG(seen.st_mode):
            path.unlink()
            path.symlink_to(outside / "secret.txt") if into == "link" else os.mkfifo(path)
        return seen

    monkeypatch.setattr(os, "stat", look_then_swap)
    result = desk.call("read_file", path="box")
    assert (result.is_error, result.code) == (True, "path_is_link" if into == "link" else "path_is_no_file")


def test_writers_at_once_lose_no_line(desk, root):
    def write(number):
        for turn in range(5):
            assert not desk.call("append_file", path="log", content=f"{number}.{turn}\n").is_error

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted((root / "log").read_text(encoding="utf-8").split()) == sorted(f"{n}.{t}" for n in range(4) for t in range(5))
