"""Decides what a backup file looks like: a ZIP file with the database, folders and a manifest of digests. It must not say where they go.

The database lies in it uncompressed, so that it can be cut out with any tool. Whoever reads a backup checks every byte of it
against the manifest, and the manifest against itself; that shows damage, not a forger who writes both anew.
"""

import contextlib
import hashlib
import json
import os
import stat
import zipfile
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

from steadyhand import __version__
from steadyhand.core.canonical import Json, canonical, digest
from steadyhand.core.errors import ToolRefusal

FORMAT = 1
DATABASE, MANIFEST = "steadyhand.db", "manifest.json"
EPOCH = (1980, 1, 1, 0, 0, 0)
CHUNK = 1024 * 1024
MOST_MANIFEST = 256 * 1024 * 1024
ARCHIVE, SQLITE = b"PK\x03\x04", b"SQLite format 3\x00"
_EXECUTABLE = 0o100


@dataclass(frozen=True, slots=True)
class Contents:
    """What the manifest says: the tables' version, when it was made, the files by name, what was left out and why nobody need miss it."""

    version: str
    made_at: str
    files: Mapping[str, str]
    folders: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    digest: str = ""

    def count(self, folder: str) -> int:
        """Return how many files of a folder it holds."""
        return sum(name.startswith(f"{folder}/") for name in self.files)


@contextlib.contextmanager
def plain_file(file: Path, *, follow: bool = True) -> Generator[IO[bytes]]:
    """Open a plain *file* to read; a device, a pipe or a folder is refused and never waited for. Raises `OSError`."""
    descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW))
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(0, "not a plain file")
        yield stream


def kind_of(file: Path) -> str:
    """Return ``archive``, ``database`` or ``other`` by how a file begins. Raises `ToolRefusal` when it cannot be read."""
    try:
        with plain_file(file) as stream:
            begin = stream.read(len(SQLITE))
    except OSError as error:
        raise ToolRefusal("backup_unreadable", file=str(file), reason=error.strerror or str(error)) from None
    return "archive" if begin.startswith(ARCHIVE) else "database" if begin == SQLITE else "other"


# ---- writing ---------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Writing:
    """A backup in the making."""

    archive: zipfile.ZipFile
    files: dict[str, str] = field(default_factory=dict[str, str])
    left_out: list[str] = field(default_factory=list[str])

    def put(self, name: str, source: Path) -> None:
        """Take a file along; one that is no plain file, cannot be read, or has a name that is no text is noted as left out."""
        try:
            name.encode()
            info = zipfile.ZipInfo(name, EPOCH)
            with plain_file(source, follow=False) as stream:
                mode = os.fstat(stream.fileno()).st_mode
                info.external_attr = (stat.S_IFREG | (0o700 if mode & _EXECUTABLE else 0o600)) << 16
                info.compress_type = zipfile.ZIP_STORED if name == DATABASE else zipfile.ZIP_DEFLATED
                self.files[name] = self._copied(stream, info)
        except (OSError, UnicodeEncodeError):
            self.left_out.append(ascii(name)[1:-1])

    def _copied(self, stream: IO[bytes], info: zipfile.ZipInfo) -> str:
        found = hashlib.sha256()
        with self.archive.open(info, "w", force_zip64=True) as copy:
            while chunk := stream.read(CHUNK):
                found.update(chunk)
                copy.write(chunk)
        return found.hexdigest()


def write(stream: IO[bytes], contents: Contents, sources: Iterable[tuple[str, Path]]) -> Contents:
    """Write a backup of *sources*, files by the name that they have in it; return what it came to hold."""
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        writing = Writing(archive, left_out=list(contents.left_out))
        for name, source in sources:
            writing.put(name, source)
        told: dict[str, Json] = {
            "format": FORMAT,
            "program": __version__,
            "version": contents.version,
            "made_at": contents.made_at,
            "folders": list(contents.folders),
            "left_out": writing.left_out,
            "files": writing.files,
        }
        own = digest(told)
        archive.writestr(zipfile.ZipInfo(MANIFEST, EPOCH), canonical({**told, "digest": own}), zipfile.ZIP_DEFLATED)
    return Contents(contents.version, contents.made_at, writing.files, contents.folders, tuple(writing.left_out), own)


# ---- reading ---------------------------------------------------------------------------------------------------------


def unpack(file: Path, database: Path, folders: Mapping[str, Path]) -> Contents:
    """Lay out what a backup holds, each byte checked: the database at *database*, each folder at its new place in *folders*.

    Raises `ToolRefusal` ``backup_changed`` naming what is not as it was written; what was laid out until then is the caller's to remove.
    """
    try:
        with plain_file(file) as stream, zipfile.ZipFile(stream) as archive:
            contents, infos = _stated(archive)
            for name, wanted in sorted(contents.files.items()):
                place = database if name == DATABASE else _place(name, contents, folders)
                if place is not None:
                    _lay_out(archive, infos[name], place, wanted)
            return contents
    except OSError as error:
        raise ToolRefusal("backup_unreadable", file=str(file), reason=error.strerror or type(error).__name__) from None
    except Exception as error:  # noqa: BLE001  # whatever a damaged file breaks in the reader: the file is what is damaged
        raise ToolRefusal("backup_changed", file=str(file), what=str(error)[:100] or type(error).__name__) from None


def _stated(archive: zipfile.ZipFile) -> tuple[Contents, Mapping[str, zipfile.ZipInfo]]:
    infos = {info.filename: info for info in archive.infolist()}
    if len(infos) != len(archive.infolist()) or infos[MANIFEST].file_size > MOST_MANIFEST:
        raise ValueError(MANIFEST)
    told = cast("dict[str, Any]", json.loads(archive.read(MANIFEST)))
    own = told.pop("digest")
    files = cast("dict[str, str]", told["files"])
    if own != digest(cast("Json", told)) or told["format"] != FORMAT or {*files, MANIFEST} != set(infos) or DATABASE not in files:
        raise ValueError(MANIFEST)
    folders, left_out = tuple(map(str, told["folders"])), tuple(map(str, told["left_out"]))
    return Contents(str(told["version"]), str(told["made_at"]), files, folders, left_out, str(own)), infos


def _place(name: str, contents: Contents, folders: Mapping[str, Path]) -> Path | None:
    """Return where a file of a folder goes, inside that folder and nowhere else; None for a folder that is not wanted."""
    first, *rest = PurePosixPath(name).parts
    if first not in contents.folders or not rest or ".." in rest or str(PurePosixPath(name)) != name or "\0" in name:
        raise ValueError(name)
    return None if first not in folders else folders[first].joinpath(*rest)


def _lay_out(archive: zipfile.ZipFile, info: zipfile.ZipInfo, place: Path, wanted: str) -> None:
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    mode = 0o700 if (info.external_attr >> 16) & _EXECUTABLE else 0o600
    found = hashlib.sha256()
    descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, mode)
    with os.fdopen(descriptor, "wb") as copy, archive.open(info) as stream:
        while chunk := stream.read(CHUNK):
            found.update(chunk)
            copy.write(chunk)
        copy.flush()
        os.fsync(descriptor)
    if found.hexdigest() != wanted:
        raise ValueError(info.filename)
