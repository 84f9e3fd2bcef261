"""Decides how a part becomes a deck; it must not write one that would be read back as another part, nor two for the same part."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from steadyhand.domains.cae.engine.deck.claims import Told, comment
from steadyhand.domains.cae.engine.deck.condition_text import load_claim, load_lines, support_claim, support_lines
from steadyhand.domains.cae.engine.deck.keeping import is_procedure
from steadyhand.domains.cae.engine.deck.mesh_text import element_text, node_text
from steadyhand.domains.cae.engine.deck.property_text import assignment_text, material_text, section_claim
from steadyhand.domains.cae.engine.deck.report import FORMAT, MOST_NEXT
from steadyhand.domains.cae.engine.deck.set_text import runs_of, set_text
from steadyhand.domains.cae.engine.deck.words import Spelling, fold
from steadyhand.domains.cae.engine.errors import EngineRefusal
from steadyhand.domains.cae.engine.mesh import USUAL_TYPES
from steadyhand.domains.cae.engine.part import Part, Sets
from steadyhand.domains.cae.engine.properties import UNITS, Force, Gravity

OWN = "_deck-"
HELD_IN_A_LINE = 200


def write_deck(part: Part, path: Path) -> str:
    """Write *part* to *path* and return the file's SHA-256.

    Raises `EngineRefusal`, before the file is opened, where a deck could not be read back as the same part.
    """
    pieces = [piece.encode("utf-8") for piece in deck_text(part)]
    digest = hashlib.sha256()
    with path.open("wb") as opened:
        for piece in pieces:
            opened.write(piece)
            digest.update(piece)
    return digest.hexdigest()


def deck_text(part: Part) -> Iterator[str]:
    """Yield the text of the deck in large pieces."""
    writing = _Writing(part)
    yield writing.header()
    yield from node_text(part)
    yield from element_text(part, writing.own)
    yield from writing.sets("NSET", part.node_sets, writing.nodes)
    yield from writing.sets("ELSET", part.element_sets, writing.elements)
    yield from writing.properties()
    yield from writing.kept("model")
    yield from writing.held()
    yield from writing.supports()
    yield from writing.kept("model_last")
    yield from writing.step()
    yield from writing.kept("after")


class _Writing:
    def __init__(self, part: Part) -> None:
        self.part = part
        self.nodes, self.elements = Spelling(part.node_sets), Spelling(part.element_sets)
        for named in (part.sections, part.loads, part.supports):
            Spelling(named)  # refuses a name that no line can hold
        self.own = OWN
        while any(fold(name).startswith(fold(self.own)) for name in part.element_sets):
            self.own += "-"

    def header(self) -> str:
        """Return the first lines: what the file is, its units, which labels come next, and the heading."""
        part = self.part
        fields: dict[str, Told] = {"deck": FORMAT, "units": UNITS, "own_sets": self.own}
        for label in (part.next_node, part.next_element):
            if not 0 < label <= MOST_NEXT:
                raise EngineRefusal("deck_bad_label", file="", line=0, label=str(label), limit=MOST_NEXT)
        fields |= {"next_node": part.next_node, "next_element": part.next_element}
        if tuple(part.type_names) != USUAL_TYPES:
            types: list[Told] = list(part.type_names[len(USUAL_TYPES) :])
            fields["types"] = types
        plain = all(_is_plain(line) for line in part.heading.split("\n"))
        told = f"*HEADING\n{part.heading}\n" if plain else comment({"heading": part.heading}) if part.heading else ""
        return comment(fields) + told

    def kept(self, place: str) -> Iterator[str]:
        """Yield the kept texts of a place."""
        yield from (kept.text + "\n" for kept in self.part.kept if kept.place == place)

    def sets(self, keyword: str, sets: Sets, spell: Spelling) -> Iterator[str]:
        """Yield the sets of one kind in their order."""
        field = "node_set" if keyword == "NSET" else "element_set"
        for name, labels in sets.items():
            yield set_text(keyword, spell(name), labels) if len(labels) else comment({field: name})

    def properties(self) -> Iterator[str]:
        """Yield materials, sections and assignments."""
        part = self.part
        spell = Spelling(part.materials)
        options: dict[tuple[str, str], list[str]] = {}
        for kept in part.kept:
            options.setdefault((kept.place, kept.owner), []).append(kept.text + "\n")
        for material in part.materials.values():
            first, rest = (options.get((place, material.name), ()) for place in ("material_first", "material"))
            yield material_text(material, spell, "".join(first))
            yield from rest
        yield from (section_claim(section) for section in part.sections.values())
        used = set(np.unique(part.mesh.assigned).tolist())
        for place, assignment in enumerate(part.assignments):
            elset = f"{self.own}{place}" if place in used else ""
            yield assignment_text(assignment, part.sections[assignment.section], elset, spell)

    def held(self) -> Iterator[str]:
        """Yield the nodes that kept text holds, in runs."""
        ends = runs_of(self.part.held_nodes).ravel().tolist()
        for at in range(0, len(ends), HELD_IN_A_LINE):
            run: list[Told] = list(ends[at : at + HELD_IN_A_LINE])
            yield comment({"held_nodes": run})

    def supports(self) -> Iterator[str]:
        """Yield the supports."""
        for support in self.part.supports.values():
            lines = support_lines(support, self.part.node_sets, self.nodes)
            yield support_claim(support) + _block("BOUNDARY", lines)

    def step(self) -> Iterator[str]:
        """Yield the one step that is ours, with what is kept in it."""
        part = self.part
        kept = [entry for entry in part.kept if entry.place == "step"]
        if not (part.loads or kept or any(entry.place == "after" for entry in part.kept)):
            return
        everything = f"{self.own}all" if part.mesh.element_count else ""
        if everything and any(isinstance(load, Gravity) for load in part.loads.values()):
            yield set_text("ELSET", everything, part.mesh.element_labels)
        yield next((entry.text + "\n" for entry in kept if entry.keyword == "STEP"), "*STEP\n")
        procedures = [entry for entry in kept if is_procedure(entry)]
        yield "".join(entry.text + "\n" for entry in procedures) or "*STATIC\n"
        for load in part.loads.values():
            spell = self.nodes if isinstance(load, Force) else self.elements
            lines = load_lines(load, part, spell, everything)
            yield load_claim(load) + _block("CLOAD" if isinstance(load, Force) else "DLOAD", lines)
        yield from (entry.text + "\n" for entry in kept if entry.keyword != "STEP" and not is_procedure(entry))
        yield "*END STEP\n"


def _block(keyword: str, lines: tuple[str, ...]) -> str:
    return "".join(f"{line}\n" for line in (f"*{keyword}", *lines)) if lines else ""


def _is_plain(line: str) -> bool:
    """Whether other programs, and a reader of ours, take a line of a heading as it is."""
    return line.isprintable() and 0 < len(line) <= 200 and line == line.strip() and not line.startswith("*")
