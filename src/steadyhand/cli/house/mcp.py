"""Decides over which way the MCP server is reached: pipes, or HTTP on this machine. It must not show the token, nor print on its output."""

from pathlib import Path

import click

from steadyhand.cli.terminal.frame import REFUSED, Command, Frame, option, pass_frame
from steadyhand.cli.terminal.printing import echo
from steadyhand.core.errors import ToolRefusal

TOKEN_FILE = "mcp-token"  # noqa: S105  # a name of a file


@click.command(cls=Command)
@option("--http", "place", text="mcp_http", metavar="HOST:PORT")
@option("--token-file", "token_file", text="mcp_token_file", type=click.Path(path_type=Path, dir_okay=False))
@option("--allow-remote", "allow_remote", text="mcp_allow_remote", is_flag=True)
@option("--allow-host", "allowed", text="mcp_allow_host", multiple=True, metavar="NAME")
@option("--status", "status", text="mcp_status", is_flag=True)
@pass_frame
def mcp(
    frame: Frame, place: str | None, token_file: Path | None, allowed: tuple[str, ...], *, allow_remote: bool, status: bool
) -> None:
    """Serve MCP clients, or tell how the servers stand whose tools are used here."""
    if status:
        _status(frame)
    elif place is None:
        if token_file is not None or allow_remote or allowed:
            raise click.UsageError(frame.say("mcp.http_alone"), click.get_current_context())
        _over_pipes(frame)
    else:
        _over_http(frame, place, token_file, allowed, allow_remote=allow_remote)


def _status(frame: Frame) -> None:
    """Ask each server now, and tell how it stands; refused when one of them does not answer."""
    from steadyhand.cli.house.mcp_status import in_words, stands

    found = frame.run(stands(frame.settings, frame.app.store.clock))
    lines = [in_words(frame.language, name, one) for name, one in found.items()] or [frame.say("mcp.no_servers")]
    dead = [name for name, one in found.items() if not one.answers]
    data = [
        {"server": name, "answers": one.answers, "tools": one.tools, "at": one.at, "code": one.code}
        for name, one in found.items()
    ]
    frame.show("\n".join(lines), {"servers": data})
    if dead:
        raise click.exceptions.Exit(REFUSED)


def _over_pipes(frame: Frame) -> None:
    import signal
    import sys

    from steadyhand.server.mcp_server import serve_pipes
    from steadyhand.wiring.serving import mcp_parts

    parts = mcp_parts(frame.app, frame.language)
    if sys.stdin.isatty():
        echo(frame.say("mcp.at_terminal"), err=True)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever waits for a line of standard input cannot be interrupted otherwise
    frame.run(serve_pipes(parts))


def _over_http(frame: Frame, text: str, token_file: Path | None, allowed: tuple[str, ...], *, allow_remote: bool) -> None:
    from steadyhand.server.mcp_http import PATH, listen, names_of, place_of, serve_http, token_of
    from steadyhand.wiring.serving import mcp_parts

    place = place_of(text)
    if not place.is_here and not allow_remote:
        raise ToolRefusal("mcp_not_here", place=text)
    if place.is_everywhere and not allowed:
        raise ToolRefusal("mcp_names_missing")
    file = token_file or frame.settings.data_dir / TOKEN_FILE
    parts = mcp_parts(frame.app, frame.language)
    token, made = token_of(file)
    with listen(place) as bound:
        port = bound.getsockname()[1]
        names = names_of(place, port, allowed)
        address = f"http://{place.written}:{port}{PATH}"
        echo(frame.say("mcp.token_made" if made else "mcp.token_there", file=file), err=True)
        echo(frame.say("mcp.listens", address=address), err=True)
        frame.run(serve_http(parts, bound, token, names))
