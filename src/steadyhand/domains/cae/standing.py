"""Tells whether the parts on disk are those that the record of changes speaks of. It must not mend one, or read a mesh."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from steadyhand.core.canonical import digest_bytes
from steadyhand.core.errors import SteadyhandError
from steadyhand.core.ids import UserId, change_name
from steadyhand.domains.cae.choosing import named
from steadyhand.domains.cae.shelf.places import PartFolder
from steadyhand.domains.cae.shelf.records import at
from steadyhand.store import Store
from steadyhand.store.changes import changes
from steadyhand.store.changes.changes import ChangeRow
from steadyhand.store.upkeep.health import Finding, failure

TOPIC = "parts"


def standing(store: Store, root: Path, domain: str) -> Iterator[Finding]:
    """Look at the part of each verified change of *domain*, the last one of each part: its version, and the bytes of its files."""
    rows = store.read_now(lambda tx: changes.in_states(tx, ["verified"]))
    last = {(row.user_id, row.target_name): row for row in rows if row.domain == domain}
    found = [finding for row in last.values() for finding in _of_one(root, row)]
    yield from found
    if last and not found:
        yield Finding(TOPIC, "ok", "parts_stand", {"count": len(last)})


def _of_one(root: Path, row: ChangeRow) -> Iterator[Finding]:
    recorded = int(cast("Any", row.receipt)["result"]["version"])
    about = {"part": row.target_name, "recorded": recorded, "change": change_name(row.number)}
    folder = PartFolder(root, UserId(row.user_id), named(row.target_name))
    try:
        manifest = at(folder).manifest
    except SteadyhandError as error:
        yield failure(TOPIC, error)
        return
    if manifest is None:
        yield Finding(TOPIC, "fail", "part_gone", about)
        return
    if manifest.version != recorded:
        yield Finding(TOPIC, "fail", "part_other_version", {**about, "version": manifest.version})
    version = folder.version(manifest.version)
    lost = [name for name, sha256 in sorted(manifest.files.items()) if not _holds(version / name, sha256)]
    if lost:
        yield Finding(TOPIC, "fail", "part_changed", {**about, "version": manifest.version, "files": ", ".join(lost)})


def _holds(file: Path, sha256: str) -> bool:
    try:
        return digest_bytes(file.read_bytes()) == sha256
    except OSError:
        return False
