"""Decides what the child process draws of a rehearsal; it must not touch what it draws."""

from pathlib import Path
from typing import TYPE_CHECKING, cast

from steadyhand.core.canonical import Json
from steadyhand.core.language import Language
from steadyhand.domains.cae.shelf.bodies import load, settle
from steadyhand.jobs.bodies import Arguments, Report, body

if TYPE_CHECKING:
    from steadyhand.domains.cae.pictures.look import Form

NAME = "before_after"


@body
def draw_before_after(arguments: Arguments, payload: bytes, report: Report) -> Json:
    """Draw the part before and after into the child's folder and return the picture's file name."""
    del payload, report
    folder = settle(arguments)
    from steadyhand.domains.cae.engine.part import Part  # noqa: PLC0415  # numpy is loaded in a child that has its limits
    from steadyhand.domains.cae.pictures.look import OfChange, picture_of  # noqa: PLC0415  # as above
    from steadyhand.domains.cae.pictures.words import words_in  # noqa: PLC0415  # as above

    base = cast("str | None", arguments["base"])
    before = Part() if base is None else load(Path(base), cast("str", arguments["base_sha256"]))
    after = load(folder, cast("str", arguments["sha256"]))
    words = words_in(cast("Language", arguments["language"]))
    form: Form = "svg" if arguments["form"] == "svg" else "best"
    picture = picture_of(OfChange(before, after), words, title=cast("str", arguments["title"]), name=NAME, form=form)
    (folder / picture.name).write_bytes(picture.data)
    return picture.name
