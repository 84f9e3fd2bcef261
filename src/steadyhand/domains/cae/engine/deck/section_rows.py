"""Decides which element is given which section: a name from our comments or a title, values from the keywords; it must not read text."""

from dataclasses import dataclass, field

import numpy as np

from steadyhand.domains.cae.engine.deck.blocks import Block
from steadyhand.domains.cae.engine.deck.claims import Claim
from steadyhand.domains.cae.engine.deck.keeping import Keeping
from steadyhand.domains.cae.engine.deck.property_rows import MaterialRows, SectionBlock, claimed_section, renamed, section_of
from steadyhand.domains.cae.engine.deck.set_rows import Budget, SetRows
from steadyhand.domains.cae.engine.deck.words import fits, fold, shown_name, unused
from steadyhand.domains.cae.engine.mesh import Labels, Mesh
from steadyhand.domains.cae.engine.properties import Assignment, BeamSection, Section, Vector


@dataclass(frozen=True, slots=True)
class Use:
    """One assignment: what a comment of ours claims, what keywords tell, or both; and in which part of the deck it stands."""

    claim: Claim | None
    told: SectionBlock | None
    block: Block | None
    scope: str


@dataclass(slots=True)
class SectionRows:
    """The sections and assignments of a deck."""

    declared: list[Claim] = field(default_factory=list[Claim])
    uses: list[Use] = field(default_factory=list[Use])
    sections: dict[str, Section] = field(default_factory=dict[str, Section])
    assignments: list[Assignment] = field(default_factory=list[Assignment])
    _used: set[str] = field(default_factory=set[str])
    _counts: dict[str, int] = field(default_factory=dict[str, int])
    _copies: dict[tuple[str, Section], str] = field(default_factory=dict[tuple[str, Section], str])
    _places: dict[Assignment, int] = field(default_factory=dict[Assignment, int])

    def take(self, block: Block, claim: Claim | None, scope: str) -> None:
        """Note a section keyword with the comment of ours before it."""
        self.uses.append(Use(claim, section_of(block), block, scope))

    def claim(self, claim: Claim) -> None:
        """Note an assignment that no element has."""
        self.uses.append(Use(claim, None, None, ""))

    def settle(self, mesh: Mesh, sets: SetRows, materials: MaterialRows, keeping: Keeping, budget: Budget) -> None:
        """Decide sections and assignments, and give the elements of *mesh* theirs."""
        for claim in self.declared:
            section = claimed_section(claim)
            material = materials.find(section.material)
            if section.name in self.sections or material is None:
                claim.refuse()
            self.sections[section.name] = renamed(section, section.name, material)
        for use in self.uses:
            if use.block is None:
                self._claimed(use)
            elif not self._told(use, use.block, mesh, sets, materials, budget):
                keeping.keep(use.block, "model")

    def _claimed(self, use: Use) -> None:
        claim = use.claim
        if claim is not None:
            if claim.name("assignment") not in self.sections:
                claim.refuse()
            self.assignments.append(Assignment(claim.name("assignment"), _claimed_n1(claim)))

    def _told(self, use: Use, block: Block, mesh: Mesh, sets: SetRows, materials: MaterialRows, budget: Budget) -> bool:
        """Take over what keywords tell; False when the text has to stay as it is."""
        told = use.told
        material = materials.find(told.section.material) if told is not None else None
        if told is None or (material is None and fold(told.section.material) in materials.kept):
            return False
        if material is None:
            block.lines.refuse(block.head.line, "deck_unknown_material", name=shown_name(told.section.material))
        entry = sets.find(told.elset, use.scope)
        if entry is None:
            block.lines.refuse(block.head.line, "deck_unknown_set", name=shown_name(told.elset))
        budget.spend(block, sum(len(part) for part in entry.parts))
        rows = _rows(entry.labels(), mesh.element_labels)
        if rows is None:
            return False
        mesh.assigned[rows] = self._place(use, told, material)
        return True

    def _place(self, use: Use, told: SectionBlock, material: str) -> int:
        """Return the place in the list of assignments for what keywords tell."""
        claim = use.claim
        if claim is None:
            title = use.block.title if use.block is not None else ""
            wanted = Assignment(self._name(title if fits(title) else told.elset, told.section, material), told.n1)
            if wanted not in self._places:
                self._places[wanted] = len(self.assignments)
                self.assignments.append(wanted)
            return self._places[wanted]
        name = self._name(claim.name("assignment"), told.section, material)
        n1 = _claimed_n1(claim)
        if isinstance(told.section, BeamSection) and n1 != told.n1:
            n1 = told.n1
        self.assignments.append(Assignment(name, n1))
        return len(self.assignments) - 1

    def _name(self, wanted: str, section: Section, material: str) -> str:
        """Return the name under which *section* is held: *wanted*, or one after it where that is another section already."""
        own = renamed(section, wanted, material)
        if self.sections.get(wanted) == own or wanted not in self._used:
            if self.sections.get(wanted) != own:
                self.sections[wanted] = own
            self._used.add(wanted)
            return wanted
        return self._another(wanted, own)

    def _another(self, wanted: str, own: Section) -> str:
        same = self._copies.get((wanted, own))
        if same is not None:
            return same
        name = unused(wanted, self.sections, self._counts)
        self.sections[name] = renamed(own, name, own.material)
        self._used.add(name)
        self._copies[wanted, own] = name
        return name


def _claimed_n1(claim: Claim) -> Vector | None:
    return claim.vector("n1") if claim.fields.get("n1") is not None else None


def _rows(labels: Labels, known: Labels) -> Labels | None:
    """Return the rows of *labels*, None where one of them belongs to an element that stays text."""
    rows = np.searchsorted(known, labels)
    if len(labels) and (not len(known) or not bool((known[np.minimum(rows, len(known) - 1)] == labels).all())):
        return None
    return rows
