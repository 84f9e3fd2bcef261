"""Whatever stands in a name, a text or a file, no command lets a mark reach the terminal that does anything but print."""

import re
import shlex
import sqlite3

import click
import pytest

from command_line.ground import in_here
from steadyhand.cli.main import steady
from steadyhand.cli.terminal.printing import JOINERS, KEPT, echo, styled

NASTY = "<\x1b[2J\x1b[H\x1b[31m\x1b]52;c;cHduZWQ=\x07\x9b1m\u202e\u200b\u2028\x85\r\x08C-1: verified>"
OURS = re.compile(r"\x1b\[(?:0|2|31|32|33|34|35|36|92|93)m")

FREE = {
    "accounts": ("account",),
    "calendar_facts": (),
    "changes": ("request", "spec"),
    "decisions": ("words", "door"),
    "jobs": ("title", "reason"),
    "messages": ("content",),
    "outbox": ("content", "reason"),
    "schedule_events": ("name",),
    "schedules": ("location", "teacher"),
    "sessions": ("name",),
    "steps": ("name",),
    "task_classes": ("name",),
    "task_items": ("content",),
    "terms": ("scale_name",),
    "users": ("name",),
    "wakeup_runs": ("note",),
    "wakeups": ("name", "followup_reason", "assistant_commitment_text", "text", "last_error"),
}
"""The columns that hold words of somebody."""

SHOWING = {
    "change list": "",
    "change show": "1",
    "change deny": "2",
    "channel list": "",
    "cae parts": "",
    "cae show": "plate",
    "cae observe": "plate",
    "cron list": "",
    "cron runs": "1",
    "doctor": "",
    "followup list": "",
    "job list": "",
    "job show": "1",
    "schedule show": "--week 2",
    "schedule load": "",
    "schedule facts list": "",
    "schedule scale show": "",
    "schedule course list": "",
    "schedule tasks list": "",
    "schedule why": "99",
    "schedule compare": "greedy greedy",
    "schedule resolve": "'no \x1b[2J time'",
    "schedule tool": "get_overview {}",
    "session list": "",
    "session show": "1",
    "session export": "1",
    "session rename": "1 'new \x1b[2J'",
    "user show": "",
    "chat": "--once 'show me this week' --session desk",
}
WRITTEN_OUT = {"cron list", "followup list", "session export", "session list", "session show"}
ELSEWHERE = {
    *(
        "schedule import",
        "schedule export",
        "schedule term",
        "schedule facts add",
        "schedule facts remove",
        "schedule scale remove",
    ),
    *(
        "schedule scale season",
        "schedule course add",
        "schedule course edit",
        "schedule course embeddable",
        "schedule course remove",
    ),
    *("schedule tasks add", "schedule tasks edit", "schedule tasks remove", "schedule tasks split", "schedule habits add"),
    *("schedule window", "schedule arrange", "schedule place", "schedule move", "schedule swap", "schedule unplace"),
    *("schedule reopen", "schedule undo", "schedule redo", "schedule discard", "schedule propose", "cae propose", "cae undo"),
    *(
        "cae solve",
        "cae picture",
        "cae import",
        "cae export",
        "change approve",
        "change confirm",
        "change export",
        "change recheck",
    ),
    *("change repair", "change undo", "change verify-export", "channel bind", "channel pair", "channel unbind", "user set"),
    *("conformance schedule", "conformance streams", "serve", "worker", "mcp", "job cancel", "backup", "restore", "migrate"),
    *("session delete", "cron add", "cron disable", "cron enable", "cron remove", "followup add-text", "followup cancel"),
}
"""They print through the same one door; each is fed with a name that is none, full of such marks."""


def commands(group, path=()):
    context = click.Context(group)
    for name in group.list_commands(context):
        inner = group.get_command(context, name)
        yield from commands(inner, (*path, name)) if isinstance(inner, click.Group) else [(" ".join((*path, name)), inner)]


@pytest.fixture
def raw(monkeypatch):
    """What is printed comes as it would at a terminal: click takes nothing out."""
    monkeypatch.setattr("click.utils.should_strip_ansi", lambda *_given, **_more: False)


@pytest.fixture
def poisoned(seeded, raw, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # what takes a name for a file's may write it
    deck = tmp_path / "deck.inp"
    deck.write_text("*NODE\n1,0,0,0\n2,1,0,0\n*ELEMENT,TYPE=B31,ELSET=ALL\n1,1,2\n*NSET,NSET=ENDS\n1,2\n", encoding="utf-8")
    in_here(seeded.data_dir, "cae", "import", "plate", str(deck))
    seeded("chat", "--once", "show me this week", "--session", "desk")
    seeded("cron", "add", "look for mail", "--every", "2h", "--name", "mail")
    seeded("followup", "add-text", "2029-01-01T08:00", "a new year")
    seeded("schedule", "arrange")
    seeded("schedule", "propose")
    with sqlite3.connect(seeded.database) as connection:
        for table, columns in FREE.items():
            for column in columns:
                connection.execute(f"UPDATE {table} SET {column} = {column} || ? WHERE {column} IS NOT NULL", (NASTY,))
    connection.close()
    return seeded


def unseen(text):
    """Return the marks in *text* that a terminal may obey and that are not ours."""
    left = OURS.sub("", text)
    return {mark for mark in left if not (mark.isprintable() or mark in KEPT or mark in JOINERS)} | (
        {"red of others"} if "\x1b[31m\\u001b" in text or "\x1b[31m\x1b]" in text else set()
    )


def test_every_command_is_walked():
    assert {name for name, _ in commands(steady)} == {*SHOWING, *ELSEWHERE}


def test_no_command_lets_a_mark_through(poisoned):
    """One test, since what it stands on takes long to make: what is stored, as prose and as data, then the words of the command itself."""
    found, shown = {}, []
    for name, words in SHOWING.items():
        for form in ((), ("--json",)):
            answer = poisoned(*form, *name.split(), *shlex.split(words))
            text = answer.out + answer.err
            assert text.strip(), name
            marks = unseen(text)
            shown += [name] if "\\u001b[2J" in text else []
            if marks:
                found[name, form] = marks
    assert found == {}
    assert set(shown) >= WRITTEN_OUT, "what others wrote is shown, made visible"
    for name in ELSEWHERE - {"serve", "worker", "mcp", "migrate"}:
        command = dict(commands(steady))[name]
        wanted = [f"no{NASTY}" for param in command.params if isinstance(param, click.Argument) and param.required]
        answer = poisoned(*name.split(), *wanted)
        marks = unseen(answer.out + answer.err)
        if marks:
            found[name] = marks
    assert found == {}


def test_what_is_painted_is_ours_and_what_looks_like_it_is_written_out(raw, capsys):
    echo(styled(f"red {NASTY}", fg="red") + f" plain {NASTY}")
    text = capsys.readouterr().out
    assert text.startswith("\x1b[31mred <\\u001b[2J")
    assert text.count("\x1b") == 2
    assert unseen(text) == set()
