"""Pictures by pyvista, without a display: of the right size, not blank, in the colours of the legend; without it the SVG is there.

They are skipped where pyvista is absent; with STEADYHAND_REQUIRE_PYVISTA=1 that fails them, so that CI cannot pass by skipping.
"""

import os
import struct
import subprocess
import sys
import zlib

import numpy as np
import pytest

from domains.cae.pictures.drawn import loaded, plate, root_of, tee, without
from steadyhand.core.fonts import find_font
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.part import Part
from steadyhand.domains.cae.pictures import render
from steadyhand.domains.cae.pictures.changes import State
from steadyhand.domains.cae.pictures.contour import BANDS, Field
from steadyhand.domains.cae.pictures.look import OfChange, OfPart, OfResult, picture_of
from steadyhand.domains.cae.pictures.png import indexed_png
from steadyhand.domains.cae.pictures.svg import SHAPE_LOOKS, STATE_LOOKS
from steadyhand.domains.cae.pictures.words import words_in

REQUIRED = os.environ.get("STEADYHAND_REQUIRE_PYVISTA") == "1"
EN = words_in("en")


@pytest.fixture
def drawer():
    if not render.available():
        absent = "no pyvista; get it with: pip install -c requirements/constraints.txt pyvista"
        if REQUIRED:
            pytest.fail(absent)
        pytest.skip(absent)
    return render


def pixels_of(png: bytes) -> np.ndarray:
    """The pixels of a PNG as this program writes them, (h, w, 3) or (h, w)."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    at, data, width, height, kind = 8, b"", 0, 0, 0
    while at < len(png):
        (length,), name = struct.unpack(">I", png[at : at + 4]), png[at + 4 : at + 8]
        body = png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length])[0] == zlib.crc32(name + body)
        if name == b"IHDR":
            width, height, _, kind = struct.unpack(">IIBB", body[:10])
        data += body if name == b"IDAT" else b""
        at += 12 + length
    lines = np.frombuffer(zlib.decompress(data), np.uint8).reshape(height, -1)
    assert (lines[:, 0] == 0).all()
    return lines[:, 1:].reshape(height, width, 3) if kind == 2 else lines[:, 1:]


def share_of(pixels: np.ndarray, colour: str, near: int = 12) -> float:
    wanted = np.array(list(bytes.fromhex(colour[1:])))
    return float((np.abs(pixels.astype(int) - wanted).max(axis=2) <= near).mean())


def test_written_pixels_are_read_back():
    drawn = np.arange(12, dtype=np.uint8).reshape(3, 4)
    assert (pixels_of(indexed_png(drawn, np.zeros((12, 3), np.uint8))) == drawn).all()


def test_a_part_is_drawn_in_the_colours_of_its_shapes(drawer):
    pixels = pixels_of(drawer.mesh_png(loaded(plate()), EN, title="plate"))
    assert pixels.shape == (render.SIZE[1], render.SIZE[0], 3)
    assert share_of(pixels, next(iter(SHAPE_LOOKS.values())).fill.colour) > 0.1
    assert len(np.unique(pixels_of(drawer.mesh_png(tee(), EN, title="tee")).reshape(-1, 3), axis=0)) > 20


def test_a_change_shows_what_comes_and_goes(drawer):
    whole = plate(6, 1)
    pixels = pixels_of(drawer.before_after_png(without(whole, [1, 2]), without(whole, [5, 6]), EN, title="change"))
    half = render.SIZE[0] // 2
    above = pixels[: render.SIZE[1] - 200]
    assert share_of(above[:, :half], STATE_LOOKS[State.DELETED].fill.colour) > 0.02
    assert share_of(above[:, half:], STATE_LOOKS[State.ADDED].fill.colour) > 0.02
    assert share_of(above[:, half:], STATE_LOOKS[State.DELETED].fill.colour) < 0.001


def test_a_result_has_every_band(drawer):
    part = plate(12, 4)
    values = part.mesh.xyz[:, 0]
    pixels = pixels_of(drawer.result_png(part, Field(np.zeros_like(part.mesh.xyz), values, "u (mm)", "node"), EN, title="r"))
    shares = [share_of(pixels[:, :880], colour, 3) for colour in BANDS]
    assert min(shares) > 0.01


def test_nothing_at_all_is_a_picture_too(drawer):
    assert pixels_of(drawer.mesh_png(Part(), EN, title="none")).shape[2] == 3


def test_looking_needs_no_display_and_says_nothing(drawer):
    code = (
        "from steadyhand.domains.cae.pictures import render\n"
        "from steadyhand.domains.cae.pictures.words import words_in\n"
        "from steadyhand.domains.cae.engine.part import Part\n"
        "assert len(render.mesh_png(Part(), words_in('en'), title='none')) > 1000"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code],
        env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_best_picture_is_a_png_where_pyvista_and_a_font_are(drawer):
    made = picture_of(OfPart(plate()), EN, title="plate", name="part")
    assert (made.name, made.media, made.data[:4]) == ("part.png", "image/png", b"\x89PNG")
    chinese = picture_of(OfPart(plate()), words_in("zh-CN"), title="板", name="part")
    assert chinese.name == ("part.png" if find_font() else "part.svg")


SUBJECTS = [
    OfPart(plate()),
    OfChange(plate(), without(plate(), [1])),
    OfResult(plate(), Field(np.zeros((20, 3)), np.zeros(12), "s")),
]


@pytest.mark.parametrize("subject", SUBJECTS)
def test_without_pyvista_or_when_it_fails_there_is_the_svg(subject, monkeypatch):
    def broken(*_args, **_named):
        raise RuntimeError("no graphics")

    monkeypatch.setattr(render, "available", lambda: False)
    plain = picture_of(subject, EN, title="t", name="p")
    assert (plain.name, plain.media) == ("p.svg", "image/svg+xml")
    root_of(plain.data.decode())
    monkeypatch.setattr(render, "available", lambda: True)
    for door in ("mesh_png", "before_after_png", "result_png"):
        monkeypatch.setattr(render, door, broken)
    assert picture_of(subject, EN, title="t", name="p") == plain
    assert picture_of(subject, EN, title="t", name="p", form="svg") == plain


def test_chinese_without_a_font_is_an_svg(monkeypatch):
    monkeypatch.setattr(render, "available", lambda: True)
    monkeypatch.setattr(render, "find_font", lambda: None)
    assert picture_of(OfPart(plate()), words_in("zh-CN"), title="板", name="p").name == "p.svg"


def test_a_wrong_result_is_refused_in_either_form(drawer):
    subject = OfResult(plate(), Field(np.zeros((3, 3)), np.zeros(12), "s"))
    for form in ("best", "svg"):
        with pytest.raises(EngineRefusal):
            picture_of(subject, EN, title="t", name="p", form=form)
