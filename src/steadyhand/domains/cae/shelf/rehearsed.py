"""Decides what is kept of a rehearsal until its change is executed, and holds the execution to it; it must not judge either by itself.

What a person approved was shown to them from the rehearsal. The evidence of a program holds counts and sums, which another mesh can
have too; the digests of the rehearsed regions hold all of it.
"""

import contextlib
from collections.abc import Mapping, Sequence

from steadyhand.core.canonical import canonical
from steadyhand.core.ids import new_id
from steadyhand.domains.cae.shelf import places
from steadyhand.domains.cae.shelf.places import REHEARSED, PartFolder
from steadyhand.domains.cae.shelf.records import parsed

MOST = 200
"""So many are kept of one part, the newest: those of changes that nobody decides go by themselves."""


def keep(folder: PartFolder, change: str, program: str, regions: Mapping[str, str]) -> None:
    """Keep what the rehearsal of *change* came to, in the place of an earlier one; *program* is the digest of its text."""
    place = folder.path / REHEARSED / change
    fresh = place.with_name(new_id("new"))
    places.write_synced(fresh, canonical({"program": program, "regions": dict(regions)}))
    fresh.replace(place)
    places.sync_folder(place.parent)
    _drop_oldest(folder)


def differing(
    folder: PartFolder, change: str, program: str, regions: Mapping[str, str], writes: Sequence[str]
) -> tuple[str, ...]:
    """Return which of the regions in *writes* are not what the rehearsal of *change* came to; none where it left nothing."""
    kept = parsed(folder, f"{REHEARSED}/{change}", lambda value: (str(value["program"]), dict(value["regions"])))
    if kept is None:
        return ()
    if kept[0] != program:
        return ("program",)
    return tuple(name for name in writes if kept[1].get(name) != regions.get(name))


def drop(folder: PartFolder, change: str) -> None:
    """Forget the rehearsal of *change*: it was executed, or never will be."""
    (folder.path / REHEARSED / change).unlink(missing_ok=True)


def _drop_oldest(folder: PartFolder) -> None:
    entries = list((folder.path / REHEARSED).iterdir())
    if len(entries) <= MOST:
        return
    with contextlib.suppress(FileNotFoundError):  # another rehearsal drops the same ones
        for entry in sorted(entries, key=lambda entry: entry.stat().st_mtime_ns)[: len(entries) - MOST]:
            entry.unlink()
