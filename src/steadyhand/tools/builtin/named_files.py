"""Decides which files a shell command names, and what each of them is now; it must not run, write or judge anything.

A command is a few words, but what it does may stand in a script that it names. So that a person who allows a command allows what was
there when they read it, every file that its words lead to is told with its digest: as an argument, behind ``=`` or an option's letter,
in a quoted command, by a pattern, below a folder that is named too, as the file that a builder or ``python -m`` takes by itself, and
what those scripts name in turn. A name that is put together while the command runs cannot be found this way.
"""

import hashlib
import os
import re
import shlex
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from steadyhand.core.canonical import Json

MAX_FILES = 200
MAX_WORDS = 4_000
MAX_NAME = 1_000
MAX_DEPTH = 3
"""So deep are quoted commands and scripts that name scripts followed."""
SCRIPT_BYTES = 256 * 1024
HASHED_BYTES = 64 * 1024 * 1024
"""A file beyond that is told by its size and the moment of its last change."""

ABSENT: Json = {"absent": True}

_SYSTEM = ("/usr/", "/bin/", "/sbin/", "/lib", "/etc/", "/proc/", "/dev/", "/sys/", "/run/")
_TAKEN_BY_ITSELF: Mapping[str, tuple[str, ...]] = {
    "make": ("GNUmakefile", "makefile", "Makefile"),
    "just": ("justfile", "Justfile", ".justfile"),
    "npm": ("package.json",),
    "pnpm": ("package.json",),
    "yarn": ("package.json",),
    "cmake": ("CMakeLists.txt",),
    "cargo": ("Cargo.toml", "build.rs"),
    "pytest": ("conftest.py", "pytest.ini", "pyproject.toml"),
    "tox": ("tox.ini",),
}
_PATTERN = re.compile(r"[*?\[]")
_LIKE_A_PATH = re.compile(r"[\w.~][\w.~/-]*\.[A-Za-z]\w{0,7}|(?:\.{1,2}/|~/)?[\w.-]+(?:/[\w.-]+)+")
_HOME = re.compile(r"(?<![^\s=:'\"])~(?=/)|\$(?:HOME|PWD)\b|\$\{(?:HOME|PWD)\}")
_SCRIPT = frozenset(
    {".sh", ".bash", ".zsh", ".py", ".pl", ".rb", ".js", ".mjs", ".ts", ".mk", ".awk", ".sed", ".lua", ".r", ".R"}
)


@dataclass
class _Search:
    root: Path
    inside: bool
    """Whether only the workspace can be seen."""
    found: dict[str, Json] = field(default_factory=dict[str, Json])
    bases: list[Path] = field(default_factory=list[Path])
    words: int = 0


def named_files(command: str, root: Path, *, inside: bool) -> dict[str, Json]:
    """Return, by name, what each file is that *command* names when it is run in *root*; with *inside* those of *root* alone.

    A file is ``{"sha256": …, "bytes": …}`` (or ``modified`` in nanoseconds, for a huge one); ``{"absent": true}`` stands for a name that
    looks like a file's and is none yet. ``{"more": true}`` stands for further ones when there are more than `MAX_FILES`.
    """
    search = _Search(root, inside, bases=[root])
    _read(search, command, 0)
    return dict(sorted(search.found.items()))


def _read(search: _Search, text: str, depth: int) -> None:
    words = list(_words(text))
    for word in words:  # folders first: names below them are looked for wherever the command goes into one
        for candidate in _candidates(word):
            place = _place(search.root, candidate)
            if place not in search.bases and len(search.bases) < MAX_WORDS and _is_folder(place):
                search.bases.append(place)
    for word in words:
        search.words += 1
        if search.words > MAX_WORDS or len(search.found) > MAX_FILES:
            search.found["…"] = {"more": True}
            return
        if any(mark.isspace() for mark in word) and depth < MAX_DEPTH:
            _read(search, word, depth + 1)
        for candidate in _candidates(word):
            _look(search, candidate, depth)


def _words(text: str) -> Iterator[str]:
    text = _HOME.sub(".", text)
    lexer = shlex.shlex(text, posix=True, punctuation_chars="();<>|&`{},")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        yield from lexer
    except ValueError:  # a quote that is never closed: the shell would refuse it, a script may hold it in its own language
        yield from re.split(r"[\s'\"();<>|&`{},]+", text)


def _candidates(word: str) -> Iterator[str]:
    """Return what of *word* may be a file's name, the whole word first."""
    word = word.strip("`\"'@")
    seen: set[str] = set()
    tail = word.partition("=")[2]
    attached = word[2:] if word.startswith("-") and not word.startswith("--") else ""
    for part in (word, tail, attached, *word.split(":"), *tail.split(":")):
        name = part.strip("`\"'@,")
        if name and "\0" not in name and name not in seen and len(name) <= MAX_NAME:
            seen.add(name)
            yield name


def _look(search: _Search, name: str, depth: int) -> None:
    """Take in the files that *name* leads to from each folder that the command may stand in."""
    endings = (name, f"{name}.py", f"{name}/__main__.py")
    by_itself = _TAKEN_BY_ITSELF.get(Path(name).name, ())
    dotted = (f"{name.replace('.', '/')}.py",) if "." in name and "/" not in name else ()
    hits = 0
    for base in search.bases:
        for ending in (*endings, *by_itself, *dotted):
            for place in _expanded(base, ending):
                hits += _take(search, place, depth)
    if not hits and "://" not in name and not name.startswith("-") and _LIKE_A_PATH.fullmatch(name):
        place = _place(search.root, name)
        told = _told(search, place)
        if told is not None and not place.exists():
            search.found.setdefault(told, ABSENT)


def _expanded(base: Path, name: str) -> list[Path]:
    if not _PATTERN.search(name):
        return [_place(base, name)]
    if name.startswith("/"):
        return []
    try:
        return sorted(base.glob(name))[:MAX_FILES]
    except (ValueError, NotImplementedError, OSError):
        return []


def _place(base: Path, name: str) -> Path:
    return Path(os.path.normpath(base / name))


def _is_folder(place: Path) -> bool:
    try:
        return place.is_dir()
    except (OSError, ValueError):
        return False


def _told(search: _Search, place: Path) -> str | None:
    """Return the name that a person reads for *place*; None for what is no concern: the system's own, or not to be seen."""
    if place.is_relative_to(search.root):
        return str(place.relative_to(search.root))
    if search.inside or str(place).startswith(_SYSTEM):
        return None
    return str(place)


def _take(search: _Search, place: Path, depth: int) -> int:
    """Keep what *place* is if it is a file; 1 if it is. A script is read for the names in it."""
    told = _told(search, place)
    if told is None:
        return 0
    if search.found.get(told, ABSENT) != ABSENT:
        return 1
    fact = _fact(place)
    if fact is None or len(search.found) > MAX_FILES:
        return 0
    search.found[told] = fact
    text = _script(place) if depth < MAX_DEPTH else None
    if text is not None:
        search.bases += [] if place.parent in search.bases else [place.parent]
        _read(search, text, depth + 1)
    return 1


def _fact(place: Path) -> dict[str, Json] | None:
    try:
        before = place.stat()
        if not stat.S_ISREG(before.st_mode):
            return None
        if before.st_size > HASHED_BYTES:
            return {"bytes": before.st_size, "modified": before.st_mtime_ns}
        with place.open("rb") as file:
            return {"sha256": hashlib.file_digest(file, "sha256").hexdigest(), "bytes": before.st_size}
    except (OSError, ValueError):
        return None


def _script(place: Path) -> str | None:
    """Return the text of *place* when it is a program that names others."""
    try:
        with place.open("rb") as file:
            head = file.read(SCRIPT_BYTES + 1)
    except OSError:
        return None
    wanted = head.startswith(b"#!") or place.suffix in _SCRIPT or place.name.lower().endswith("makefile")
    return head.decode("utf-8", "replace") if wanted and len(head) <= SCRIPT_BYTES and b"\0" not in head else None
