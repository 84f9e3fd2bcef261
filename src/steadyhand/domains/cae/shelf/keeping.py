"""Decides what stays on the shelf beside a new version and what goes: shared decks, orphans, marks of what must never be."""

import contextlib
import os
import shutil
from collections.abc import Mapping
from typing import Any

from steadyhand.core.canonical import Json, digest_bytes
from steadyhand.core.errors import OperatorRepairs
from steadyhand.domains.cae.shelf import places
from steadyhand.domains.cae.shelf.looking import ABSENT
from steadyhand.domains.cae.shelf.making import Made, discard
from steadyhand.domains.cae.shelf.places import CACHE, DECK, MANIFEST, PartFolder
from steadyhand.domains.cae.shelf.records import EMPTY_REGIONS, At, Base, Manifest, damaged, manifest_of, summary_of

NO_DECK = ""
"""Stands for the digest of the deck of a part without anything; `engine.script.EMPTY` is the same."""
MOST_BYTES = 1 << 30


def share_deck(folder: PartFolder, start: At, made: Made) -> None:
    """Let a version whose deck is that of its base share the base's file: versions are never written to again."""
    if start.manifest is None or made.read is None or made.read.files[DECK] != start.manifest.deck:
        return
    for name in (DECK, CACHE):
        source, place = folder.version(start.base.version) / name, made.folder / name
        fresh = place.with_suffix(".link")
        with contextlib.suppress(OSError):  # a file system without links, or a cache that is gone: the copy stays
            os.link(source, fresh)
            fresh.replace(place)


def next_version(folder: PartFolder, start: At) -> int:
    """Return a number that no version has, reachable or not."""
    return max([start.base.version, *folder.version_numbers()]) + 1


def sweep_staging(folder: PartFolder) -> None:
    """Remove what writers that are gone left half made. Only the one who holds the lock may do this: nobody else is at work then."""
    for place in (folder.path / "staging").iterdir():
        shutil.rmtree(place, ignore_errors=True)  # the child of one that was just killed may still be ending


def drop_orphans(folder: PartFolder, start: At, change: str) -> None:
    """Remove the versions that *change* had made when its process ended, and that ``current`` never came to name."""
    for number in folder.version_numbers():
        if number > start.base.version and _made_by(folder, number) == change:
            discard(folder.version(number))
            places.sync_folder(folder.path / "versions")


def _made_by(folder: PartFolder, number: int) -> str:
    try:
        data = places.read_plain(folder.version(number) / MANIFEST, MOST_BYTES)
        return manifest_of(folder, Base(number, digest_bytes(data))).change
    except (OSError, OperatorRepairs):
        return ""


def mark_ended(folder: PartFolder, submission: str) -> None:
    """Note durably that *submission* was told as not done: a process that comes back late finds this and stops."""
    place = folder.path / "ended" / submission
    if not place.exists():
        places.write_synced(place, b"")
        places.sync_folder(place.parent)


def has_ended(folder: PartFolder, submission: str) -> bool:
    """Tell whether *submission* was told as not done."""
    return (folder.path / "ended" / submission).exists()


def replaced_by(folder: PartFolder, manifest: Manifest) -> dict[str, Json]:
    """Return what a version stands in the place of: number, deck, digests and counts, enough to say how it is restored."""
    if not manifest.base.version:
        return {"version": 0, "sha256": NO_DECK, "digests": dict(EMPTY_REGIONS), "summary": _counts(ABSENT)}
    base = manifest_of(folder, manifest.base)
    return {
        "version": base.version,
        "sha256": base.deck,
        "digests": dict(base.regions),
        "summary": _counts(summary_of(folder, base)),
    }


def _counts(facts: Mapping[str, Any]) -> Json:
    summary = facts["observation"]["summary"]
    return {name: summary[name] for name in ("node_count", "element_count", "shape_counts")}


def checked_bytes(folder: PartFolder, manifest: Manifest, name: str) -> bytes:
    """Return what a file of a version holds. Raises ``part_damaged`` unless it is what was written."""
    shown = f"versions/{manifest.version}/{name}"
    try:
        data = places.read_plain(folder.path / shown, MOST_BYTES)
    except OSError:
        raise damaged(folder, shown) from None
    if digest_bytes(data) != manifest.files[name]:
        raise damaged(folder, shown)
    return data


def reports_of(folder: PartFolder, manifest: Manifest) -> Mapping[str, bytes]:
    """Return the reports of a version by name."""
    names = sorted(name for name in manifest.files if name.endswith("_audit.json"))
    return {name: checked_bytes(folder, manifest, name) for name in names}
