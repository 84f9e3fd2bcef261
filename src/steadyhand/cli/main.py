"""Decides which commands there are and how their failures end; it must import nothing that a mere ``--help`` does not need."""

import os
import shlex
import sys

import click

from steadyhand import __version__
from steadyhand.cli.terminal.frame import BAD_INPUT, REFUSED, STOPPED, Frame, Group, Option
from steadyhand.cli.terminal.printing import echo, print_data
from steadyhand.wiring.domains import DOMAINS

LAZY = {
    "chat": "steadyhand.cli.chat.chat:chat",
    **{record.name: record.command for record in DOMAINS if record.command},
    "change": "steadyhand.cli.change.change:change",
    "channel": "steadyhand.cli.house.channel:channel",
    "conformance": "steadyhand.cli.house.conformance:conformance",
    "serve": "steadyhand.cli.house.serve:serve",
    "worker": "steadyhand.cli.house.serve:worker",
    "job": "steadyhand.cli.later.job:job",
    "mcp": "steadyhand.cli.house.mcp:mcp",
    "doctor": "steadyhand.cli.house.doctor:doctor",
    "backup": "steadyhand.cli.house.data:backup",
    "restore": "steadyhand.cli.house.data:restore",
    "migrate": "steadyhand.cli.house.data:migrate",
    "session": "steadyhand.cli.chat.sessions:session",
    "cron": "steadyhand.cli.later.wakeups:cron",
    "followup": "steadyhand.cli.later.wakeups:followup",
    "user": "steadyhand.cli.house.user:user",
}


@click.group(cls=Group, lazy=LAZY, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, "--version", prog_name="steady", message="%(prog)s %(version)s", cls=Option, help="version")
def steady() -> None:
    """Steadyhand's command line."""


def main() -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command; every failure becomes words and an exit code."""
    frame = Frame(shlex.join(["steady", *arguments]).encode("utf-8", "replace").decode())
    color = False if os.environ.get("NO_COLOR") else None
    try:
        left: object = steady.main(arguments, prog_name="steady", standalone_mode=False, obj=frame, color=color)
    except (click.Abort, KeyboardInterrupt):
        echo(frame.say("stopped"), err=True)
        return STOPPED
    except click.UsageError as error:
        return _usage(frame, error)
    except BrokenPipeError:
        return REFUSED
    except Exception as error:  # noqa: BLE001  # the last door: a person gets words, the log gets the trace
        return _failure(frame, error)
    finally:
        frame.remind()
        frame.close()
    return left if isinstance(left, int) else 0  # a command that leaves early has its exit code handed back here


def _usage(frame: Frame, error: click.UsageError) -> int:
    from steadyhand.cli.terminal.usage import usage_text

    if isinstance(error, click.exceptions.NoArgsIsHelpError) and not frame.as_json:
        echo(error.format_message(), err=True)
        return BAD_INPUT
    path = error.ctx.command_path if error.ctx is not None else "steady"
    _print_error(
        frame,
        {
            "code": "bad_input",
            "summary": usage_text(error, frame),
            "detail": frame.say("usage.untouched"),
            "next": frame.say("usage.next", path=path),
        },
    )
    return BAD_INPUT


def _failure(frame: Frame, error: Exception) -> int:
    from steadyhand.core.errors import ModelCanFix, SettingsInvalid, SteadyhandError
    from steadyhand.core.explain import explain
    from steadyhand.core.logs import get_logger

    error = error if isinstance(error, SteadyhandError) else frame.damage() or error
    told = explain(error, frame.language)
    if not isinstance(error, SteadyhandError):
        get_logger(__name__).error("unexpected", exc_info=error)
    _print_error(frame, {"code": told.code, "summary": told.summary, "detail": told.detail, "next": told.next_step})
    return BAD_INPUT if isinstance(error, ModelCanFix | SettingsInvalid) else REFUSED


def _print_error(frame: Frame, parts: dict[str, str]) -> None:
    parts = {name: text.encode("utf-8", "replace").decode() for name, text in parts.items()}  # names of files may be no text
    if frame.as_json:
        print_data({**frame.beside, "error": parts}, indent=2)
    else:
        echo("\n".join(parts[name] for name in ("summary", "detail", "next") if parts[name]), err=True)
