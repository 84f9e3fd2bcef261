"""Decides how a drawn week becomes a PNG: the same SVG, drawn by resvg with a font that has Chinese. It must not fetch anything.

resvg and the font are extras (``pip install "steadyhand[pictures]"``); a font of the system does as well.
"""

from pathlib import Path

from steadyhand.core.errors import OperatorRepairs
from steadyhand.core.fonts import find_font
from steadyhand.core.language import Language
from steadyhand.domains.schedule.exports.week_picture import Paper, draw_week
from steadyhand.domains.schedule.term.records import Records

ZOOM = 2.0
PRINT_DPI = 200.0


def write_png(records: Records, week: int, language: Language, paper: Paper = "screen", font: Path | None = None) -> bytes:
    """Return *week* as PNG, for a print at `PRINT_DPI`; *font* None takes one that is found. See `draw_week`."""
    try:
        from resvg import render, usvg  # noqa: PLC0415  # an extra: only this function needs it
    except ImportError as error:
        raise OperatorRepairs("export_no_renderer") from error
    found = font or find_font()
    if found is None or not found.is_file():
        raise OperatorRepairs("export_no_font", font=found.name if found else "-")
    options = usvg.Options.default()
    options.dpi = PRINT_DPI
    options.load_font_file(str(found))
    families = options.list_fonts()
    if not families:
        raise OperatorRepairs("export_no_font", font=found.name)
    options.font_family = next((family for family in families if family.endswith("SC")), families[0])
    svg = draw_week(records, week, language, paper, ZOOM if paper == "screen" else 1)
    tree = usvg.Tree.from_str(svg.decode(), options)
    return bytes(render(tree, (1, 0, 0, 0, 1, 0), bg_color=(255, 255, 255, 255)))
