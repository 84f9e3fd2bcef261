"""Decides how materials, sections and assignments are written; it must not know elements."""

from steadyhand.domains.cae.engine.deck.claims import Told, comment
from steadyhand.domains.cae.engine.deck.condition_text import finite
from steadyhand.domains.cae.engine.deck.words import Spelling
from steadyhand.domains.cae.engine.fitting import fitted
from steadyhand.domains.cae.engine.properties import Assignment, Material, Section, ShellSection

NOTHING = "0.0"


def material_text(material: Material, spell: Spelling, first: str = "") -> str:
    """Return the lines of a material; *first* is kept text that stands before its constants."""
    youngs, poisson, density = (finite(material.name, value) for value in (material.youngs, material.poisson, material.density))
    mass = f"*DENSITY\n{density!r}\n" if repr(density) != NOTHING else ""
    return f"*MATERIAL, NAME={spell(material.name)}\n{first}*ELASTIC\n{youngs!r}, {poisson!r}\n{mass}"


def section_claim(section: Section) -> str:
    """Return the comment line that declares a section; its values stand in keywords too, as often as it is assigned."""
    fields: dict[str, Told] = {"section": section.name, "material": section.material}
    if isinstance(section, ShellSection):
        fields |= {"thickness": finite(section.name, section.thickness), "offset": finite(section.name, section.offset)}
        return comment(fields)
    dimensions: list[Told] = [finite(section.name, value) for value in section.dimensions]
    offset: list[Told] = [finite(section.name, value) for value in section.offset]
    fields |= {"profile": section.profile.value, "dimensions": dimensions, "offset": offset}
    return comment(fields)


def assignment_text(assignment: Assignment, section: Section, elset: str, spell: Spelling) -> str:
    """Return the comment line of an assignment and, unless no element has it, its keyword; *elset* is then its elements' set."""
    n1: Told = None if assignment.n1 is None else [finite(section.name, value) for value in assignment.n1]
    if not elset:
        return comment({"assignment": section.name, "n1": n1})
    head = comment({"assignment": section.name, "n1": n1, "elset": elset})
    if isinstance(section, ShellSection):
        offset = f", OFFSET={fitted(section.offset)!r}" if repr(float(section.offset)) != NOTHING else ""
        return f"{head}*SHELL SECTION, ELSET={elset}, MATERIAL={spell(section.material)}{offset}\n{fitted(float(section.thickness))!r}\n"
    offsets = "".join(
        f", OFFSET{place}={fitted(float(offset))!r}"
        for place, offset in enumerate(section.offset, 1)
        if repr(float(offset)) != NOTHING
    )
    size = ", ".join(repr(fitted(float(value))) for value in section.dimensions)
    axis = "" if assignment.n1 is None else ", ".join(repr(fitted(float(value))) for value in assignment.n1) + "\n"
    return f"{head}*BEAM SECTION, ELSET={elset}, MATERIAL={spell(section.material)}, SECTION={section.profile.value}{offsets}\n{size}\n{axis}"
