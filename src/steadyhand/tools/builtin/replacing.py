"""Decides how a file of the workspace gets new content: whole or not at all, and not over what somebody else wrote meanwhile.

It must not decide what the content is. Writers take turns by a lock on the folder; those who do not know of it (an editor, a shell)
are seen by comparing the file once more before the new one takes its name.
"""

import contextlib
import fcntl
import os
import stat
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TypeAlias

from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import new_id
from steadyhand.tools.builtin.paths import joined
from steadyhand.tools.builtin.workspace import Workspace, open_file, refusing, require_plain

MAX_FILE_BYTES = 4 * 1024 * 1024
FILE_MODE = 0o600
_RIGHTS = 0o777
_TRIES = 200
_PAUSE_SECONDS = 0.05

Change: TypeAlias = Callable[[bytes | None], bytes]
"""Makes the new content of the old; None stands for a file that is not there."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """What became of a file: its *path* in the workspace, whether it is new, its size now."""

    path: str
    created: bool
    size: int


@dataclass(frozen=True, slots=True)
class _Seen:
    """A file as it was when it was looked at."""

    mark: os.stat_result
    content: bytes


def write_whole(workspace: Workspace, path: str, content: bytes) -> Replaced:
    """Put *content* in the place of whatever the file held; missing folders are made."""
    parts = workspace.parts(path)
    told = joined(parts)
    _require_size(len(content), told)
    with workspace.folder(parts[:-1], make=True) as folder, _alone(folder, told):
        before = _standing(folder, parts[-1], told)
        _put(folder, parts[-1], content, before, told)
    return Replaced(told, before is None, len(content))


def rewrite(workspace: Workspace, path: str, change: Change, *, make: bool = False) -> Replaced:
    """Replace the content of a file by what *change* makes of it; refused when the file changes meanwhile."""
    parts = workspace.parts(path)
    told = joined(parts)
    with workspace.folder(parts[:-1], make=make) as folder, _alone(folder, told):
        before = _read(folder, parts[-1], told)
        content = change(None if before is None else before.content)
        _require_size(len(content), told)
        _put(
            folder,
            parts[-1],
            content,
            None if before is None else before.mark,
            told,
            lambda: _require_same(folder, parts[-1], before, told),
        )
    return Replaced(told, before is None, len(content))


def _standing(folder: int, name: str, told: str) -> os.stat_result | None:
    """Return what stands under *name*, which may be a plain file alone; None when nothing does."""
    with refusing(told):
        try:
            seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return None
    require_plain(seen, told)
    return seen


def _read(folder: int, name: str, told: str) -> _Seen | None:
    file = open_file(folder, name, told)
    if file is None:
        return None
    with refusing(told), os.fdopen(file, "rb") as stream:
        mark = os.fstat(stream.fileno())
        _require_size(mark.st_size, told)
        content = stream.read(MAX_FILE_BYTES + 1)
    _require_size(len(content), told)
    return _Seen(mark, content)


def _require_size(size: int, told: str) -> None:
    if size > MAX_FILE_BYTES:
        raise ToolRefusal("file_too_large", path=told, mib=MAX_FILE_BYTES >> 20)


def _require_same(folder: int, name: str, before: _Seen | None, told: str) -> None:
    now = _read(folder, name, told)
    if now is None or before is None:
        same = now is before
    else:
        same = os.path.samestat(now.mark, before.mark) and now.content == before.content
    if not same:
        raise ToolRefusal("file_changed_meanwhile", path=told)


def _put(
    folder: int, name: str, content: bytes, before: os.stat_result | None, told: str, check: Callable[[], None] = lambda: None
) -> None:
    """Write *content* beside the file, on disk, and then give it the file's name; what is done after that is done."""
    beside = f".{new_id('steady')}"
    try:
        with refusing(told):
            file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, FILE_MODE, dir_fd=folder)
            with os.fdopen(file, "wb") as stream:
                stream.write(content)
                stream.flush()
                os.fchmod(file, FILE_MODE if before is None else stat.S_IMODE(before.st_mode) & _RIGHTS)
                os.fsync(file)
        check()
        with refusing(told):
            os.rename(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside, dir_fd=folder)
        raise
    os.fsync(folder)


@contextlib.contextmanager
def _alone(folder: int, told: str) -> Generator[None]:
    """Hold the folder's lock, which ends with its descriptor, however this process ends."""
    for _ in range(_TRIES):
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            threading.Event().wait(_PAUSE_SECONDS)
    else:
        raise ToolRefusal("file_busy", path=told)
    yield
