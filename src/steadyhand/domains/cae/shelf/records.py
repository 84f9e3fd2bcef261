"""Decides what a version says of itself and which version a part is at; it must not make a version or look into a deck.

``current`` names a version and the digest of its manifest; a manifest names its base in the same way. So what is reachable
from ``current`` is one chain, and nothing in it can be changed without being noticed.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, TypeVar, cast

from steadyhand.core.canonical import Json, canonical, digest_bytes
from steadyhand.core.errors import OperatorRepairs
from steadyhand.domains.cae.shelf.places import DECK, MANIFEST, SUMMARY, PartFolder, read_plain

T = TypeVar("T")
MOST_BYTES: Final = 64 * 1024 * 1024
EMPTY_REGIONS: Final[Mapping[str, str]] = {
    "geometry": "ca707066d89402be220dcd43f4d485a81b03bd84c4b25b2276c7238575193b32",
    "sets": "e37dcfb4744756e6033762a92d9d2d16f29a4896951abf0cc0fe3c872b4e779c",
    "properties": "e92a79e0234b32ace78655e13fb84956fb4e38ab075405f192b654c30cf72c4d",
    "cases": "bacf655d3ab614539601ffce4c2d6cbb961ab9abe6f5604a9bd0eaac330cee80",
}
"""What `engine.digests.regions` says of a part without anything, so that nobody needs numpy to look at one that is absent."""


@dataclass(frozen=True, slots=True)
class Base:
    """A version and the digest of its manifest; version 0 is the part before it was made."""

    version: int
    manifest: str


NOTHING: Final = Base(0, "")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a version is: where it comes from, what made it, what is in it. *files* are digests by name within its folder."""

    version: int
    base: Base
    change: str
    number: int
    program: str
    regions: Mapping[str, str]
    files: Mapping[str, str]
    jobs: Mapping[str, Json]
    engine: str
    created: str

    @property
    def deck(self) -> str:
        """The digest of the deck."""
        return self.files[DECK]

    def to_bytes(self) -> bytes:
        """Return the manifest as it is written."""
        return canonical(cast("Json", asdict(self)))


@dataclass(frozen=True, slots=True)
class At:
    """The version that a part is at; *manifest* is None before there is one."""

    base: Base
    manifest: Manifest | None

    @property
    def regions(self) -> Mapping[str, str]:
        """The digests of the regions."""
        return EMPTY_REGIONS if self.manifest is None else self.manifest.regions


def at(folder: PartFolder) -> At:
    """Return the version that the part is at. Raises `OperatorRepairs` ``part_damaged``, ``part_linked``."""
    folder.refuse_links()
    base = parsed(folder, "current", lambda value: Base(**value))
    return At(NOTHING, None) if base is None else At(base, manifest_of(folder, base))


def manifest_of(folder: PartFolder, base: Base) -> Manifest:
    """Return the manifest that *base* names. Raises `OperatorRepairs` ``part_damaged`` when it is not that."""
    shown = f"versions/{base.version}/{MANIFEST}"
    data = _read(folder, shown)
    if data is None or digest_bytes(data) != base.manifest:
        raise damaged(folder, shown)
    return _parse(folder, shown, data, manifest_from)


def manifest_from(value: Mapping[str, Any]) -> Manifest:
    """Read a manifest back."""
    values: dict[str, Any] = {**value, "base": Base(**value["base"])}
    return Manifest(**values)


def chain(folder: PartFolder, start: At) -> Iterator[Manifest]:
    """Yield the manifests that are reachable from *start*, the newest first."""
    manifest = start.manifest
    while manifest is not None:
        yield manifest
        manifest = manifest_of(folder, manifest.base) if manifest.base.version else None


def summary_of(folder: PartFolder, manifest: Manifest) -> Mapping[str, Any]:
    """Return the facts that were read from a version when it was made. Raises ``part_damaged`` when they are not those."""
    shown = f"versions/{manifest.version}/{SUMMARY}"
    data = _read(folder, shown)
    if data is None or digest_bytes(data) != manifest.files[SUMMARY]:
        raise damaged(folder, shown)
    return _parse(folder, shown, data, dict[str, Any])


def parsed(folder: PartFolder, shown: str, build: Callable[[Mapping[str, Any]], T]) -> T | None:
    """Return what *build* makes of the JSON in a small file of the part, None when there is no such file. Raises ``part_damaged``."""
    data = _read(folder, shown)
    return None if data is None else _parse(folder, shown, data, build)


def damaged(folder: PartFolder, file: str) -> OperatorRepairs:
    """Return the error for a *file* of a part that is not what was written."""
    return OperatorRepairs("part_damaged", name=str(folder.name), file=file)


def _read(folder: PartFolder, shown: str) -> bytes | None:
    try:
        return read_plain(folder.path / shown, MOST_BYTES)
    except FileNotFoundError:
        return None
    except OSError:
        raise damaged(folder, shown) from None


def _parse(folder: PartFolder, shown: str, data: bytes, build: Callable[[Mapping[str, Any]], T]) -> T:
    try:
        return build(json.loads(data))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise damaged(folder, shown) from None
