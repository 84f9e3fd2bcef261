"""Decides which commands about parts there are; it must import none of them before it runs."""

import click

from steadyhand.cli.terminal.frame import Group

LAZY = {
    "parts": "steadyhand.cli.cae.look:parts",
    "show": "steadyhand.cli.cae.look:show",
    "observe": "steadyhand.cli.cae.observe:observe",
    "propose": "steadyhand.cli.cae.propose:propose",
    "undo": "steadyhand.cli.cae.propose:undo",
    "solve": "steadyhand.cli.cae.propose:solve",
    "picture": "steadyhand.cli.cae.picture:picture",
    "import": "steadyhand.cli.cae.files:import_deck",
    "export": "steadyhand.cli.cae.files:export",
}


@click.group(cls=Group, lazy=LAZY)
def cae() -> None:
    """Parts: shells and beams, from their shape to a solved case."""
