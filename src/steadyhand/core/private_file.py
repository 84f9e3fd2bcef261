"""Decides how a secret lies in a file: readable by its owner alone, made whole or not at all. It must not show what it holds."""

import os
import stat
from pathlib import Path

from steadyhand.core.errors import SettingsInvalid
from steadyhand.core.ids import new_id, new_secret

MOST_BYTES = 8192


def read_private(file: Path) -> str:
    """Return what a file of ours holds, without blanks around it; one that is open to others is refused."""
    try:
        handle = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise SettingsInvalid("private_file_unreadable", file=str(file), reason=error.strerror or "") from None
    with os.fdopen(handle, "rb") as opened:
        found = os.fstat(opened.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
            raise SettingsInvalid("private_file_open", file=str(file))
        return opened.read(MOST_BYTES).decode("utf-8", "replace").strip()


def secret_in(file: Path) -> str:
    """Return the secret that a file holds; the first time one is made."""
    if not file.exists():
        _make(file)
    return read_private(file)


def _make(file: Path) -> None:
    """Write a new secret under the file's name at once; where another process was quicker, its secret stays."""
    beside = file.with_name(f"{file.name}.{new_id('new')}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "w") as stream:
            stream.write(f"{new_secret()}\n")
        os.link(beside, file)
    except FileExistsError:
        return
    except OSError as error:
        raise SettingsInvalid("private_file_unreadable", file=str(file), reason=error.strerror or "") from None
    finally:
        beside.unlink(missing_ok=True)
