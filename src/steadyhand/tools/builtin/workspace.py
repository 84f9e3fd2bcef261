"""Decides how a place in the workspace is reached: folder by folder, never through a link; it must not read or write what is there.

Every step opens the next name relative to the folder that is already open and does not follow links, so that a folder that is
swapped for a link between two steps leads nowhere. Links are refused even when they stay inside. A file with a second name (a hard
link) is refused too: nobody can tell whether its other name is inside.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Generator
from pathlib import Path

from steadyhand.core.errors import ToolRefusal
from steadyhand.tools.builtin.paths import Parts, joined, parts_of

FOLDER_MODE = 0o700

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_FORBIDDEN = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


class Workspace:
    """The folder in which tools may read and write. *root* is the operator's word: it alone may lead through links."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()

    def ready(self) -> Path:
        """Make the folder for its owner alone unless it is there, and return it."""
        with refusing(str(self.root)):
            self.root.mkdir(parents=True, exist_ok=True, mode=FOLDER_MODE)
        return self.root

    def parts(self, path: str, *, folder: bool = False) -> Parts:
        """Return the names that lead to *path*."""
        return parts_of(self.root, path, folder=folder)

    @contextlib.contextmanager
    def folder(self, parts: Parts, *, make: bool = False) -> Generator[int]:
        """Open the folder at *parts* and yield its descriptor; with *make*, folders that are missing are made on the way."""
        with refusing("."):
            here = os.open(self.ready(), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for depth, name in enumerate(parts, 1):
                inner = _step(here, name, joined(parts[:depth]), make=make)
                os.close(here)
                here = inner
            yield here
        finally:
            os.close(here)


def open_file(folder: int, name: str, told: str) -> int | None:
    """Open the plain file *name* for reading; None when nothing is there, refused when it is anything else.

    What it is, is asked before the opening, since opening a device can do something, and again after it.
    """
    with refusing(told):
        try:
            require_plain(os.stat(name, dir_fd=folder, follow_symlinks=False), told)
            file = os.open(name, _FILE, dir_fd=folder)
        except FileNotFoundError:
            return None
        try:
            require_plain(os.fstat(file), told)
        except BaseException:
            os.close(file)
            raise
        return file


def require_plain(seen: os.stat_result, told: str) -> None:
    """Refuse what is not a plain file with one name."""
    if stat.S_ISLNK(seen.st_mode):
        raise ToolRefusal("path_is_link", path=told)
    if stat.S_ISDIR(seen.st_mode):
        raise ToolRefusal("path_is_folder", path=told)
    if not stat.S_ISREG(seen.st_mode):
        raise ToolRefusal("path_is_no_file", path=told)
    if seen.st_nlink > 1:
        raise ToolRefusal("file_has_other_names", path=told)


@contextlib.contextmanager
def refusing(told: str) -> Generator[None]:
    """Turn what the system refuses into a refusal that names the path and changed nothing."""
    try:
        yield
    except OSError as error:
        raise ToolRefusal(*_refusal(error), path=told) from error


def _refusal(error: OSError) -> tuple[str]:
    match error.errno:
        case errno.ENOENT:
            code = "path_not_found"
        case errno.ELOOP:
            code = "path_is_link"
        case errno.ENOTDIR | errno.EEXIST:
            code = "path_no_folder"
        case errno.EISDIR | errno.ENOTEMPTY:
            code = "path_is_folder"
        case errno.ENAMETOOLONG:
            code = "path_too_long"
        case number if number in _NO_ROOM:
            code = "file_no_room"
        case number if number in _FORBIDDEN:
            code = "path_forbidden"
        case _:
            code = "path_failed"
    return (code,)


def _step(here: int, name: str, told: str, *, make: bool) -> int:
    with refusing(told):
        if make:
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, FOLDER_MODE, dir_fd=here)
        try:
            return os.open(name, _FOLDER, dir_fd=here)
        except NotADirectoryError:
            if stat.S_ISLNK(os.stat(name, dir_fd=here, follow_symlinks=False).st_mode):
                raise ToolRefusal("path_is_link", path=told) from None
            raise
