"""Decides how accounts on other channels are bound to the local person at the command line. It must not let a code be read twice."""

from collections.abc import Mapping

import click

from steadyhand.channels.binding import Pairing
from steadyhand.channels.onebot.addresses import CHANNEL, account_id
from steadyhand.cli.terminal.frame import Command, Frame, Group, option, pass_frame
from steadyhand.core.canonical import Json
from steadyhand.core.clock import from_text, local, to_text
from steadyhand.core.errors import ToolRefusal
from steadyhand.store import Tx
from steadyhand.store.people import bindings
from steadyhand.store.people.bindings import Account

BINDABLE = (CHANNEL,)


@click.group(cls=Group)
def channel() -> None:
    """Accounts on other channels."""


@channel.command("list", cls=Command)
@pass_frame
def list_accounts(frame: Frame) -> None:
    """List the accounts that are bound to the local person."""
    app = frame.app
    rows = app.store.read_now(lambda tx: bindings.of_user(tx, app.user.id))
    text = "\n".join(_line(frame, row) for row in rows) or frame.say("channel.none")
    frame.show(text, {"accounts": [_json(row) for row in rows]})


@channel.command(cls=Command)
@click.argument("name", metavar="CHANNEL", default=CHANNEL)
@option("--may-decide", "may_decide", text="may_decide", is_flag=True)
@pass_frame
def pair(frame: Frame, name: str, *, may_decide: bool) -> None:
    """Print a code by which an account binds itself."""
    app = frame.app
    made = frame.run(Pairing(app.store).invite(app.user.id, _known(name), may_decide=may_decide))
    until = f"{local(made.until, app.user.zone):%H:%M}"
    rights = frame.say("channel.pair_decides" if may_decide else "channel.pair_talks")
    text = frame.say("channel.pair_code", code=made.code, until=until, channel=name, rights=rights)
    frame.show(text, {"code": made.code, "channel": name, "until": to_text(made.until), "may_decide": may_decide})


@channel.command(cls=Command)
@click.argument("name", metavar="CHANNEL")
@click.argument("account")
@option("--may-decide", "may_decide", text="may_decide", is_flag=True)
@pass_frame
def bind(frame: Frame, name: str, account: str, *, may_decide: bool) -> None:
    """Bind an account."""
    app, found = frame.app, _account(_known(name), account)

    def work(tx: Tx) -> Account | None:
        there = bindings.find(tx, name, found)
        if there is not None and there.user_id != app.user.id:
            raise ToolRefusal("account_bound_elsewhere", channel=name, account=found)
        bindings.bind(tx, name, found, app.user.id, may_decide=may_decide)
        return bindings.find(tx, name, found)

    row = app.store.write_now(work)
    if row is not None:
        frame.show(_line(frame, row), _json(row))


@channel.command(cls=Command)
@click.argument("name", metavar="CHANNEL")
@click.argument("account")
@pass_frame
def unbind(frame: Frame, name: str, account: str) -> None:
    """Let go of an account."""
    app, found = frame.app, _account(_known(name), account)
    if not app.store.write_now(lambda tx: bindings.unbind(tx, app.user.id, name, found)):
        raise ToolRefusal("account_not_bound", channel=name, account=found)
    frame.show(frame.say("channel.unbound", channel=name, account=found), {"channel": name, "account": found, "bound": False})


def _known(name: str) -> str:
    if name not in BINDABLE:
        raise ToolRefusal("channel_unknown", channel=name[:40], known=", ".join(BINDABLE))
    return name


def _account(name: str, account: str) -> str:
    found = account_id(account.strip())
    if found is None:
        raise ToolRefusal("account_unusable", channel=name, account=account[:40])
    return found


def _line(frame: Frame, row: Account) -> str:
    since = f"{local(from_text(row.bound_at), frame.app.user.zone):%Y-%m-%d %H:%M}"
    form = "channel.decides" if row.may_decide else "channel.talks"
    return frame.say(form, channel=row.channel, account=row.account, since=since)


def _json(row: Account) -> Mapping[str, Json]:
    return {"channel": row.channel, "account": row.account, "may_decide": row.may_decide, "bound_at": row.bound_at}
