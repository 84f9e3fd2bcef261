"""Decides how a picture of a stored version or of a job's results comes about, by a child process; it must not keep one."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias, cast

from steadyhand.core.canonical import Json
from steadyhand.core.ids import UserId
from steadyhand.core.language import Language, say
from steadyhand.domains.cae.shelf.doors import Shelf
from steadyhand.domains.cae.shelf.places import RESULTS, PartName, read_plain
from steadyhand.domains.cae.shelf.running import Bounds, demand_here
from steadyhand.jobs.here import run_aside

Form: TypeAlias = Literal["svg", "best"]
DRAW: Final = "steadyhand.domains.cae.shelf.picture_body:draw_version"
ARRAYS: Final = "results.npz"
MOST_BYTES: Final = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture: of which version, as which kind of file (``svg`` or ``png``), its bytes."""

    version: int
    kind: str
    data: bytes


async def draw(
    shelf: Shelf,
    bounds: Bounds,
    user: UserId,
    name: PartName,
    language: Language,
    form: Form,
    *,
    version: int | None = None,
    job: str | None = None,
) -> Drawn:
    """Draw a version, the current one when none is named; with *job* what its newest run says of the part that it was run on.

    Raises `ToolRefusal` ``part_unknown``, ``version_unknown``, ``job_results_missing``.
    """
    number = version if job is None else shelf.results_of(user, name, job).version
    folder, manifest = shelf.version(user, name, number)
    arguments: dict[str, Json] = {
        **bounds.arguments(),
        "folder": str(folder),
        "sha256": manifest.deck,
        "results": None if job is None else str(folder / RESULTS / job / ARRAYS),
        "results_sha256": "" if job is None else manifest.files[f"{RESULTS}/{job}/{ARRAYS}"],
        "quantity": say(language, "cae.picture_of.von_mises"),
        "title": say(
            language, f"cae.picture_of.{'part' if job is None else 'job'}", name=name, version=manifest.version, job=job
        ),
        "language": language,
        "form": form,
    }
    with tempfile.TemporaryDirectory(prefix="steadyhand-") as scratch:
        arguments["place"] = scratch
        found = cast("str", demand_here(await run_aside(DRAW, arguments, limits=bounds.limits)))
        data = read_plain(Path(scratch) / found, MOST_BYTES)
    return Drawn(manifest.version, found.rpartition(".")[2], data)
