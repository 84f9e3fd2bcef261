"""Decides which supports and loads a deck tells; it must not believe a comment of ours where the keywords say otherwise."""

from collections.abc import Container
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from steadyhand.domains.cae.engine.deck.blocks import Block
from steadyhand.domains.cae.engine.deck.claims import Claim
from steadyhand.domains.cae.engine.deck.condition_text import load_lines, support_lines
from steadyhand.domains.cae.engine.deck.keeping import Keeping
from steadyhand.domains.cae.engine.deck.region_rows import RegionRows
from steadyhand.domains.cae.engine.deck.set_rows import SetRows, once
from steadyhand.domains.cae.engine.deck.words import Spelling, fits, shown_name, unused
from steadyhand.domains.cae.engine.mesh import Labels
from steadyhand.domains.cae.engine.part import Sets
from steadyhand.domains.cae.engine.properties import Force, Gravity, Load, Pressure, Support
from steadyhand.domains.cae.engine.shapes import DOFS

T = TypeVar("T")
CLAIMED = ("support", "force", "pressure", "gravity")


@dataclass(frozen=True, slots=True)
class Condition:
    """One support or load as it comes: a claim, keywords, or both; *place* is where kept text would stand."""

    claim: Claim | None
    block: Block | None
    place: str


@dataclass(slots=True)
class ConditionRows:
    """The supports and loads of a deck, decided when the sets are known."""

    node_sets: Sets = field(default_factory=dict[str, Labels])
    element_sets: Sets = field(default_factory=dict[str, Labels])
    nodes: Labels = field(default_factory=lambda: np.zeros(0, np.int64))
    elements: Labels = field(default_factory=lambda: np.zeros(0, np.int64))
    everything: str = ""
    waiting: list[Condition] = field(default_factory=list[Condition])
    supports: dict[str, Support] = field(default_factory=dict[str, Support])
    loads: dict[str, Load] = field(default_factory=dict[str, Load])
    _counts: dict[str, int] = field(default_factory=dict[str, int])
    _rows: RegionRows = field(init=False)
    _spell: tuple[Spelling, Spelling] = field(init=False)

    def settle(self, node_names: SetRows, element_names: SetRows, keeping: Keeping) -> None:
        """Decide each condition in order; the sets of this object are those of the part, and may grow by internal ones."""
        self._rows = RegionRows(node_names, element_names, self.nodes, self.elements, self.everything)
        self._spell = Spelling(self.node_sets), Spelling(self.element_sets)
        for condition in self.waiting:
            claim, block = condition.claim, condition.block
            if claim is not None:
                found = self._claimed(claim)
                lines = self._lines(found)
                if not lines or (block is not None and _stand_there(found, lines, block)):
                    self._put(found, claim)
                    if lines:
                        continue
                    claim = None  # it has no keywords: those that follow are not its own
            if block is not None and not self._told(claim, block):
                keeping.keep(block, condition.place)

    # ---- comments of ours ----

    def _lines(self, found: Support | Load) -> tuple[str, ...]:
        """Return the data lines that a writer would write for a claim."""
        if isinstance(found, Support):
            return support_lines(found, self.node_sets, self._spell[0])
        spell = self._spell[0 if isinstance(found, Force) else 1]
        return load_lines(found, self.node_sets, self.element_sets, spell, self.everything)

    def _claimed(self, claim: Claim) -> Support | Load:
        if "support" in claim:
            dofs = tuple(int(dof) if dof in DOFS else claim.refuse() for dof in claim.numbers("dofs"))
            return Support(claim.name("support"), self._known(claim, self.node_sets), dofs, claim.flag("symmetry"))
        if "force" in claim:
            name, region = claim.name("force"), self._known(claim, self.node_sets)
            return Force(name, region, claim.vector("components"), claim.flag("total"))
        if "pressure" in claim:
            return Pressure(claim.name("pressure"), self._known(claim, self.element_sets), claim.number("magnitude"))
        return Gravity(claim.name("gravity"), claim.vector("components"))

    def _known(self, claim: Claim, sets: Sets) -> str:
        name = claim.name("set")
        return name if name in sets else claim.refuse()

    def _put(self, found: Support | Load, claim: Claim) -> None:
        kind: dict[str, Support] | dict[str, Load] = self.supports if isinstance(found, Support) else self.loads
        if found.name in kind:
            claim.lines.refuse(claim.line, "deck_name_twice", name=shown_name(found.name))
        if isinstance(found, Support):
            self.supports[found.name] = found
        else:
            self.loads[found.name] = found

    # ---- keywords ----

    def _told(self, claim: Claim | None, block: Block) -> bool:
        """Take over what keywords tell; False for a form that the engine does not hold."""
        if set(block.head.params) - {"OP"} or ("OP" in block.head.params and block.head.params["OP"].text.upper() != "MOD"):
            return False
        given = next((claim.name(kind) for kind in CLAIMED if claim is not None and kind in claim), block.title)
        if block.key == "BOUNDARY":
            held = self._rows.boundary(block)
            if held is None:
                return False
            for (dofs, symmetry), region in self._regions(held, "_boundary"):
                name = self._name(given if fits(given) else "Support", self.supports)
                self.supports[name] = Support(name, region, dofs, symmetry)
            return True
        return self._cload(given, block) if block.key == "CLOAD" else self._dload(given, block)

    def _cload(self, given: str, block: Block) -> bool:
        pushed = self._rows.cload(block)
        if pushed is None:
            return False
        for components, region in self._regions(pushed, "_load"):
            name = self._name(given if fits(given) else "Load", self.loads)
            self.loads[name] = Force(name, region, components, total=False)
        return True

    def _dload(self, given: str, block: Block) -> bool:
        rows = self._rows.dload(block)
        if rows is None:
            return False
        for region, pushed in rows:
            if isinstance(pushed, tuple) and not (isinstance(region, str) and self._is_everything(region)):
                return False
        for region, pushed in rows:
            name = self._name(given if fits(given) else "Load", self.loads)
            if isinstance(pushed, tuple):
                self.loads[name] = Gravity(name, pushed)
                continue
            own = region if isinstance(region, str) else self._internal(self.element_sets, "_load", [region])
            self.loads[name] = Pressure(name, own, -pushed)
        return True

    def _is_everything(self, name: str) -> bool:
        return name in {"", self.everything} or len(self.element_sets[name]) == len(self.elements)

    def _regions(self, told: dict[str | int, T], stem: str) -> list[tuple[T, str]]:
        """Return each value with its set; nodes that have the same value are put into one internal set."""
        alike: dict[T, list[int]] = {}
        found: list[tuple[T, str]] = []
        for region, value in told.items():
            if isinstance(region, str):
                found.append((value, region))
            else:
                alike.setdefault(value, []).append(region)
        found.extend((value, self._internal(self.node_sets, stem, labels)) for value, labels in alike.items())
        return found

    def _internal(self, sets: Sets, stem: str, labels: list[int]) -> str:
        name = unused(stem, sets, self._counts)
        sets[name] = once(np.array(labels, np.int64))
        return name

    def _name(self, wanted: str, taken: Container[str]) -> str:
        return wanted if wanted not in taken else unused(wanted, taken, self._counts)


def _stand_there(found: Support | Load, lines: tuple[str, ...], block: Block) -> bool:
    key = "BOUNDARY" if isinstance(found, Support) else "CLOAD" if isinstance(found, Force) else "DLOAD"
    return block.key == key and not block.head.params and tuple(text for _, text in block.rows()) == lines
