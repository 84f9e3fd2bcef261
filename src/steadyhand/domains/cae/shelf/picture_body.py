"""Decides what a child process draws: a rehearsal, a version, a result. It must not touch what it draws."""

import io
from pathlib import Path
from typing import TYPE_CHECKING, cast

from steadyhand.core.canonical import Json, digest_bytes
from steadyhand.core.errors import OperatorRepairs
from steadyhand.core.language import Language
from steadyhand.domains.cae.shelf.bodies import load, refused, settle
from steadyhand.jobs.bodies import Arguments, Report, body

if TYPE_CHECKING:
    from steadyhand.domains.cae.pictures.contour import Field
    from steadyhand.domains.cae.pictures.look import Form

NAME = "before_after"


@body
def draw_before_after(arguments: Arguments, payload: bytes, report: Report) -> Json:
    """Draw the part before and after, once where nothing of it changes, into the child's folder and return the picture's file name."""
    del payload, report
    folder = settle(arguments)
    from steadyhand.domains.cae.engine.part import Part  # noqa: PLC0415  # numpy is loaded in a child that has its limits
    from steadyhand.domains.cae.pictures.look import OfChange, OfPart, picture_of  # noqa: PLC0415  # as above
    from steadyhand.domains.cae.pictures.words import words_in  # noqa: PLC0415  # as above

    base = cast("str | None", arguments["base"])
    before = Part() if base is None else load(Path(base), cast("str", arguments["base_sha256"]))
    after = load(folder, cast("str", arguments["sha256"]))
    words = words_in(cast("Language", arguments["language"]))
    form: Form = "svg" if arguments["form"] == "svg" else "best"
    subject = OfPart(after) if arguments["base_sha256"] == arguments["sha256"] else OfChange(before, after)
    picture = picture_of(subject, words, title=cast("str", arguments["title"]), name=NAME, form=form)
    (folder / picture.name).write_bytes(picture.data)
    return picture.name


@body
def draw_version(arguments: Arguments, payload: bytes, report: Report) -> Json:
    """Draw the version in ``folder``, or with ``results`` what a job says of it, into ``place`` and return the picture's file name."""
    del payload, report
    folder = settle(arguments)
    from steadyhand.domains.cae.pictures.look import OfPart, OfResult, picture_of  # noqa: PLC0415  # as above
    from steadyhand.domains.cae.pictures.words import words_in  # noqa: PLC0415  # as above

    part = load(folder, cast("str", arguments["sha256"]))
    subject = OfPart(part) if arguments["results"] is None else OfResult(part, _field(arguments))
    words = words_in(cast("Language", arguments["language"]))
    form: Form = "svg" if arguments["form"] == "svg" else "best"
    title = cast("str", arguments["title"])
    picture = refused(lambda: picture_of(subject, words, title=title, name="picture", form=form))
    (Path(cast("str", arguments["place"])) / picture.name).write_bytes(picture.data)
    return picture.name


def _field(arguments: Arguments) -> "Field":
    """Return what a job left, which must be what was written."""
    import numpy as np  # noqa: PLC0415  # as above

    from steadyhand.domains.cae.pictures.contour import Field  # noqa: PLC0415  # as above

    file = Path(cast("str", arguments["results"]))
    data = file.read_bytes() if file.is_file() else b""
    if digest_bytes(data) != arguments["results_sha256"]:
        raise OperatorRepairs("part_damaged", name=cast("str", arguments["title"]), file=file.name)
    with np.load(io.BytesIO(data), allow_pickle=False) as held:
        return Field(held["displacement"], held["von_mises"][:, 2], cast("str", arguments["quantity"]))
