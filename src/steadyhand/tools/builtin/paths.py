"""Decides which words name a place inside the workspace; it must not look at the disk: what stands there is for the walk to see.

Names are taken literally: no home folder, no variables, no wildcards, no folding of case, no Unicode normalisation, no ``..``.
"""

import unicodedata
from pathlib import Path
from typing import TypeAlias

from steadyhand.core.errors import ToolRefusal
from steadyhand.core.visible import visible

Parts: TypeAlias = tuple[str, ...]

MAX_DEPTH = 32
MAX_NAME_BYTES = 255
MAX_SHOWN = 200
HERE = "."

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Marks that steer a terminal or do not show: a name with one of them looks like another name."""


def parts_of(root: Path, path: str, *, folder: bool = False) -> Parts:
    """Return the names that lead from *root* to *path*; refuses what does not name a place inside, or a folder as a file."""
    told = shown_path(path)
    if any(unicodedata.category(mark) in _UNSEEN for mark in path):
        raise ToolRefusal("path_unseen", path=told)
    names = tuple(name for name in path.split("/") if name not in {"", HERE})
    if ".." in names or names[:1] == ("~",):
        raise ToolRefusal("path_outside", path=told)
    if path.startswith("/"):
        names = _below(root, names, told)
    if len(names) > MAX_DEPTH or any(len(name.encode()) > MAX_NAME_BYTES for name in names):
        raise ToolRefusal("path_too_long", path=told)
    if not folder and (not names or path.endswith(("/", "/."))):
        raise ToolRefusal("path_is_folder", path=told)
    return names


def shown_path(path: str) -> str:
    """Return a path as it can be printed on one line, bounded."""
    return visible(path[:MAX_SHOWN], keep="\u3000") + ("…" if len(path) > MAX_SHOWN else "")


def joined(parts: Parts) -> str:
    """Return *parts* as a path relative to the workspace."""
    return "/".join(parts) or HERE


def _below(root: Path, names: Parts, told: str) -> Parts:
    """Take the workspace's own path, as it was set or as it is on the disk, off an absolute one."""
    for base in (root, root.resolve()):
        above = base.parts[1:]
        if names[: len(above)] == above:
            return names[len(above) :]
    raise ToolRefusal("path_outside", path=told)
