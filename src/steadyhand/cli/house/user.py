"""Decides how the one local person is shown and changed at the command line. It must not decide what a language or a zone changes."""

from collections.abc import Mapping
from typing import cast

import click

from steadyhand.cli.terminal.frame import Command, Frame, Group, option, pass_frame
from steadyhand.core.canonical import Json
from steadyhand.core.clock import zone_exists
from steadyhand.core.config import place_of
from steadyhand.core.errors import ToolRefusal
from steadyhand.core.ids import LOCAL_USER
from steadyhand.core.language import LANGUAGES, Language
from steadyhand.store.people import people

MOST_CHARACTERS = 100


@click.group(cls=Group)
def user() -> None:
    """The local person."""


@user.command(cls=Command)
@pass_frame
def show(frame: Frame) -> None:
    """Show the local person."""
    _show(frame)


@user.command("set", cls=Command)
@option("--language", text="language", type=click.Choice(LANGUAGES))
@option("--zone", text="person_zone")
@option("--name", text="name")
@pass_frame
def change(frame: Frame, language: Language | None, zone: str | None, name: str | None) -> None:
    """Change the local person's language, zone or name."""
    wanted = {key: value for key, value in (("language", language), ("zone", zone), ("name", name)) if value is not None}
    if not wanted:
        raise click.UsageError(frame.say("user.nothing_named"), click.get_current_context())
    if zone is not None and not zone_exists(zone):
        raise ToolRefusal("zone_unknown", zone=zone)
    if name is not None and (len(name) > MOST_CHARACTERS or not name.isprintable()):
        raise ToolRefusal("name_unusable", most=MOST_CHARACTERS)
    frame.app.store.write_now(lambda tx: people.change_user(tx, LOCAL_USER, **wanted))
    if language is not None:
        frame.asked = language
    _show(frame)


def _show(frame: Frame) -> None:
    app = frame.app
    stored = app.store.read_now(lambda tx: people.require_user(tx, LOCAL_USER))
    own = {"language": stored.language, "zone": stored.zone}
    unheard = [key for key, value in own.items() if getattr(app.settings, key) not in (None, value)]
    lines = [
        frame.say("user.name", name=stored.name or frame.say("user.no_name")),
        frame.say("user.language", language=stored.language),
        frame.say("user.zone", zone=stored.zone),
    ]
    lines += [frame.say("user.unheard", key=key, place=frame.say(f"doctor.place.{place_of(key)}")) for key in unheard]
    found: Mapping[str, Json] = {"id": stored.id, "name": stored.name, **own, "unheard": unheard}
    frame.show("\n".join(lines), cast("Json", found))
