"""Decides which kind of picture is made: a PNG where pyvista and a font are, else an SVG; it must not decide what it shows.

It is called in the body of a child process or in a thread: it takes seconds, and a graphics library may end the process.
"""

from dataclasses import astuple, dataclass
from typing import Literal

from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.pictures import render
from steadyhand.domains.cae.pictures.contour import Field
from steadyhand.domains.cae.pictures.results import result_svg
from steadyhand.domains.cae.pictures.svg import before_after_svg, mesh_svg
from steadyhand.domains.cae.pictures.words import Words

Form = Literal["best", "svg"]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as a file: its *name*, its media type, its bytes."""

    name: str
    media: str
    data: bytes


@dataclass(frozen=True, slots=True)
class OfPart:
    """A part as it is."""

    part: Part


@dataclass(frozen=True, slots=True)
class OfChange:
    """What a change does."""

    before: Part
    after: Part


@dataclass(frozen=True, slots=True)
class OfResult:
    """What a solve says of a part."""

    part: Part
    field: Field


Subject = OfPart | OfChange | OfResult


def picture_of(subject: Subject, words: Words, *, title: str, name: str, form: Form = "best") -> Picture:
    """Return the picture of *subject*, called *name* with the ending that fits. Raises `EngineRefusal` ``result_of_another_part``."""
    if form == "best" and render.available() and render.can_write([title, *_texts(subject, words)]):
        try:
            return Picture(f"{name}.png", "image/png", _png(subject, words, title))
        except EngineRefusal:
            raise
        except Exception:  # noqa: BLE001, S110  # whatever graphics lack on this machine, there is the SVG
            pass
    return Picture(f"{name}.svg", "image/svg+xml", _svg(subject, words, title).encode())


def _texts(subject: Subject, words: Words) -> list[str]:
    told = [str(text) for text in astuple(words)]
    return [*told, subject.field.quantity] if isinstance(subject, OfResult) else told


def _png(subject: Subject, words: Words, title: str) -> bytes:
    if isinstance(subject, OfPart):
        return render.mesh_png(subject.part, words, title=title)
    if isinstance(subject, OfChange):
        return render.before_after_png(subject.before, subject.after, words, title=title)
    return render.result_png(subject.part, subject.field, words, title=title)


def _svg(subject: Subject, words: Words, title: str) -> str:
    if isinstance(subject, OfPart):
        return mesh_svg(subject.part, words, title=title)
    if isinstance(subject, OfChange):
        return before_after_svg(subject.before, subject.after, words, title=title)
    return result_svg(subject.part, subject.field, words, title=title)
