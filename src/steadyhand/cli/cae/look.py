"""Decides how the person's parts are listed and one of them is told; it must not load a mesh, which closer looks do in a child."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import click

from steadyhand.cli.cae.desk import PART, PartDesk
from steadyhand.cli.cae.results import result_lines
from steadyhand.cli.terminal.frame import Command, Frame, pass_frame
from steadyhand.core.canonical import Json
from steadyhand.core.clock import from_text, local
from steadyhand.core.ids import change_name
from steadyhand.domains.cae.choosing import shown_name
from steadyhand.domains.cae.observing.looking import Shown
from steadyhand.domains.cae.observing.wording import told_parts, told_summary
from steadyhand.domains.cae.shelf.places import PartName
from steadyhand.domains.cae.shelf.records import Manifest

MOST_VERSIONS = 20


@click.command(cls=Command)
@pass_frame
def parts(frame: Frame) -> None:
    """List the parts."""
    desk = PartDesk(frame)
    found, broken = desk.looking().all(desk.user)
    rows: list[Json] = [
        {"part": str(one.name), "version": one.version, "summary": one.facts["observation"]["summary"]} for one in found
    ]
    text = told_parts(found, None, frame.language, broken)
    frame.show(text if found or broken else f"{text}\n{frame.say('cae.begin')}", {"parts": rows})


@click.command(cls=Command)
@click.argument("part", type=PART)
@pass_frame
def show(frame: Frame, part: PartName) -> None:
    """Tell a part: what it is, its versions, its results."""
    desk = PartDesk(frame)
    shown = desk.shown(part)
    versions = desk.shelf.versions_of(desk.user, part)
    results = _results(versions)
    lines = [_summary(frame, shown), *_version_lines(frame, versions), *_audit_lines(desk, part, versions)]
    for name in sorted(results):
        manifest = results[name]
        if manifest is not versions[0] and manifest.regions != versions[0].regions:
            lines.append(frame.say("cae.result.older", job=name, version=manifest.version))
        lines += result_lines(frame, name, cast("Mapping[str, Any]", manifest.jobs[name]))
    data: dict[str, Json] = {
        "part": str(part),
        "version": shown.version,
        "observation": shown.facts["observation"],
        "detail": shown.facts["detail"],
        "versions": [_version_json(manifest) for manifest in versions],
        "results": {name: {"version": one.version, "summary": one.jobs[name]} for name, one in results.items()},
    }
    frame.show("\n".join(lines), data)


def _summary(frame: Frame, shown: Shown) -> str:
    """Return what the part is; one without anything is told in a line."""
    detail = shown.facts["detail"]
    if shown.facts["observation"]["summary"]["node_count"] or any(detail[name] for name in ("materials", "sections", "kept")):
        return told_summary(shown, frame.language)
    return frame.say("cae.empty", part=shown_name(shown.name), version=shown.version)


def _audit_lines(desk: PartDesk, part: PartName, versions: Sequence[Manifest]) -> list[str]:
    """Return where the newest audit reports lie."""
    for manifest in versions:
        names = sorted(name for name in manifest.files if name.endswith("_audit.json"))
        if names:
            folder, _ = desk.shelf.version(desk.user, part, manifest.version)
            return [desk.frame.say("cae.audits", version=manifest.version, files=", ".join(str(folder / name) for name in names))]
    return []


def _results(versions: Sequence[Manifest]) -> dict[str, Manifest]:
    """Return, by job, the newest version that holds its results."""
    found: dict[str, Manifest] = {}
    for manifest in versions:
        for name in manifest.jobs:
            found.setdefault(name, manifest)
    return found


def _version_lines(frame: Frame, versions: Sequence[Manifest]) -> list[str]:
    rows = [frame.say("cae.versions", count=len(versions))]
    for manifest in versions[:MOST_VERSIONS]:
        when = local(from_text(manifest.created), frame.app.user.zone).strftime("%Y-%m-%d %H:%M")
        jobs = ", ".join(sorted(manifest.jobs))
        mark = frame.say("cae.version_jobs", jobs=jobs) if jobs else ""
        row = frame.say("cae.version", version=manifest.version, change=change_name(manifest.number), when=when, jobs=mark)
        rows.append(row)
    if len(versions) > MOST_VERSIONS:
        rows.append(frame.say("cae.more", count=len(versions) - MOST_VERSIONS))
    return rows


def _version_json(manifest: Manifest) -> Json:
    return {
        "version": manifest.version,
        "base": manifest.base.version,
        "change": change_name(manifest.number),
        "created": manifest.created,
        "deck_sha256": manifest.deck,
        "jobs": sorted(manifest.jobs),
    }
