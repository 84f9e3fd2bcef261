"""Decides how the report of an import is put before a person: by verdict, what was kept counted first. It must not judge an entry."""

from collections.abc import Iterable

from steadyhand.cli.terminal.frame import Frame
from steadyhand.core.canonical import Json
from steadyhand.core.language import say
from steadyhand.domains.schedule.imports.report import VERDICTS, Entry, sentence

MAX_LINES = 40
MAX_KEPT = 15


def report_text(frame: Frame, entries: Iterable[Entry]) -> str:
    """Return every verdict with its entries; very long lists are cut, and the cut is said."""
    told = list(entries)
    lines: list[str] = []
    for verdict in VERDICTS:
        mine = [entry for entry in told if entry.verdict == verdict]
        if not mine:
            continue
        most = MAX_KEPT if verdict == "kept" else MAX_LINES
        name = say(frame.language, f"import.verdict.{verdict}")
        lines.append(frame.say("schedule.report.heading", verdict=name, count=len(mine)))
        lines += [f"  {sentence(frame.language, entry)}" for entry in mine[:most]]
        if len(mine) > most:
            lines.append("  " + frame.say("schedule.report.more", count=len(mine) - most))
    return "\n".join(lines)


def report_json(frame: Frame, entries: Iterable[Entry]) -> Json:
    """Return every entry by verdict, in words and as data."""
    told = list(entries)
    return {
        verdict: [
            {"code": one.code, "line": one.line, "params": dict(one.params), "text": sentence(frame.language, one)}
            for one in told
            if one.verdict == verdict
        ]
        for verdict in VERDICTS
    }
