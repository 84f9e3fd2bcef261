"""Decides how a deck is brought to a part and how a part is written out; it must not change one, which the change does that it opens."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import click

from steadyhand.cli.cae.desk import PART, PartDesk, refused
from steadyhand.cli.cae.propose import put_up
from steadyhand.cli.terminal.collecting import opened
from steadyhand.cli.terminal.files import made_whole
from steadyhand.cli.terminal.frame import Command, Frame, option, pass_frame
from steadyhand.cli.terminal.waiting import waited
from steadyhand.core.canonical import Json
from steadyhand.core.errors import ModelCanFix, ToolRefusal
from steadyhand.core.language import say
from steadyhand.domains.cae.choosing import shown_name
from steadyhand.domains.cae.shelf.doors import Form, Taken
from steadyhand.domains.cae.shelf.places import PartName
from steadyhand.gate.contract import Given

MOST_KEYWORDS = 40
FORMATS: Mapping[str, Form] = {".inp": "inp", ".vtu": "vtu", ".glb": "glb"}


@click.command("import", cls=Command)
@click.argument("part", type=PART)
@click.argument("file", type=click.Path(path_type=Path))
@option("--replace", text="cae_replace", is_flag=True)
@pass_frame
def import_deck(frame: Frame, part: PartName, file: Path, *, replace: bool) -> None:
    """Read a deck, tell what was found in it, and put it up for review."""
    desk = PartDesk(frame)
    _need_room(desk, part, replace=replace)
    try:
        taken = waited(frame, frame.say("waiting.reading"), desk.shelf.take_deck(desk.user, part, file))
    except ModelCanFix as error:
        raise refused(frame, error.code, error.params) from None
    row = opened(frame, desk.proposal(part, "part", Given((taken.operation(replace=replace),))))
    put_up(frame, row, _told(frame, taken), {"file": taken.file, "sha256": taken.sha256, "report": _report(frame, taken)})


def _need_room(desk: PartDesk, part: PartName, *, replace: bool) -> None:
    """Refuse a part that holds something, unless it is to be replaced."""
    summary = desk.looking().shown(desk.user, part).facts["observation"]["summary"]
    if (summary["node_count"] or summary["element_count"]) and not replace:
        raise ToolRefusal("cae_replace_needed", name=str(part), nodes=summary["node_count"], elements=summary["element_count"])


def _told(frame: Frame, taken: Taken) -> str:
    """Tell what reading found: counts, keywords kept as they came, notes."""
    summary = taken.facts["observation"]["summary"]
    counts = {"nodes": summary["node_count"], "elements": summary["element_count"]}
    told = [frame.say("cae.import.read", file=taken.file, **counts)]
    kept = cast("Sequence[Mapping[str, Any]]", taken.report["unknown"])
    for text, idle in (("cae.import.kept", False), ("cae.import.idle", True)):
        found = [one for one in kept if one["idle"] is idle]
        if found:
            told.append(frame.say(text, count=len(found)))
            told += [frame.say("cae.import.keyword", **one) for one in found[:MOST_KEYWORDS]]
        if len(found) > MOST_KEYWORDS:
            told.append(frame.say("cae.more", count=len(found) - MOST_KEYWORDS))
    notes = cast("Sequence[Mapping[str, Any]]", taken.report["notes"])
    return "\n".join([*told, *(_note(frame, note) for note in notes)])


def _note(frame: Frame, note: Mapping[str, Any]) -> str:
    return say(frame.language, f"deck_note.{note['code']}", **note)


def _report(frame: Frame, taken: Taken) -> Json:
    notes = [{**note, "text": _note(frame, note)} for note in taken.report["notes"]]
    return {"unknown": list(taken.report["unknown"]), "notes": notes, "files": list(taken.report["files"])}


@click.command(cls=Command)
@click.argument("part", type=PART)
@option("--format", "form", text="cae_format", type=click.Choice(tuple(FORMATS.values())))
@option("--out", text="out", type=click.Path(path_type=Path))
@option("--version", "number", text="cae_version", type=click.IntRange(1))
@option("--result", "job", text="cae_export_result")
@option("--force", text="force", is_flag=True)
@pass_frame
def export(
    frame: Frame, part: PartName, form: Form | None, out: Path | None, number: int | None, *, force: bool, **asked: Any
) -> None:
    """Write a part to a file."""
    job = cast("str | None", asked["job"])
    chosen = form or _form(out, job)
    if job is not None and (chosen != "vtu" or number is not None):
        raise ToolRefusal("cae_results_are_vtu")
    desk = PartDesk(frame)
    file = out or Path(f"{part.part}-{job}.vtu" if job else f"{part.part}.{chosen}")
    if job is not None:
        results = desk.shelf.results_of(desk.user, part, job)
        version = results.version
        made_whole(
            file, lambda place: place.write_bytes(desk.shelf.result_file(desk.user, part, job, "results.vtu")), force=force
        )
    else:
        version = _export(desk, part, file, chosen, number, force=force)
    size = file.stat().st_size
    shown = click.format_filename(file)
    text = frame.say("cae.exported", file=shown, bytes=size, part=shown_name(part), version=version)
    frame.show(text, {"file": shown, "bytes": size, "format": chosen, "part": str(part), "version": version, "result": job})


def _form(out: Path | None, job: str | None) -> Form:
    if out is None:
        return "inp" if job is None else "vtu"
    found = FORMATS.get(out.suffix.lower())
    if found is None:
        raise ToolRefusal("cae_format_unknown", file=click.format_filename(out.name))
    return found


def _export(desk: PartDesk, part: PartName, file: Path, form: Form, number: int | None, *, force: bool) -> int:
    frame, written = desk.frame, [0]

    def make(place: Path) -> None:
        text = frame.say("waiting.writing")
        written[0] = waited(frame, text, desk.shelf.export(desk.user, part, place, form, number)).version

    try:
        made_whole(file, make, force=force)
    except ModelCanFix as error:
        raise refused(frame, error.code, error.params) from None
    return written[0]
