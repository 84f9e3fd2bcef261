"""Decides which picture a command means (a part, a result, a change that waits) and as what it is written. It must not draw, which a child does."""

from importlib.util import find_spec
from pathlib import Path

import click

from steadyhand.cli.cae.desk import PartDesk
from steadyhand.cli.terminal.files import write_whole
from steadyhand.cli.terminal.frame import Command, Frame, option, pass_frame
from steadyhand.cli.terminal.waiting import waited
from steadyhand.core.canonical import Json
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import change_name, parse_change_name
from steadyhand.domains.cae.choosing import named, shown_name
from steadyhand.domains.cae.shelf.picturing import draw
from steadyhand.gate.preparing import REHEARSED
from steadyhand.store.changes import records

USUAL_JOB = "static"
KINDS = {".svg": "svg", ".png": "png"}


@click.command(cls=Command)
@click.argument("what", metavar="PART|C-N")
@option("--result", "job", text="cae_result", is_flag=False, flag_value=USUAL_JOB)
@option("--version", "number", text="cae_version", type=click.IntRange(1))
@option("--out", text="out", type=click.Path(path_type=Path))
@option("--svg", "kind", text="cae_svg", flag_value="svg")
@option("--png", "kind", text="cae_png", flag_value="png")
@option("--force", text="force", is_flag=True)
@pass_frame
def picture(
    frame: Frame, what: str, job: str | None, number: int | None, out: Path | None, kind: str | None, *, force: bool
) -> None:
    """Draw a part, a result, or what a change would do."""
    wanted = _kind(out, kind)
    change = parse_change_name(what) if what.upper().startswith("C-") else None
    if (change is not None and (job or number)) or (job and number):
        raise ToolRefusal("cae_picture_of_one")
    if change is not None:
        about, name, (found, data) = {"change": change_name(change)}, change_name(change), _of_change(frame, change, wanted)
    else:
        about, name, (found, data) = _of_part(frame, what, job, number, wanted)
    if wanted == "png" and found != "png":
        raise ToolRefusal("cae_png_missing")
    file = out or Path(f"{name}.{found}")
    write_whole(file, data, force=force)
    shown = click.format_filename(file)
    text = frame.say("cae.pictured", file=shown, bytes=len(data))
    if found == "svg" and wanted is None and find_spec("pyvista") is None:
        text += "\n" + frame.say("cae.pictured_plain")
    frame.show(text, {**about, "file": shown, "bytes": len(data), "format": found})


def _kind(out: Path | None, kind: str | None) -> str | None:
    """Return which kind of file is wanted, None when either does; the name of the file says it too."""
    if out is None:
        return kind
    named_kind = KINDS.get(out.suffix.lower())
    if named_kind is None or (kind is not None and kind != named_kind):
        raise ToolRefusal("cae_picture_kind", file=click.format_filename(out.name))
    return named_kind


def _of_part(
    frame: Frame, what: str, job: str | None, number: int | None, wanted: str | None
) -> tuple[dict[str, Json], str, tuple[str, bytes]]:
    desk, part = PartDesk(frame), named(what)
    bounds = desk.engineering.bounds
    form = "svg" if wanted == "svg" else "best"
    work = draw(desk.shelf, bounds, desk.user, part, frame.language, form, version=number, job=job)
    drawn = waited(frame, frame.say("waiting.drawing"), work)
    about: dict[str, Json] = {"part": str(part), "version": drawn.version, "result": job}
    name = "-".join(one for one in (shown_name(part).replace("/", "-"), job) if one)
    return about, name, (drawn.kind, drawn.data)


def _of_change(frame: Frame, number: int, wanted: str | None) -> tuple[str, bytes]:
    """Return what the rehearsal of a change has drawn."""
    app = frame.app
    row = frame.run(app.controller.current(app.user.id, number))
    kept = app.store.read_now(lambda tx: records.artifacts_of(tx, row.user_id, row.id))
    drawn = {kind: kept[name] for kind in ("png", "svg") if (name := f"{REHEARSED}before_after.{kind}") in kept}
    if not drawn:
        raise ToolRefusal("cae_change_without_picture", name=change_name(number))
    found = wanted if wanted in drawn else next(iter(drawn))
    return found, drawn[found]
