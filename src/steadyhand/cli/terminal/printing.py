r"""Decides how text reaches a terminal: no mark in it does anything but print, and every colour is ours; it must not change what is printed.

Names come from files, models and other people. A text may therefore hold keys that clear the screen, fill the clipboard, hide words or
forge a line; each of them is written out (``\\u001b``). What `styled` paints is marked with a word that nobody outside can know, and
becomes colour only here.
"""

import contextlib
import json
import re
import sys
import termios

import click

from steadyhand.core.canonical import Json
from steadyhand.core.ids import new_secret
from steadyhand.core.visible import visible

KEPT = "\n\u3000\u00a0"
"""Marks that do not count as printing and do no harm: line ends, the wide space of Chinese text, the space that does not break."""
JOINERS = ("\u200d", "\ufe0f")
"""Joined pictures: nobody knows how many cells a terminal gives them."""
TAB = "    "

_OURS = f"\x00{new_secret()}:"
_PAINTED = re.compile(re.escape(_OURS) + r"(\d*)\x00")
_CODES = {"red": 31, "green": 32, "yellow": 33, "blue": 34, "magenta": 35, "cyan": 36, "bright_green": 92, "bright_yellow": 93}
_DIM = 2
_UNPRINTED = re.compile(r"[^\x20-\x7e\n]")


def clean(text: str, *, whole: bool = True) -> str:
    """Return foreign text as it may reach a terminal: no mark in it does anything but print, or end a line.

    A piece that is not the *whole* text may begin or end within a line end.
    """
    text = text.replace("\r\n", "\n").replace("\t", TAB)
    if not whole:
        text = text.replace("\r", "")
    return visible(text, KEPT + JOINERS[0])


def styled(text: str, *, fg: str | None = None, dim: bool = False) -> str:
    """Return *text* painted in a colour, or *dim*, once `echo` prints it."""
    begun = "".join(f"{_OURS}{code}\x00" for code in ([_CODES[fg]] if fg else []) + ([_DIM] if dim else []))
    return f"{begun}{text}{_OURS}\x00" if begun else text


def echo(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print *text*."""
    click.echo(_ready(text), err=err, nl=nl)


def overwrite(text: str, *, wipe: bool = False) -> None:
    """Write *text* over the line of standard error at which the cursor stands; with *wipe* the cursor goes back to its beginning."""
    click.echo("\r" + _ready(text) + ("\r" if wipe else ""), nl=False, err=True)


def ask(question: str) -> str:
    """Ask for a line at the terminal; what was typed before the question stood there does not answer it."""
    _drop_typed_ahead()
    return str(click.prompt(_ready(question), default="", show_default=False, prompt_suffix=""))


def _drop_typed_ahead() -> None:
    """Let go of every key that waits to be read; where there is no terminal, there is none."""
    with contextlib.suppress(termios.error, OSError, ValueError):
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


def written_out(data: Json, *, indent: int | None = None) -> str:
    """Return *data* as JSON in which marks that a terminal would obey are written out, as JSON allows."""
    text = json.dumps(data, ensure_ascii=False, indent=indent)
    return _UNPRINTED.sub(lambda mark: mark[0] if mark[0].isprintable() else json.dumps(mark[0])[1:-1], text)


def print_data(data: Json, *, indent: int | None = None, err: bool = False) -> None:
    """Print *data* as JSON."""
    click.echo(written_out(data, indent=indent), err=err)


def _ready(text: str) -> str:
    """Return *text* with every mark of others written out and ours turned into colour."""
    parts = _PAINTED.split(text)  # text, code, text, code, text: what stands at odd places is ours
    return "".join(f"\x1b[{part or 0}m" if place % 2 else clean(part) for place, part in enumerate(parts))
