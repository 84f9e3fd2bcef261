"""Decides where a person's parts lie and which names they may have; it must not read or write what lies there.

::

    <data>/cae/<user>/<model>/<part>/
        current                 which version it is at, replaced whole
        lock                    held by the one who writes
        versions/<n>/           part.inp (the truth), part.npz (a cache), manifest.json, summary.json, reports, results
        staging/<submission>/   a version in the making
        shadow/<change>/        a rehearsal
        ended/<submission>      a submission that was told as not done, and so must never be
        decks/<sha256>.inp      decks that were brought in
"""

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from steadyhand.core.errors import OperatorRepairs, ToolRefusal
from steadyhand.core.ids import UserId

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", re.ASCII)
DECK, CACHE, SUMMARY, MANIFEST, RECEIPT = "part.inp", "part.npz", "summary.json", "manifest.json", "receipt.json"
RESULTS: Final = "results"
FOLDERS: Final = ("versions", "staging", "shadow", "ended", "decks")


@dataclass(frozen=True, slots=True)
class PartName:
    """What a part is called: ``<model>/<part>``."""

    model: str
    part: str

    def __str__(self) -> str:
        return f"{self.model}/{self.part}"


def part_name(text: str) -> PartName:
    """Read ``<model>/<part>``. Raises `ToolRefusal` ``part_name_bad`` unless both are letters, digits, ``_`` and ``-``, at most 64."""
    model, _, part = text.partition("/")
    if not (NAME.fullmatch(model) and NAME.fullmatch(part)):
        raise ToolRefusal("part_name_bad", name=text[:140])
    return PartName(model, part)


@dataclass(frozen=True, slots=True)
class PartFolder:
    """The folder of one part."""

    root: Path
    user: UserId
    name: PartName

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.user):
            raise ToolRefusal("part_name_bad", name=self.user[:140])

    @property
    def path(self) -> Path:
        return self.root / self.user / self.name.model / self.name.part

    @property
    def current(self) -> Path:
        return self.path / "current"

    def version(self, number: int) -> Path:
        """Return where version *number* lies."""
        return self.path / "versions" / str(number)

    def version_numbers(self) -> list[int]:
        """Return the numbers of the versions that lie there, reachable or not, ascending."""
        folder = self.path / "versions"
        if not folder.is_dir():
            return []
        return sorted(int(entry.name) for entry in folder.iterdir() if entry.name.isascii() and entry.name.isdigit())

    def make(self) -> None:
        """Make the folders that are missing, each readable by its owner alone and durable before anything lies in it."""
        self.root.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        for folder in (*reversed(self._way()), *(self.path / name for name in FOLDERS)):
            if not folder.is_dir():
                folder.mkdir(mode=0o700, exist_ok=True)
                sync_folder(folder.parent)
        self.refuse_links()

    def refuse_links(self) -> None:
        """Raise `OperatorRepairs` ``part_linked`` when a folder or file of ours is a link: it could lead anywhere."""
        for place in (*self._way(), *(self.path / name for name in (*FOLDERS, "current", "lock"))):
            refuse_link(place, str(self.name))

    def _way(self) -> list[Path]:
        """Return the folders from the part up to the root of all parts."""
        return [self.path, self.path.parent, self.path.parent.parent, self.root]


def refuse_link(place: Path, name: str) -> None:
    """Raise `OperatorRepairs` ``part_linked`` when *place* is there and is neither a plain file nor a plain folder."""
    try:
        mode = place.lstat().st_mode
    except FileNotFoundError:
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise OperatorRepairs("part_linked", name=name, place=place.name)


def read_plain(place: Path, limit: int) -> bytes:
    """Return what a plain file holds. Raises `OSError`: for a link, for more than *limit* bytes, for what is no file."""
    handle = os.open(place, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as stream:
        found = os.fstat(stream.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_size > limit:
            raise OSError("no plain file of that size")
        return stream.read()


def write_synced(place: Path, data: bytes) -> None:
    """Write a new file and make it durable; its folder is synced by the caller."""
    with os.fdopen(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600), "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def sync_folder(folder: Path) -> None:
    """Make what a folder lists durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_tree(folder: Path) -> None:
    """Make every file and folder below *folder*, and itself, durable."""
    for place, _, files in os.walk(folder, topdown=False):
        for name in files:
            handle = os.open(Path(place) / name, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
        sync_folder(Path(place))
