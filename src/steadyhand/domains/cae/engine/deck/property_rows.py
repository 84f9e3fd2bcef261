"""Decides which materials and sections of a deck the engine holds; it must not take half of one: what it does not hold is kept as text."""

from dataclasses import dataclass, field, replace

from steadyhand.domains.cae.engine.deck.blocks import Block
from steadyhand.domains.cae.engine.deck.claims import Claim
from steadyhand.domains.cae.engine.deck.keeping import Keeping
from steadyhand.domains.cae.engine.deck.numbers import is_number, number, numbers
from steadyhand.domains.cae.engine.deck.words import fits, fold, shown_name
from steadyhand.domains.cae.engine.part import Kept
from steadyhand.domains.cae.engine.properties import BeamSection, Material, Section, ShellSection, Vector
from steadyhand.domains.cae.engine.shapes import Profile

OPTIONS = {
    *("ELASTIC", "DENSITY", "PLASTIC", "EXPANSION", "CONDUCTIVITY", "SPECIFICHEAT", "DAMPING", "HYPERELASTIC"),
    *("HYPERFOAM", "VISCOELASTIC", "CREEP", "CYCLICHARDENING", "DEFORMATIONPLASTICITY", "DEPVAR", "USERMATERIAL"),
    *("USEROUTPUTVARIABLES", "LATENTHEAT", "ELECTRICALCONDUCTIVITY", "DIELECTRIC", "PIEZOELECTRIC", "PERMEABILITY"),
    *("MAGNETICPERMEABILITY", "FLUIDCONSTANTS", "SPECIFICGASCONSTANT", "RATEDEPENDENT", "POTENTIAL", "FAILSTRESS"),
    *("FAILSTRAIN", "DAMAGEINITIATION", "DAMAGEEVOLUTION", "DAMAGESTABILIZATION", "CONCRETE"),
    *("CONCRETEDAMAGEDPLASTICITY", "CONCRETECOMPRESSIONHARDENING", "CONCRETETENSIONSTIFFENING", "TENSIONSTIFFENING"),
    *("SHEARRETENTION", "NOCOMPRESSION", "NOTENSION", "VISCOSITY", "EOS", "CRUSHABLEFOAM", "DRUCKERPRAGER"),
    *("MOHRCOULOMB", "POROUSMETALPLASTICITY", "SHEARFAILURE", "TENSILEFAILURE", "ANNEALTEMPERATURE"),
    *("INELASTICHEATFRACTION"),
}
"""Keywords that belong to the material above them."""
SIDES = {"SPOS": 0.5, "SNEG": -0.5, "MIDDLE SURFACE": 0.0}
INTEGRATION_POINTS = 5.0


@dataclass(slots=True)
class MaterialRows:
    """The materials of a deck; *kept* are the folded names of those that stay text."""

    materials: dict[str, Material] = field(default_factory=dict[str, Material])
    folded: dict[str, str] = field(default_factory=dict[str, str])
    kept: set[str] = field(default_factory=set[str])
    blocks: list[Block] = field(default_factory=list[Block])

    def settle(self, keeping: Keeping) -> None:
        """Decide about the material that stands open."""
        blocks, self.blocks = self.blocks, []
        if not blocks:
            return
        named = blocks[0].head.params.get("NAME")
        if named is None or not fits(named.text):
            blocks[0].lines.refuse(blocks[0].head.line, "deck_bad_name", name=shown_name(named.text if named else ""))
        name = named.text
        if name in self.materials or (not named.quoted and (fold(name) in self.folded or fold(name) in self.kept)):
            blocks[0].lines.refuse(blocks[0].head.line, "deck_name_twice", name=shown_name(name))
        found = _material(name, blocks)
        if found is None:
            self.kept.add(fold(name))
            text = "\n".join(block.verbatim() for block in blocks)
            keeping.put(blocks[0].head.line, Kept("model", "MATERIAL", text))
            keeping.count(blocks[0])
            return
        self.materials[name] = found
        self.folded.setdefault(fold(name), name)
        place = "material_first"
        for block in blocks[1:]:
            if block.key == "ELASTIC":
                place = "material"
            elif block.key != "DENSITY":
                keeping.keep(block, place, name)

    def find(self, name: str) -> str | None:
        """Return the name of the material that *name* means, None where the engine holds none."""
        return name if name in self.materials else self.folded.get(fold(name))


def _material(name: str, blocks: list[Block]) -> Material | None:
    elastic = [block for block in blocks[1:] if block.key == "ELASTIC"]
    density = [block for block in blocks[1:] if block.key == "DENSITY"]
    if len(elastic) != 1 or len(density) > 1 or set(blocks[0].head.params) != {"NAME"}:
        return None
    kind = elastic[0].head.params.get("TYPE")
    if set(elastic[0].head.params) - {"TYPE"} or (kind is not None and kind.text.upper() not in {"ISO", "ISOTROPIC"}):
        return None
    constants = _one_row(elastic[0], 3)
    mass = _one_row(density[0], 2) if density else [0.0]
    if constants is None or mass is None or (density and density[0].head.params):
        return None
    return Material(name, constants[0], constants[1] if len(constants) > 1 else 0.0, mass[0])


def _one_row(block: Block, most: int) -> list[float] | None:
    """Return the one row of numbers of a block, None for anything else."""
    if len(block.data) != 1:
        return None
    rows = numbers(block)
    return rows[0][1] if rows is not None and 0 < len(rows[0][1]) <= most else None


@dataclass(frozen=True, slots=True)
class SectionBlock:
    """A section as keywords tell it, without a name of its own, and the element set that it is given to."""

    block: Block
    elset: str
    section: Section
    n1: Vector | None


def section_of(block: Block) -> SectionBlock | None:
    """Return what ``*SHELL SECTION`` or ``*BEAM SECTION`` tells, None for a form that the engine does not hold."""
    params = block.head.params
    if "ELSET" not in params or "MATERIAL" not in params:
        return None
    rows = numbers(block)
    if rows is None:
        return None
    read = _shell if block.key == "SHELLSECTION" else _beam
    return read(block, params["MATERIAL"].text, [row for _, row in rows])


def _shell(block: Block, material: str, rows: list[list[float]]) -> SectionBlock | None:
    head = block.head
    if set(head.params) - {"ELSET", "MATERIAL", "OFFSET", "SECTION INTEGRATION"} or len(rows) != 1:
        return None
    offset = _offset(block, "OFFSET")
    row = rows[0]
    if offset is None or not 1 <= len(row) <= 2 or (len(row) == 2 and row[1] != INTEGRATION_POINTS):
        return None
    if head.params.get("SECTION INTEGRATION") is not None and head.params["SECTION INTEGRATION"].text.upper() != "SIMPSON":
        return None
    return SectionBlock(block, head.params["ELSET"].text, ShellSection("", material, row[0], offset), None)


def _beam(block: Block, material: str, rows: list[list[float]]) -> SectionBlock | None:
    head = block.head
    named = head.params.get("SECTION")
    if set(head.params) - {"ELSET", "MATERIAL", "SECTION", "OFFSET1", "OFFSET2"} or named is None or not 1 <= len(rows) <= 2:
        return None
    kind = named.text.upper()
    offsets = _offset(block, "OFFSET1"), _offset(block, "OFFSET2")
    if kind not in Profile.__members__ or offsets[0] is None or offsets[1] is None:
        return None
    n1 = rows[1] if len(rows) == 2 else None
    if n1 is not None and len(n1) > 3:
        return None
    section = BeamSection("", material, Profile[kind], tuple(rows[0]), (offsets[0], offsets[1]))
    x, y, z = (n1 + [0.0] * 3)[:3] if n1 is not None else (0.0, 0.0, 0.0)
    return SectionBlock(block, head.params["ELSET"].text, section, None if n1 is None else (x, y, z))


def _offset(block: Block, name: str) -> float | None:
    head = block.head
    given = head.params.get(name)
    if given is None:
        return 0.0
    side = SIDES.get(given.text.upper())
    if side is not None:
        return side
    return number(block.lines, head.line, given.text) if is_number(given.text) else None


def claimed_section(claim: Claim) -> Section:
    """Return the section that a comment line of ours declares."""
    name, material = claim.name("section"), claim.name("material")
    if "profile" not in claim:
        return ShellSection(name, material, claim.number("thickness"), claim.number("offset"))
    profile = claim.text("profile")
    if profile not in Profile.__members__:
        claim.refuse()
    first, second = claim.numbers("offset")[:2] if len(claim.numbers("offset")) == 2 else claim.refuse()
    return BeamSection(name, material, Profile[profile], claim.numbers("dimensions"), (first, second))


def renamed(section: Section, name: str, material: str) -> Section:
    """Return *section* under another name, of the material as the part spells it."""
    return replace(section, name=name, material=material)
