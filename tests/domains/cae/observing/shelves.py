"""Parts laid on a shelf as versions, so that tools can look at them."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from steadyhand.core.canonical import canonical, digest_bytes
from steadyhand.core.ids import UserId
from steadyhand.domains.cae.engine.deck import save_cache, write_deck
from steadyhand.domains.cae.engine.digests import regions
from steadyhand.domains.cae.engine.observe import part_facts
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.shelf.places import CACHE, DECK, MANIFEST, SUMMARY, PartFolder, PartName
from steadyhand.domains.cae.shelf.records import NOTHING, Manifest


class ShelfOf:
    """The parts below a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def parts_of(self, user: UserId) -> Sequence[PartName]:
        return sorted((PartName(place.parent.name, place.name) for place in (self.root / user).glob("*/*")), key=str)

    def folder(self, user: UserId, name: PartName) -> PartFolder:
        return PartFolder(self.root, user, name)


def lay(shelf: ShelfOf, user: UserId, name: str, part: Part | None) -> PartFolder:
    """Put *part* there as version 1; None makes the folders alone."""
    folder = shelf.folder(user, PartName(*name.split("/")))
    folder.make()
    if part is None:
        return folder
    version = folder.version(1)
    version.mkdir()
    write_deck(part, version / DECK)
    deck = hashlib.sha256((version / DECK).read_bytes()).hexdigest()
    save_cache(part, version / CACHE, deck)
    facts = canonical(part_facts(part))
    (version / SUMMARY).write_bytes(facts)
    files = {DECK: deck, SUMMARY: digest_bytes(facts)}
    manifest = Manifest(1, NOTHING, "change", 1, "program", regions(part), files, {}, "engine", "2026-01-01T00:00:00Z").to_bytes()
    (version / MANIFEST).write_bytes(manifest)
    folder.current.write_bytes(canonical({"version": 1, "manifest": digest_bytes(manifest)}))
    return folder
