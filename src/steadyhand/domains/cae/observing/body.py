"""Decides how the closer layers of observation are read in a child process. It must not choose a part or a path: both are given."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from steadyhand.core.canonical import Json
from steadyhand.domains.cae.shelf.bodies import load
from steadyhand.jobs.bodies import Arguments, Report, body

if TYPE_CHECKING:
    from steadyhand.domains.cae.engine.regions import Region


@body
def look(arguments: Arguments, payload: bytes, report: Report) -> Json:
    """Read the version in ``folder``: its regions, or with ``region`` the rows of a selection. A refusal is an answer too."""
    del payload, report
    from steadyhand.domains.cae.engine.errors import EngineRefusal  # noqa: PLC0415  # numpy is for this process alone
    from steadyhand.domains.cae.engine.observe import detail, regions  # noqa: PLC0415  # as above

    part = load(Path(cast("str", arguments["folder"])), cast("str", arguments["deck"]))
    given = cast("dict[str, Any]", arguments)
    try:
        if given["region"] is None:
            return {"told": cast("Json", regions(part))}
        rows = detail(part, _region(given["region"]), given["kind"], given["offset"], given["limit"])
        return {"told": cast("Json", rows)}
    except EngineRefusal as error:
        return {"code": error.code, "params": dict(error.params)}


def _region(given: Mapping[str, Any]) -> "Region":
    """Return the engine's region for the words of a call; see `calls.words.Region`."""
    from steadyhand.domains.cae.engine.regions import Region  # noqa: PLC0415  # numpy is for this process alone
    from steadyhand.domains.cae.engine.shapes import Axis, Shape  # noqa: PLC0415  # with it

    box, plane, labels = given["box"], given["plane"], given["labels"]
    return Region(
        set=given["set"],
        labels=None if labels is None else tuple(labels),
        box=None if box is None else (tuple(box["minimum"]), tuple(box["maximum"])),
        plane=None if plane is None else (Axis[plane["axis"]], plane["at"]),
        side=given["side"],
        everything=bool(given["all"]),
        shapes=tuple(Shape[name] for name in given["shapes"]),
    )
