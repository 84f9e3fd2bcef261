"""Decides what a person finds on their shelf: parts, versions, results, decks in and out; it must not change a part, which changes do."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, cast

from steadyhand.core.canonical import Json
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import UserId, new_id
from steadyhand.domains.cae.shelf import keeping
from steadyhand.domains.cae.shelf.places import DECK, NAME, RESULTS, PartFolder, PartName
from steadyhand.domains.cae.shelf.records import Manifest, at, chain
from steadyhand.domains.cae.shelf.running import Bounds, demand_here
from steadyhand.jobs.here import run_aside

_BODIES: Final = "steadyhand.domains.cae.shelf.bodies"
TAKE: Final = f"{_BODIES}:take_deck"
WRITE: Final = "steadyhand.domains.cae.shelf.export_body:write_form"
Form: TypeAlias = Literal["inp", "vtu", "glb"]


@dataclass(frozen=True, slots=True)
class Taken:
    """A deck that was taken in: the digest under which it lies, what reading it found, and the facts of its part."""

    sha256: str
    file: str
    report: Mapping[str, Any]
    facts: Mapping[str, Any]

    def operation(self, *, replace: bool) -> dict[str, Json]:
        """Return the operation that brings it into a part."""
        found = self.facts["observation"]["summary"]
        summary: Json = {name: found[name] for name in ("node_count", "element_count", "shape_counts")}
        arguments: Json = {"sha256": self.sha256, "file": self.file, "replace": replace, "summary": summary}
        return {"tool": "import_deck", "arguments": arguments}


@dataclass(frozen=True, slots=True)
class JobResults:
    """What a job left: in which version, in which folder, and its summary. *current*: whether the part is still that version."""

    version: int
    folder: Path
    summary: Mapping[str, Any]
    current: bool


class Shelf:
    """The parts below one folder."""

    def __init__(self, root: Path, bounds: Bounds | None = None) -> None:
        self._root = root
        self._bounds = bounds or Bounds()

    def folder(self, user: UserId, name: PartName) -> PartFolder:
        """Return where a part lies, whether there is one or not."""
        return PartFolder(self._root, user, name)

    def parts_of(self, user: UserId) -> tuple[PartName, ...]:
        """Return the person's parts, in the order of their names."""
        found: list[PartName] = []
        for model in _folders(self._root / user) if NAME.fullmatch(user) else []:
            found += [PartName(model.name, part.name) for part in _folders(model) if (part / "current").is_file()]
        return tuple(sorted(found, key=lambda name: (name.model, name.part)))

    def versions_of(self, user: UserId, name: PartName) -> tuple[Manifest, ...]:
        """Return the versions that a part went through, the newest first. Raises `ToolRefusal` ``part_unknown``."""
        folder = self.folder(user, name)
        start = at(folder)
        if start.manifest is None:
            raise ToolRefusal("part_unknown", name=str(name))
        return tuple(chain(folder, start))

    def version(self, user: UserId, name: PartName, number: int | None = None) -> tuple[Path, Manifest]:
        """Return the folder and the manifest of a version, the current one when none is named."""
        for manifest in self.versions_of(user, name):
            if number is None or manifest.version == number:
                return self.folder(user, name).version(manifest.version), manifest
        raise ToolRefusal("version_unknown", name=str(name), version=number or 0)

    def results_of(self, user: UserId, name: PartName, job: str) -> JobResults:
        """Return the newest results of a job. Raises `ToolRefusal` ``part_unknown``, ``job_results_missing``, ``job_results_others``."""
        folder, versions = self.folder(user, name), self.versions_of(user, name)
        for manifest in versions:
            if job in manifest.jobs:
                summary = cast("Mapping[str, Any]", manifest.jobs[job])
                newest = manifest.version == versions[0].version
                return JobResults(manifest.version, folder.version(manifest.version) / RESULTS / job, summary, newest)
        jobs = sorted({one for manifest in versions for one in manifest.jobs})
        raise ToolRefusal("job_results_others" if jobs else "job_results_missing", name=str(name), job=job, jobs=", ".join(jobs))

    async def take_deck(self, user: UserId, name: PartName, file: Path) -> Taken:
        """Read a foreign deck in a child, with what it includes from its own folder, and keep it in our form beside the part.

        The part itself is not changed: `Taken.operation` is for a change. Raises `ToolRefusal` ``deck_unreadable``, `ModelCanFix` with the
        reading's own codes.
        """
        source = _own(file)
        if not source.is_file():
            raise ToolRefusal("deck_unreadable", file=file.name)
        folder = self.folder(user, name)
        folder.make()
        arguments: dict[str, Json] = {
            **self._bounds.arguments(),
            "folder": str(folder.path / "decks"),
            "source": str(source),
            "fresh": f"{new_id('deck')}.inp",
        }
        found = cast("dict[str, Any]", demand_here(await run_aside(TAKE, arguments, limits=self._bounds.limits)))
        return Taken(found["sha256"], source.name, found["report"], found["facts"])

    async def export(self, user: UserId, name: PartName, place: Path, form: Form, number: int | None = None) -> Manifest:
        """Write a version to *place*, replaced whole, as a deck, for a viewer (``vtu``) or as a solid picture (``glb``)."""
        folder, manifest = self.version(user, name, number)
        if form == "inp":
            _put(place, keeping.checked_bytes(self.folder(user, name), manifest, DECK))
            return manifest
        target = _own(place)
        arguments: dict[str, Json] = {
            **self._bounds.arguments(),
            "folder": str(folder),
            "sha256": manifest.deck,
            "form": form,
            "place": str(target.with_name(f"{target.name}.{new_id('new')}")),
            "target": str(target),
        }
        demand_here(await run_aside(WRITE, arguments, limits=self._bounds.limits))
        return manifest

    def result_file(self, user: UserId, name: PartName, job: str, file: str) -> bytes:
        """Return one of the files that the newest run of a job left. Raises as `results_of` does, and ``part_damaged``."""
        folder, manifest = self.folder(user, name), self.version(user, name, self.results_of(user, name, job).version)[1]
        return keeping.checked_bytes(folder, manifest, f"{RESULTS}/{job}/{file}")


def _own(place: Path) -> Path:
    """Return a place that a person named, as a child in another folder finds it."""
    return place.expanduser().absolute()


def _folders(folder: Path) -> list[Path]:
    """Return the folders of parts or models in a folder, links left out."""
    if folder.is_symlink() or not folder.is_dir():
        return []
    return [entry for entry in folder.iterdir() if NAME.fullmatch(entry.name) and entry.is_dir() and not entry.is_symlink()]


def _put(place: Path, data: bytes) -> None:
    fresh = place.with_name(f"{place.name}.{new_id('new')}")
    try:
        with fresh.open("xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        fresh.replace(place)
    finally:
        fresh.unlink(missing_ok=True)
