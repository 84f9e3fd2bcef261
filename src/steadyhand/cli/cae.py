"""Decides which commands about parts there are; it must import none of them before it runs."""

import click

from steadyhand.cli.frame import Group

LAZY = {
    "parts": "steadyhand.cli.cae_look:parts",
    "show": "steadyhand.cli.cae_look:show",
    "observe": "steadyhand.cli.cae_observe:observe",
    "propose": "steadyhand.cli.cae_propose:propose",
    "undo": "steadyhand.cli.cae_propose:undo",
    "solve": "steadyhand.cli.cae_propose:solve",
    "picture": "steadyhand.cli.cae_picture:picture",
    "import": "steadyhand.cli.cae_files:import_deck",
    "export": "steadyhand.cli.cae_files:export",
}


@click.group(cls=Group, lazy=LAZY)
def cae() -> None:
    """Parts: shells and beams, from their shape to a solved case."""
