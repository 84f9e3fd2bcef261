"""Decides how the before/after picture of a rehearsal comes about; it must not let one that fails stop the rehearsal."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Final, Literal, TypeAlias, cast

from steadyhand.core.canonical import Json
from steadyhand.core.language import Language
from steadyhand.core.logs import get_logger
from steadyhand.domains.cae.shelf.making import Made
from steadyhand.domains.cae.shelf.places import DECK, PartFolder, read_plain
from steadyhand.domains.cae.shelf.records import At
from steadyhand.domains.cae.shelf.running import Bounds
from steadyhand.jobs.here import run_aside
from steadyhand.jobs.outcomes import Done

Form: TypeAlias = Literal["svg", "best"]
"""A plain SVG always comes; the best is a PNG where pyvista is."""
DRAW: Final = "steadyhand.domains.cae.shelf.picture_body:draw_before_after"
MOST_BYTES: Final = 16 * 1024 * 1024
log = get_logger(__name__)


async def pictures_of(
    folder: PartFolder, start: At, made: Made, bounds: Bounds, language: Language, forms: Sequence[Form]
) -> Mapping[str, bytes]:
    """Return pictures of the part before and after, by file name; none when they cannot be drawn."""
    assert made.read is not None  # noqa: S101  # its only caller has looked
    base = None if start.manifest is None else folder.version(start.base.version)
    arguments: dict[str, Json] = {
        **bounds.arguments(),
        "folder": str(made.folder),
        "base": None if base is None else str(base),
        "base_sha256": "" if start.manifest is None else start.manifest.deck,
        "sha256": made.read.files[DECK],
        "title": str(folder.name),
        "language": language,
    }
    found: dict[str, bytes] = {}
    for form in forms:  # a child each: drawing may end its process
        if form == "best" and find_spec("pyvista") is None:
            continue
        outcome = await run_aside(DRAW, {**arguments, "form": form}, limits=bounds.limits)
        if isinstance(outcome, Done):
            name = cast("str", outcome.result)
            try:
                found[name] = read_plain(made.folder / name, MOST_BYTES)
            except OSError as error:
                log.warning("picture_unreadable", part=str(folder.name), form=form, said=str(error))
        else:
            log.warning(
                "picture_failed", part=str(folder.name), form=form, kind=type(outcome).__name__, said=str(outcome)[-2000:]
            )
    return found
