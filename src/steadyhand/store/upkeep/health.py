"""Decides what a look at the folder, the file system and the database finds, and how bad it is. It must not mend, and must not raise."""

import os
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias, cast

from sqlalchemy import text

from steadyhand.core.errors import Param, SchemaMismatch, SteadyhandError, StoreUnavailable
from steadyhand.store.database import sqlite_file
from steadyhand.store.database.engine import Store
from steadyhand.store.database.lock_probe import probe
from steadyhand.store.database.presence import lock_file
from steadyhand.store.upkeep import restoring, rows, schema, shape

Level: TypeAlias = Literal["ok", "warn", "fail"]
MIB = 1024 * 1024
LOW_MIB, TOO_LOW_MIB = 200, 10
NEEDED_SQLITE = (3, 35, 0)
"""The first that knows ``RETURNING``."""
OTHERS = stat.S_IRWXG | stat.S_IRWXO
WRITE_LOCK_BYTE = 120
"""Where in the ``-shm`` file SQLite's one writer holds its lock (the format of WAL files fixes it)."""

NETWORK_KINDS = frozenset(
    {"nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "ncpfs"}
)
NETWORK_FUSE = ("fuse.sshfs", "fuse.rclone", "fuse.glusterfs", "fuse.s3fs", "fuse.gcsfuse", "fuse.smbnetfs", "fuse.curlftpfs")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; its words are the text *code*, or those of *error*."""

    topic: str
    level: Level
    code: str
    values: Mapping[str, Param] = field(default_factory=dict[str, Param])
    error: SteadyhandError | None = None


def failure(topic: str, error: SteadyhandError) -> Finding:
    """Return an error as a finding."""
    return Finding(topic, "fail", error.code, error.params, error)


def safely(topic: str, look: Callable[[], Iterator[Finding]]) -> list[Finding]:
    """Return what *look* finds; where it breaks off, what it had found until then and why it broke off."""
    found: list[Finding] = []
    try:
        found.extend(look())
    except SteadyhandError as error:
        found.append(failure(topic, error))
    except Exception as error:  # noqa: BLE001  # a look must not end the other looks, whatever broke it
        found.append(Finding(topic, "fail", "look_broke", {"kind": type(error).__name__, "reason": str(error)}))
    return found


def sqlite() -> Finding:
    """Look whether Python's SQLite is new enough."""
    enough = sqlite3.sqlite_version_info >= NEEDED_SQLITE
    values: dict[str, Param] = {"version": sqlite3.sqlite_version, "needed": ".".join(map(str, NEEDED_SQLITE))}
    return Finding("versions", "ok" if enough else "fail", "sqlite" if enough else "sqlite_old", values)


def folder(path: Path) -> Iterator[Finding]:
    """Look at the data folder: there, ours to write, closed to others, with space left."""
    if not path.exists():
        above = _nearest(path)
        usable = os.access(above, os.W_OK | os.X_OK) and above.is_dir()
        yield Finding("folder", "ok" if usable else "fail", "folder_absent" if usable else "folder_cannot_be_made", _at(path))
        return
    if not path.is_dir():
        yield Finding("folder", "fail", "folder_is_none", _at(path))
        return
    usable = os.access(path, os.R_OK | os.W_OK | os.X_OK)
    yield Finding("folder", "ok" if usable else "fail", "folder_there" if usable else "folder_closed", _at(path))
    yield from _rights(path, 0o700, "folder")
    free = shutil.disk_usage(path).free // MIB
    level: Level = "ok" if free >= LOW_MIB else "warn" if free >= TOO_LOW_MIB else "fail"
    yield Finding("folder", level, "space" if level == "ok" else "space_low", {"free": free})


def _at(path: Path) -> dict[str, Param]:
    return {"path": str(path)}


def _nearest(path: Path) -> Path:
    return next(each for each in (path, *path.parents) if each.exists())


def _rights(path: Path, wanted: int, topic: str) -> Iterator[Finding]:
    mode = stat.S_IMODE(path.stat().st_mode)
    values: dict[str, Param] = {"path": str(path), "mode": f"{mode:04o}", "wanted": f"{wanted:04o}"}
    yield Finding(topic, "warn", "rights_wide", values) if mode & OTHERS else Finding(topic, "ok", "rights", values)


# ---- the file system -------------------------------------------------------------------------------------------------


def file_system(path: Path) -> Iterator[Finding]:
    """Look whether SQLite's write-ahead log can work in the folder: no network in between, and locks that hold."""
    place = _nearest(path)
    kind = kind_of(place, _read("/proc/self/mounts"))
    if kind is not None:
        far = is_network(kind)
        yield Finding("file_system", "warn" if far else "ok", "file_system_network" if far else "file_system", {"kind": kind})
    if place != path or not os.access(path, os.W_OK | os.X_OK):
        return
    problem = probe(path)
    if problem is None:
        yield Finding("file_system", "ok", "locks_hold")
    else:
        yield Finding("file_system", "fail", problem.code, {"detail": problem.detail})


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def kind_of(path: Path, mounts: str) -> str | None:
    """Return the kind of the file system that *path* lies on, by a table in the format of ``/proc/mounts``."""
    real = path.resolve()
    best: tuple[int, str] | None = None
    for line in mounts.splitlines():
        parts = line.split()
        if len(parts) < 3:
            continue
        mounted = Path(parts[1].replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\"))
        if real.is_relative_to(mounted) and (best is None or len(mounted.parts) >= best[0]):  # the later mount lies on top
            best = (len(mounted.parts), parts[2])
    return best[1] if best else None


def is_network(kind: str) -> bool:
    """Tell whether a kind of file system has a network below it."""
    return kind in NETWORK_KINDS or kind.startswith(NETWORK_FUSE)


# ---- the database ----------------------------------------------------------------------------------------------------


def database(store: Store) -> Iterator[Finding]:
    """Look at the database itself, as deep as it lets us."""
    yield from _sqlite(store, store.file) if store.file is not None else _server(store)


def _sqlite(store: Store, file: Path) -> Iterator[Finding]:
    kept = restoring.left_behind(file)
    if kept is not None:
        yield Finding("database", "warn", "restore_unfinished", _at(kept))
    if not file.exists():
        yield Finding("database", "ok", "db_absent", _at(file))
        return
    if file.stat().st_size == 0:
        yield failure("database", StoreUnavailable("store_empty", file=str(file)))
        return
    if schema.between(file.absolute()).exists():
        yield failure("database", StoreUnavailable("restore_between", folder=str(file.absolute().parent)))
    with sqlite_file.looking(file) as connection:
        damage = sqlite_file.damage_in(connection)
        version = sqlite_file.version_in(connection)
        mode = sqlite_file.journal_mode_of(connection)
        strange = shape.strange_in(connection, version) if version is not None and shape.known(version) else []
    yield Finding("database", "ok", "db_opens", {"path": str(file), "mib": round(file.stat().st_size / MIB, 1)})
    if damage:
        yield failure("database", StoreUnavailable("store_damaged", reason=damage))
    else:
        yield Finding("database", "ok", "db_whole")
    if strange:
        yield Finding("database", "fail", "db_strange", {"what": ", ".join(strange)})
    yield _version(version, on_sqlite=True)
    yield Finding("database", "ok", "db_wal") if mode == "wal" else Finding("database", "warn", "db_no_wal", {"mode": mode})
    yield from _rights(file, 0o600, "database")
    if mode == "wal" and version == schema.HEAD:
        yield _durable(store)


def _version(found: str | None, *, on_sqlite: bool) -> Finding:
    if found == schema.HEAD:
        return Finding("database", "ok", "db_version", {"version": schema.HEAD})
    if found is not None and found > schema.HEAD:
        return failure("database", SchemaMismatch("schema_newer", found=found, known=schema.HEAD))
    if on_sqlite:
        return Finding("database", "warn", "db_older", {"found": found or "-", "known": schema.HEAD})
    return failure("database", SchemaMismatch("schema_behind", found=found or "-", known=schema.HEAD))


def _durable(store: Store) -> Finding:
    with store.raw() as connection:
        driver = cast(
            "sqlite3.Connection", connection.connection.driver_connection
        )  # no transaction, which would wait for writers
        level = int(driver.execute("PRAGMA synchronous").fetchone()[0])
    return Finding("database", "ok" if level >= 2 else "fail", "db_durable" if level >= 2 else "db_not_durable")


def _server(store: Store) -> Iterator[Finding]:
    with store.raw() as connection:
        version = str(connection.execute(text("SHOW server_version")).scalar_one())
        size = int(connection.execute(text("SELECT pg_database_size(current_database())")).scalar_one())
        durable = str(connection.execute(text("SHOW synchronous_commit")).scalar_one())
        connection.rollback()
    values: dict[str, Param] = {"version": version, "mib": round(size / MIB, 1)}
    yield Finding("database", "ok", "server_answers", values)
    yield _version(schema.version(store), on_sqlite=False)
    yield Finding("database", "warn", "server_not_durable") if durable == "off" else Finding("database", "ok", "server_durable")


def stored(store: Store) -> Iterator[Finding]:
    """Look whether what is stored can be read."""
    found = store.read_now(rows.damaged)
    if found:
        yield Finding("database", "fail", "rows_damaged", {"which": "; ".join(found)})
    else:
        yield Finding("database", "ok", "rows_read")


def links(folder: Path) -> Iterator[Finding]:
    """Look for links in the workspace that lead nowhere."""
    lost = [path for path in sorted(folder.rglob("*")) if path.is_symlink() and not path.exists()] if folder.is_dir() else []
    if lost:
        yield Finding("folder", "warn", "links_lost", {"count": len(lost), "first": str(lost[0])})


# ---- who has it open -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Opener:
    """A process that has the database open; *writing* when it is in a writing transaction."""

    pid: int
    writing: bool


def open_in(file: Path) -> list[Opener]:
    """Return the processes that have the database *file* open, this one left out; on Linux, elsewhere none are known."""
    locks = _read("/proc/locks")
    here = pids_on(_inode(lock_file(file)), locks)
    writing = pids_on(_inode(file.with_name(f"{file.name}-shm")), locks, byte=WRITE_LOCK_BYTE)
    return [Opener(pid, pid in writing) for pid in sorted((here | writing) - {os.getpid()})]


def _inode(path: Path) -> str:
    try:
        found = path.stat()
    except OSError:
        return ""
    return f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"


def pids_on(inode: str, locks: str, *, byte: int | None = None) -> set[int]:
    """Return who holds a lock on *inode* by a table in the format of ``/proc/locks``; with *byte*, who may write there."""
    found: set[int] = set()
    for line in locks.splitlines():
        parts = line.split()
        if len(parts) < 8 or parts[1] == "->" or parts[5] != inode:
            continue
        first, last = int(parts[6]), float("inf") if parts[7] == "EOF" else int(parts[7])
        if byte is None or (parts[3] == "WRITE" and first <= byte <= last):
            found.add(int(parts[4]))
    return found
