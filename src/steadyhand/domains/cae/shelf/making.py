"""Decides how a version is made and how a part comes to it: run, read back, make durable, then one switch; it must not judge one."""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from steadyhand.core.canonical import canonical, digest_bytes
from steadyhand.core.faults import reach
from steadyhand.domains.cae.shelf import places
from steadyhand.domains.cae.shelf.places import DECK, MANIFEST, PartFolder
from steadyhand.domains.cae.shelf.records import At, Base, Manifest
from steadyhand.domains.cae.shelf.running import Bounds, Read, Receipt, Script, read, run_script

REPORT: Final = "_audit.json"


@dataclass(frozen=True, slots=True)
class Made:
    """A version in the making: where it lies, its receipt, and what a fresh process read of it (None when the run failed)."""

    folder: Path
    receipt: Receipt
    read: Read | None

    def bytes_of(self, name: str) -> bytes:
        """Return what one of its files holds."""
        return places.read_plain(self.folder / name, 1 << 30)


def fresh_folder(folder: Path) -> None:
    """Make an empty folder in the place of whatever is there."""
    discard(folder)
    folder.mkdir(mode=0o700)


def discard(folder: Path) -> None:
    """Remove a folder of ours with everything in it; no error when there is nothing."""
    if folder.is_symlink():
        folder.unlink()
    elif folder.is_dir():
        shutil.rmtree(folder)


async def make(
    folder: PartFolder, place: Path, start: At, text: str, needs: list[Mapping[str, Any]], bounds: Bounds, *, rehearse: bool
) -> Made:
    """Run the script *text* on a copy of the part as it is *start*, in *place*, and read the result back in a fresh process."""
    fresh_folder(place)
    base, sha256 = (None, "") if start.manifest is None else (folder.version(start.base.version), start.manifest.deck)
    decks = needed(folder, needs)
    script = Script(text, folder.name.model, folder.name.part, place, base, sha256, decks, rehearse)
    receipt = await run_script(script, bounds)
    reach("cae.ran")
    if receipt.refusal is not None:
        return Made(place, receipt, None)
    return Made(place, receipt, await read(place, bounds, keep=True))


def needed(folder: PartFolder, needs: list[Mapping[str, Any]]) -> dict[str, Path]:
    """Return where the decks lie that a program says it needs, by digest; the child checks each before it reads it."""
    found: dict[str, Path] = {}
    for need in needs:
        sha256 = str(need["sha256"])
        if not sha256:  # a part without anything: there is no deck of it
            continue
        if need["kind"] == "version":
            found[sha256] = folder.version(int(need["version"])) / DECK
        else:
            found[sha256] = folder.path / "decks" / f"{sha256}.inp"
    return found


def switch(folder: PartFolder, made: Made, manifest: Manifest) -> Base:
    """Make the version durable, put it on the shelf, and let ``current`` name it: the one moment at which the part changes."""
    data = manifest.to_bytes()
    places.write_synced(made.folder / MANIFEST, data)
    places.sync_tree(made.folder)
    reach("cae.staged")
    made.folder.rename(folder.version(manifest.version))
    places.sync_folder(folder.path / "versions")
    places.sync_folder(folder.path / "staging")
    reach("cae.before_switch")
    base = Base(manifest.version, digest_bytes(data))
    fresh = folder.path / "current.new"
    fresh.unlink(missing_ok=True)
    places.write_synced(fresh, canonical({"version": base.version, "manifest": base.manifest}))
    reach("gate.in_effect")
    fresh.replace(folder.current)
    places.sync_folder(folder.path)
    reach("cae.after_switch")
    return base
