"""Decides how a table of conformance cases is run and told at the command line. It must not open a database, nor judge a case."""

import json
from pathlib import Path
from typing import cast

import click

from steadyhand.cli.terminal.frame import REFUSED, Command, Frame, Group, pass_frame
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.language import has, say


@click.group(cls=Group)
def conformance() -> None:
    """Tables of cases."""


@conformance.command(cls=Command)
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="FILE...")
@pass_frame
def schedule(frame: Frame, files: tuple[Path, ...]) -> None:
    """Run tables of timetable cases."""
    from steadyhand.domains.schedule.conformance import lines, run_file

    for file in files:
        _must_be_a_table(frame, file)
    results = [result for file in files for result in run_file(file)]
    failed = sum(not result.passed for result in results)
    cases = [{"id": one.id, "passed": one.passed, "reason": one.reason} for one in results]
    frame.show("\n".join(lines(results, frame.language)), {"passed": len(results) - failed, "failed": failed, "cases": cases})
    if failed:
        raise click.exceptions.Exit(REFUSED)


@conformance.command(cls=Command)
@click.argument("paths", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="DIR...")
@pass_frame
def streams(frame: Frame, paths: tuple[Path, ...]) -> None:
    """Play recorded streams to the adapter."""
    from steadyhand.core.logs import configure
    from steadyhand.llm.conformance import Case, Unreadable, read_cases, run_cases

    cases: list[Case] = []
    for path in paths:
        try:
            cases += read_cases(path)
        except Unreadable as error:
            message = f"cli.conformance.streams.{error.fault}"
            words = say(frame.language, message) if has(frame.language, message) else error.fault
            raise _unreadable(error.file, words) from None
        except OSError as error:
            raise _unreadable(path, error.strerror or str(error)) from None
    configure("warning")  # that a recorded failure is asked for again is no news
    results = frame.run(run_cases(cases))
    failed = [one for one in results if not one.passed]
    lines = [
        frame.say("conformance.streams.failure", id=one.id, expected=_brief(one.expected), found=_brief(one.found))
        for one in failed
    ]
    closing = frame.say("conformance.streams.passed", passed=len(results) - len(failed), failed=len(failed))
    told = [{"id": one.id, "passed": one.passed, "expected": one.expected, "found": one.found} for one in results]
    frame.show("\n".join([*lines, closing]), {"passed": len(results) - len(failed), "failed": len(failed), "cases": told})
    if failed:
        raise click.exceptions.Exit(REFUSED)


def _brief(told: object) -> str:
    return json.dumps(told, ensure_ascii=True)


def _must_be_a_table(frame: Frame, path: Path) -> None:
    """Refuse what cannot be read at all before any case runs; a bad case in a good table only fails itself."""
    for file in sorted(path.glob("*.json")) if path.is_dir() else [path]:
        try:
            table: object = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise _unreadable(file, getattr(error, "strerror", None) or str(error)) from None
        if not isinstance(table, dict) or not isinstance(cast("dict[str, object]", table).get("cases"), list):
            raise _unreadable(file, frame.say("conformance.no_table"))


def _unreadable(file: Path, reason: str) -> ToolRefusal:
    return ToolRefusal("file_unreadable", file=click.format_filename(file), reason=reason)
