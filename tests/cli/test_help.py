"""Help and refusals are complete: every command, option and refusal has its words in both languages."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from command_line.ground import ROOT, in_here
from steadyhand.cli.main import steady
from steadyhand.cli.terminal.frame import Option
from steadyhand.core.language import LANGUAGES, Language, has


def _commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from _commands(found, (*path, name))


SCHEDULE = [(path, command) for path, command in _commands(steady) if path[:1] in ((), ("schedule",), ("change",))]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_and_option_is_explained(language: Language) -> None:
    missing = [
        path for path, _ in SCHEDULE if not has(language, ".".join(["cli", *(path or ("root",)), "help"]).replace("-", "_"))
    ]
    missing += [
        (*path, parameter.name)
        for path, command in SCHEDULE
        for parameter in command.params
        if isinstance(parameter, Option) and not has(language, f"cli.option.{parameter.help}")
    ]
    assert missing == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_help_is_shown_in_the_language_asked_for(language: Language, data_dir: Path) -> None:
    for path, _ in SCHEDULE:
        answer = in_here(data_dir, "--lang", language, *path, "--help")
        assert answer.code == 0, (path, answer)
        assert ("用法：" in answer.out) == (language == "zh-CN")
    assert not (data_dir / "steadyhand.db").exists()


def test_every_refusal_that_the_command_line_or_the_timetable_raises_has_its_words() -> None:
    folders = (ROOT / "src" / "steadyhand" / "cli", ROOT / "src" / "steadyhand" / "domains" / "schedule")
    raised = {
        code
        for folder in folders
        for file in folder.rglob("*.py")
        for code in re.findall(r'(?:ToolRefusal|ModelCanFix)\(\s*"([a-z_]+)"', file.read_text(encoding="utf-8"))
    }
    assert "no_term" in raised
    for language in LANGUAGES:
        missing = [
            code
            for code in sorted(raised)
            if not all(has(language, f"error.{code}.{part}") for part in ("summary", "detail", "next"))
        ]
        assert missing == [], language
