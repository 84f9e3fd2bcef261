"""Decides the colours of a week grid's marks at a terminal. It must not draw one."""

from steadyhand.cli.terminal.printing import styled
from steadyhand.domains.schedule.draft.week_grid import Mark

COLOURS: dict[Mark, str] = {
    "C": "cyan",
    "T": "green",
    "S": "yellow",
    "t": "bright_green",
    "s": "bright_yellow",
    "-": "red",
    "+": "bright_green",
}


def painted(text: str, mark: Mark) -> str:
    """Colour what a seat shows by its mark."""
    return styled(text, fg=COLOURS[mark])
