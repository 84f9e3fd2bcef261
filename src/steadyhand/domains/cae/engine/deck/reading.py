"""Decides which keyword is read by whom and in which order; it must not lose what is not understood, which is kept and reported."""

from pathlib import Path

from steadyhand.domains.cae.engine.deck.blocks import Block, blocks_of, prelude
from steadyhand.domains.cae.engine.deck.files import read_lines
from steadyhand.domains.cae.engine.deck.gathering import Gathering
from steadyhand.domains.cae.engine.deck.keeping import is_empty_reset
from steadyhand.domains.cae.engine.deck.property_rows import OPTIONS
from steadyhand.domains.cae.engine.deck.report import Limits, ReadDeck
from steadyhand.domains.cae.engine.deck.settling import settle

MODEL = {"NODE", "ELEMENT", "NSET", "ELSET", "MATERIAL", "SHELLSECTION", "BEAMSECTION", "BOUNDARY", "HEADING", "STEP"}
FRAMES = {"PART", "ENDPART", "ASSEMBLY", "ENDASSEMBLY", "INSTANCE", "ENDINSTANCE"}
STEP = {"NSET", "ELSET", "BOUNDARY", "CLOAD", "DLOAD", "STATIC", "ENDSTEP"}
MAKING = {"NGEN", "NCOPY", "NFILL", "NMAP", "ELGEN", "ELCOPY", "TNGEN", "TNCOPY", "TNFILL", "SUBMODEL"}


def read_deck(path: Path, *, inside: Path | None = None, limits: Limits | None = None) -> ReadDeck:
    """Return the part that the deck at *path* tells, and what was found beside it.

    Includes are read from *inside* alone, the deck's folder where None. Raises `EngineRefusal` with file and line: never anything else.
    """
    bounds = limits or Limits()
    lines, sources = read_lines(path, path.parent if inside is None else inside, bounds)
    gathering = Gathering(lines, bounds, prelude=prelude(lines))
    for block in blocks_of(lines):
        if isinstance(block, Block):
            _take(gathering, block)
        else:
            gathering.claims(block.claims)
    gathering.materials.settle(gathering.keeping)
    return settle(gathering, sources)


def _take(gathering: Gathering, block: Block) -> None:
    """Hand a block to who reads it, in the phase of the deck that it stands in."""
    if gathering.materials.blocks and block.key in OPTIONS:
        gathering.claims(block.claims)
        gathering.materials.blocks.append(block)
        return
    gathering.materials.settle(gathering.keeping)
    if gathering.phase == "after":
        gathering.claims(block.claims)
        gathering.keeping.keep(block, "after")
    elif gathering.phase == "step":
        _take_in_step(gathering, block)
    else:
        _take_in_model(gathering, block)


def _take_in_step(gathering: Gathering, block: Block) -> None:
    if block.key == "STEP":
        block.lines.refuse(block.head.line, "deck_step_open")
    if block.key != "BOUNDARY" and is_empty_reset(block):
        gathering.claims(block.claims)
        gathering.resets.append((block, block.head.line))
    elif block.key not in STEP:
        gathering.claims(block.claims)
        gathering.keeping.keep(block, "step")
    elif block.key in {"BOUNDARY", "CLOAD", "DLOAD"}:
        gathering.condition(block)
    else:
        gathering.claims(block.claims)
        if block.key == "ENDSTEP":
            gathering.phase = "after"
        elif block.key == "STATIC":
            gathering.keep_unless_plain(block)
        else:
            gathering.set_list(block)


def _take_in_model(gathering: Gathering, block: Block) -> None:
    if block.key in MAKING:
        block.lines.refuse(block.head.line, "deck_makes_mesh", keyword=block.head.name)
    if block.key == "SYSTEM" and len(block.data):
        block.lines.refuse(block.head.line, "deck_coordinate_system", keyword=block.head.name)
    if block.key in OPTIONS and gathering.keeping.above in {"", "MATERIAL"}:
        # Written back it would stand below a material, and so become part of that.
        block.lines.refuse(block.head.line, "deck_option_alone", keyword=block.head.name)
    if block.key in FRAMES:
        gathering.claims(block.claims)
        gathering.frame(block)
    elif block.key not in MODEL:
        gathering.claims(block.claims)
        gathering.keeping.keep(block, "model")
    elif block.key in {"SHELLSECTION", "BEAMSECTION"}:
        gathering.section(block)
    elif block.key == "BOUNDARY":
        gathering.condition(block)
    else:
        gathering.claims(block.claims)
        _take_plain(gathering, block)


def _take_plain(gathering: Gathering, block: Block) -> None:
    match block.key:
        case "NODE":
            gathering.take_nodes(block)
        case "ELEMENT":
            gathering.take_elements(block)
        case "NSET" | "ELSET":
            gathering.set_list(block)
        case "MATERIAL":
            gathering.materials.blocks.append(block)
        case "HEADING":
            gathering.heading.extend(text for _, text in block.rows())
        case _:
            gathering.phase = "step"
            gathering.keep_unless_plain(block)
