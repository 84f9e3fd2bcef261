"""Decides what `steady doctor` looks at and how it is told. It must not mend anything, and it works on whatever is broken.

With ``--provider`` it looks at the model alone, since that asks a server, which takes time and may cost money.
"""

import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import cast

import click

from steadyhand import __version__
from steadyhand.cli.house import mcp_status
from steadyhand.cli.terminal import overdue
from steadyhand.cli.terminal.frame import REFUSED, Command, Frame, option, pass_frame
from steadyhand.cli.terminal.printing import styled
from steadyhand.core.canonical import Json
from steadyhand.core.clock import system_zone, zone_exists
from steadyhand.core.config import Settings, place_of, settings_file
from steadyhand.core.errors import Param, SteadyhandError, StoreUnavailable
from steadyhand.core.explain import explain
from steadyhand.core.hiding import HIDDEN, hide, speaks_of_a_secret
from steadyhand.core.ids import LOCAL_USER, change_name
from steadyhand.core.language import say
from steadyhand.core.owners import is_gone
from steadyhand.domains.registration import Registration
from steadyhand.gate.machine import ENDED, State
from steadyhand.gate.recovery import at_work
from steadyhand.gate.sealing import seal_holds
from steadyhand.store import Store
from steadyhand.store.changes import changes
from steadyhand.store.database import address
from steadyhand.store.people import people
from steadyhand.store.upkeep import health, schema
from steadyhand.store.upkeep.health import Finding, Level, failure, safely
from steadyhand.wiring.domains import DOMAINS

LIBRARIES = ("sqlalchemy", "alembic", "pydantic", "click", "icalendar", "psycopg")
SAMPLE_ZONES = ("Asia/Shanghai", "Europe/London")
COLOURS: Mapping[Level, str] = {"ok": "green", "warn": "yellow", "fail": "red"}


@dataclass(frozen=True, slots=True)
class Line:
    """A finding in words."""

    finding: Finding
    text: str


@click.command(cls=Command)
@option("--provider", text="doctor_provider", is_flag=True)
@pass_frame
def doctor(frame: Frame, *, provider: bool) -> None:
    """Look whether everything is in order."""
    findings = [] if provider else safely("versions", _versions) + safely("zone_data", _zone_data)
    settings, told = _settings()
    findings += told
    if settings is not None:
        findings += _model(frame, settings) if provider else _installation(frame, settings)
        frame.asked = frame.asked or settings.language
    url = "" if settings is None else settings.url
    lines = [_in_words(frame, finding, url) for finding in findings]
    failed = sum(line.finding.level == "fail" for line in lines)
    in_force = [] if settings is None else _in_force(settings)
    _print(frame, lines, [one for one in in_force if not provider or one[0].startswith("model_")], failed)
    if failed:
        raise click.exceptions.Exit(REFUSED)


def _model(frame: Frame, settings: Settings) -> list[Finding]:
    from steadyhand.cli.house.doctor_provider import looks
    from steadyhand.core.logs import configure

    configure(settings.log_level)
    return frame.run(looks(frame, settings))


def _installation(frame: Frame, settings: Settings) -> list[Finding]:
    findings = safely("missing", lambda: _missing(settings)) + safely("folder", lambda: health.folder(settings.data_dir))
    findings += safely("mcp", lambda: mcp_status.findings(settings, frame.language))
    try:
        store = Store(settings.url)
    except SteadyhandError as error:
        return [*findings, failure("database", error), Finding("host", "ok", "no_host")]
    file = store.file
    try:
        if file is not None:
            findings += safely("file_system", lambda: health.file_system(file.absolute().parent))
        found = safely("database", lambda: health.database(store))
        findings += found
        if any(finding.code == "db_version" for finding in found):
            findings += safely("database", lambda: health.stored(store))
            findings += safely("folder", lambda: health.links(settings.workspace_dir))
            findings += safely("changes", lambda: _changes(store)) + safely("person", lambda: _person(frame, settings, store))
            findings += [one for record in DOMAINS for one in safely("parts", partial(_stands, record, settings, store))]
            findings += safely("due", lambda: overdue.due(store))
        else:
            findings += safely("person", lambda: _nobody_yet(settings))
        findings += safely("host", lambda: overdue.host(store)) + _openers([] if file is None else health.open_in(file))
    finally:
        store.close()
    return findings


# ---- what is looked at -----------------------------------------------------------------------------------------------


def _versions() -> Iterator[Finding]:
    values: dict[str, Param] = {
        "version": __version__,
        "python": platform.python_version(),
        "system": platform.platform(terse=True),
    }
    yield Finding("versions", "ok", "program", values)
    yield health.sqlite()
    found = [f"{name} {installed}" for name in LIBRARIES if (installed := _installed(name))]
    yield Finding("versions", "ok", "libraries", {"list": ", ".join(found)})


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _zone_data() -> Iterator[Finding]:
    missing = [name for name in SAMPLE_ZONES if not zone_exists(name)]
    if missing:
        yield Finding("zone_data", "fail", "zones_missing", {"name": missing[0]})
    else:
        yield Finding("zone_data", "ok", "zones", {"version": _installed("tzdata") or "-", "zone": system_zone()})


def _settings() -> tuple[Settings | None, list[Finding]]:
    from steadyhand.core.config import load_settings

    try:
        settings = load_settings()
    except SteadyhandError as error:
        return None, [failure("settings", error), Finding("settings", "warn", "not_looked")]
    file = settings_file()
    code = "settings_file" if file.is_file() else "settings_no_file"
    return settings, [Finding("settings", "ok", code, {"file": str(file)})]


def _missing(settings: Settings) -> Iterator[Finding]:
    if not settings.on_sqlite and not _installed("psycopg"):
        yield failure("missing", StoreUnavailable("database_driver_missing", reason="psycopg"))
    for record in DOMAINS:
        yield from record.checks(settings)
    if settings.policy_exec != "deny" and sys.platform == "linux":
        yield _fence(settings)


def _fence(settings: Settings) -> Finding:
    """Run a command that does nothing inside the fence: whether it is installed says little, a system may forbid it."""
    from steadyhand.core.clock import SystemClock
    from steadyhand.jobs.here import Limits
    from steadyhand.tools.builtin.shell import fence_works

    bwrap, required = shutil.which("bwrap"), settings.shell_fence == "required"
    if bwrap is None:
        return Finding("missing", "fail" if required else "warn", "no_bwrap", {"setting": settings.shell_fence})
    with tempfile.TemporaryDirectory() as folder:
        works = fence_works(bwrap, folder, Limits(memory_mib=settings.job_memory_mib), SystemClock())
    if works:
        return Finding("missing", "ok", "fence", {"program": bwrap})
    return Finding("missing", "warn" if settings.shell_fence == "when_possible" else "fail", "fence_broken", {"program": bwrap})


def _changes(store: Store) -> Iterator[Finding]:
    open_states = [state.value for state in State if state not in ENDED]
    rows = store.read_now(lambda tx: changes.in_states(tx, open_states))
    now = store.clock.now()
    unknown = [row for row in rows if row.state == State.UNKNOWN]
    orphans = [row for row in rows if at_work(row) and is_gone(row.claim, now)]
    yield Finding("changes", "ok", "changes_open", {"count": len(rows) - len(unknown)})
    if unknown:
        names = ", ".join(change_name(row.number) for row in unknown)
        yield Finding("changes", "warn", "changes_unknown", {"count": len(unknown), "names": names, "first": unknown[0].number})
    altered = [row for row in store.read_now(lambda tx: changes.in_states(tx, list(State))) if row.seal and not seal_holds(row)]
    if altered:
        yield Finding("changes", "fail", "changes_altered", {"names": ", ".join(change_name(row.number) for row in altered[:10])})
    if orphans:
        names = ", ".join(change_name(row.number) for row in orphans)
        yield Finding("changes", "warn", "changes_orphaned", {"count": len(orphans), "names": names})


def _person(frame: Frame, settings: Settings, store: Store) -> Iterator[Finding]:
    user = store.read_now(lambda tx: people.find_user(tx, LOCAL_USER))
    if user is None:
        yield from _nobody_yet(settings)
        return
    frame.asked = frame.asked or user.language
    known = zone_exists(user.zone)
    values: dict[str, Param] = {"language": user.language, "zone": user.zone}
    yield Finding("person", "ok" if known else "fail", "person" if known else "person_zone_unknown", values)


def _nobody_yet(settings: Settings) -> Iterator[Finding]:
    yield Finding("person", "ok", "person_none", {"zone": settings.zone or system_zone()})


def _stands(record: Registration, settings: Settings, store: Store) -> Iterator[Finding]:
    yield from record.standing(settings, store)


def _openers(openers: list[health.Opener]) -> list[Finding]:
    return [
        Finding("host", "ok", "opener_writing" if one.writing else "opener", {"pid": one.pid, "name": _process(one.pid)})
        for one in openers
    ]


def _process(pid: int) -> str:
    import psutil

    try:
        words = [Path(word).name if number == 0 else word for number, word in enumerate(psutil.Process(pid).cmdline())]
    except psutil.Error:
        return "-"
    return hide(" ".join(words))[:100]


# ---- how it is told --------------------------------------------------------------------------------------------------


def _in_words(frame: Frame, finding: Finding, url: str) -> Line:
    """Return a finding in words; what signs in to *url* is blanked in them and in its values."""
    values = {
        name: hide(address.blanked(value, url)) if isinstance(value, str) else value for name, value in finding.values.items()
    }
    return Line(replace(finding, values=values), address.blanked(_words(frame, finding), url))


def _words(frame: Frame, finding: Finding) -> str:
    if finding.error is None:
        return hide(say(frame.language, f"cli.doctor.{finding.code}", **finding.values))
    told = explain(finding.error, frame.language)
    return hide("\n      ".join(part for part in (told.summary, told.detail, told.next_step) if part))


def _in_force(settings: Settings) -> list[tuple[str, str, str]]:
    """Return name, value and place of every setting; secrets and passwords are blanked."""
    found: list[tuple[str, str, str]] = []
    for name in Settings.model_fields:
        value = getattr(settings, name)
        if name == "database_url":
            shown = address.shown(value) if value else ""
        else:
            shown = (
                HIDDEN
                if speaks_of_a_secret(name) and isinstance(value, str | Path) and str(value)
                else hide("" if value is None else str(value))
            )
        found.append((name, shown, place_of(name)))
    return found


def _print(frame: Frame, lines: list[Line], settings: list[tuple[str, str, str]], failed: int) -> None:
    warned = sum(line.finding.level == "warn" for line in lines)
    printed = [_line(frame, line) for line in lines]
    if settings:
        printed += ["", frame.say("doctor.in_force")]
        printed += [f"  {name} = {shown or '-'} ({frame.say(f'doctor.place.{place}')})" for name, shown, place in settings]
    printed += [
        "",
        frame.say(
            "doctor.sum_fail" if failed else "doctor.sum_warn" if warned else "doctor.sum_ok", failed=failed, warned=warned
        ),
    ]
    frame.show("\n".join(printed), _json(lines, settings, failed))


def _line(frame: Frame, line: Line) -> str:
    level = styled(frame.say(f"doctor.level.{line.finding.level}"), fg=COLOURS[line.finding.level])
    return f"{level}  {frame.say(f'doctor.topic.{line.finding.topic}', text=line.text)}"


def _json(lines: list[Line], settings: list[tuple[str, str, str]], failed: int) -> Json:
    looks: list[Json] = [
        {
            "topic": line.finding.topic,
            "level": line.finding.level,
            "code": line.finding.code,
            "text": line.text,
            "values": dict(line.finding.values),
        }
        for line in lines
    ]
    in_force = {name: {"value": shown, "place": place} for name, shown, place in settings}
    return {"ok": not failed, "schema": schema.HEAD, "looks": looks, "settings": cast("Json", in_force)}
