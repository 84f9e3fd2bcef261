"""Decides how a version is written in another form by a child process; it must not write beside the place that it is given."""

from pathlib import Path
from typing import cast

from steadyhand.core.canonical import Json
from steadyhand.domains.cae.shelf.bodies import load, refused, settle
from steadyhand.jobs.bodies import Arguments, Report, body


@body
def write_form(arguments: Arguments, payload: bytes, report: Report) -> Json:
    """Write the version in ``folder`` as ``vtu`` or ``glb`` to a fresh file, and put that in the place of ``target``."""
    del payload, report
    folder = settle(arguments)
    from steadyhand.domains.cae.engine.export.gltf import write_glb  # noqa: PLC0415  # numpy is loaded in a child that has its limits
    from steadyhand.domains.cae.engine.export.vtu import write_vtu  # noqa: PLC0415  # as above

    part = load(folder, cast("str", arguments["sha256"]))
    fresh, target = Path(cast("str", arguments["place"])), Path(cast("str", arguments["target"]))
    write = write_vtu if arguments["form"] == "vtu" else write_glb
    try:
        refused(lambda: write(fresh, part))
        fresh.replace(target)
    finally:
        fresh.unlink(missing_ok=True)
    return None
