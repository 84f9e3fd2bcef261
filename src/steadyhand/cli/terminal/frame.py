"""Decides how every command is framed: language, JSON, errors, exit codes, help. It must not know what a command does.

Exit codes: 0 done as asked, 1 refused or failed, 2 the input cannot be used (nothing was changed), 130 stopped by Ctrl-C.
Help texts are message ids, looked up when they are shown: ``cli.<path>.help``, ``cli.option.<name>``.
"""

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from steadyhand.cli.terminal.printing import echo, print_data
from steadyhand.core.canonical import Json
from steadyhand.core.language import LANGUAGES, Language, choose, has, say

if TYPE_CHECKING:
    from steadyhand.core.config import Settings
    from steadyhand.wiring.app import App

T = TypeVar("T")
REFUSED, BAD_INPUT, STOPPED = 1, 2, 130
SHOWN_OF_UNSEEN = 80


class Frame:
    """What a running command is given: the words as *typed*, the language, how to print, and the program, opened when first asked for."""

    def __init__(self, typed: str = "") -> None:
        self.typed = typed
        self.asked: Language | None = None
        self.as_json = False
        self.hosts = False
        self.beside: Mapping[str, Json] = {}
        """What stands beside an error in the one document that JSON is."""
        self._opened: App | None = None
        self._since = ""

    @cached_property
    def settings(self) -> "Settings":
        from steadyhand.core.config import load_settings

        return load_settings()

    @cached_property
    def app(self) -> "App":
        from steadyhand.core.clock import to_text
        from steadyhand.core.logs import configure
        from steadyhand.gate.recovery import recover
        from steadyhand.wiring.app import open_app

        configure(self.settings.log_level)
        app = open_app(self.settings, choose(_locale()))
        self._opened, self._since = app, to_text(app.store.clock.now())
        self.asked = self.asked or app.user.language
        asyncio.run(recover(app.controller))
        return app

    def remind(self) -> None:
        """Say that reminders are due, or were just booked, and nobody sees to them; not of a command that was the host itself."""
        if self._opened is None or self.as_json or self.hosts:
            return
        from steadyhand.cli.terminal.overdue import came_with_a_backup, due_unseen, said_unseen, waits_unseen

        held = came_with_a_backup(self._opened.store)
        if held:
            echo(self.say("restore.waiting", count=held), err=True)
        said = said_unseen(self._opened.store)
        if said:
            shown = " ".join(said[0].split())[:SHOWN_OF_UNSEEN]
            echo(self.say("due.unseen", count=len(said), text=shown), err=True)
        count = due_unseen(self._opened.store)
        if count:
            echo(self.say("due.reminders", count=count), err=True)
        elif waits_unseen(self._opened.store, self._since):
            echo(self.say("due.nobody"), err=True)

    def damage(self) -> Exception | None:
        """Return, where a command broke, that stored rows cannot be read, if that is so."""
        from steadyhand.core.errors import SteadyhandError, StoreUnavailable
        from steadyhand.store import Store
        from steadyhand.store.upkeep import rows

        try:
            store = Store(self.settings.url)
            try:
                found = store.read_now(rows.damaged)
            finally:
                store.close()
        except SteadyhandError:
            return None
        return StoreUnavailable("rows_damaged", which="; ".join(found)) if found else None

    def close(self) -> None:
        """Let go of the database, if it was opened."""
        if self._opened is not None:
            self._opened.store.close()

    @property
    def language(self) -> Language:
        """The language of this command: asked for, else the stored person's once known; until then the setting's, else the locale's."""
        return self.asked or choose(os.environ.get("STEADYHAND_LANGUAGE") or _locale())

    @property
    def at_terminal(self) -> bool:
        """Whether a person can be asked: both ends are a terminal and no JSON was asked for."""
        return not self.as_json and sys.stdin.isatty() and sys.stdout.isatty()

    def say(self, message: str, **params: object) -> str:
        """Return a text of the command line's catalogue in this command's language."""
        return say(self.language, f"cli.{message}", **params)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run an asynchronous piece of work to its end."""
        return asyncio.run(work)

    def show(self, text: str, data: Json) -> None:
        """Print *text* for a person, or *data* when JSON was asked for."""
        if self.as_json:
            print_data(data, indent=2)
        else:
            echo(text)


def _locale() -> str:
    return next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), "")


def frame_of(context: click.Context) -> Frame:
    """Return the frame of a running command; help that is shown before there is one gets a plain frame."""
    found = context.find_object(Frame)
    return found if found is not None else Frame()


class Option(click.Option):
    """An option whose help is a message id, looked up when shown."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        if record is None:
            return None
        language = frame_of(ctx).language
        name = "help" if self.name == "help" else (self.help or "")
        message = f"cli.option.{name}"
        return record[0], say(language, message) if has(language, message) else record[1]


def _ask_language(context: click.Context, _parameter: click.Parameter, value: Language | None) -> None:
    if value is not None:
        frame_of(context).asked = value


def _ask_json(context: click.Context, _parameter: click.Parameter, value: object) -> None:
    if value:
        frame_of(context).as_json = True


def own_options() -> list[click.Parameter]:
    """Return the two options that every command and group takes, before or behind its name."""
    return [
        Option(
            ["--lang"],
            type=click.Choice(LANGUAGES),
            help="lang",
            is_eager=True,
            expose_value=False,
            callback=_ask_language,
        ),
        Option(["--json"], help="json", is_flag=True, is_eager=True, expose_value=False, callback=_ask_json),
    ]


def help_of(context: click.Context) -> str:
    """Return the help text of the command that *context* is for."""
    path = ".".join(context.command_path.split()[1:]) or "root"
    return frame_of(context).say(f"{path.replace('-', '_')}.help")


def _headings(text: str, frame: Frame) -> str:
    for name in ("Usage:", "Options:", "Commands:"):
        text = text.replace(name, frame.say(f"heading.{name.rstrip(':').lower()}"), 1)
    return text


class WordsLeft(click.UsageError):
    """Words stand behind a command that takes no more."""

    def __init__(self, words: list[str], ctx: click.Context) -> None:
        super().__init__(" ".join(words), ctx)


class Command(click.Command):
    """A command; its help is ``cli.<path>.help``."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.params += own_options()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.allow_extra_args = True
        left = super().parse_args(ctx, args)
        if left:
            raise WordsLeft(left, ctx)
        return left

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.help = help_of(ctx)
        super().format_help_text(ctx, formatter)

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        found = super().get_help_option(ctx)
        if found is not None:
            found.help = frame_of(ctx).say("option.help")
        return found

    def get_help(self, ctx: click.Context) -> str:
        return _headings(super().get_help(ctx), frame_of(ctx))


class Group(click.Group):
    """A group whose commands are imported only when they run; *lazy* maps a name to ``module:attribute``."""

    command_class = Command

    def __init__(self, *arguments: Any, lazy: Mapping[str, str] | None = None, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.params += own_options()
        self._lazy = dict(lazy or {})

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self._lazy, *(name for name in super().list_commands(ctx) if name not in self._lazy)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        place = self._lazy.get(cmd_name)
        if place is None:
            return super().get_command(ctx, cmd_name)
        from importlib import import_module

        module, _, attribute = place.partition(":")
        return cast("click.Command", getattr(import_module(module), attribute))

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.help = help_of(ctx)
        super().format_help_text(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        frame = frame_of(ctx)
        path = [*ctx.command_path.split()[1:]]
        names = [name for name in self.list_commands(ctx) if has(frame.language, _help_id(path, name))]
        rows = [(name, say(frame.language, _help_id(path, name)).splitlines()[0]) for name in names]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        found = super().get_help_option(ctx)
        if found is not None:
            found.help = frame_of(ctx).say("option.help")
        return found

    def get_help(self, ctx: click.Context) -> str:
        return _headings(super().get_help(ctx), frame_of(ctx))


Group.group_class = Group


def _help_id(path: list[str], name: str) -> str:
    return ".".join(["cli", *path, name, "help"]).replace("-", "_")


def pass_frame(function: Callable[..., T]) -> Callable[..., T]:
    """Hand the frame to a command as its first argument."""
    return click.make_pass_decorator(Frame)(function)


def option(*names: str, text: str, **settings: Any) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Declare an option whose help is ``cli.option.<text>``."""
    return click.option(*names, cls=Option, help=text, **settings)
