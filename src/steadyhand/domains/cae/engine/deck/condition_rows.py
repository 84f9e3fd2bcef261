"""Decides which supports and loads a deck tells; it must not believe a comment of ours where the keywords say otherwise."""

from collections.abc import Container
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from steadyhand.domains.cae.engine.deck.blocks import Block
from steadyhand.domains.cae.engine.deck.claims import Claim
from steadyhand.domains.cae.engine.deck.condition_text import former_lines, load_lines, support_lines
from steadyhand.domains.cae.engine.deck.keeping import RESET, Keeping
from steadyhand.domains.cae.engine.deck.numbers import is_number
from steadyhand.domains.cae.engine.deck.region_rows import RegionRows
from steadyhand.domains.cae.engine.deck.set_rows import SetRows, once
from steadyhand.domains.cae.engine.deck.words import Spelling, fits, items, shown_name, unused
from steadyhand.domains.cae.engine.fitting import fitted
from steadyhand.domains.cae.engine.part import Part, Sets
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
    """The supports and loads of a deck, decided when the sets are known; *ours*: we wrote it."""

    part: Part = field(default_factory=Part)
    everything: str = ""
    ours: bool = False
    waiting: list[Condition] = field(default_factory=list[Condition])
    reset: list[tuple[Block, int]] = field(default_factory=list[tuple[Block, int]])
    """``*BOUNDARY, OP=NEW`` that took supports away, with its line."""
    _counts: dict[str, int] = field(default_factory=dict[str, int])
    _rows: RegionRows = field(init=False)
    _spell: tuple[Spelling, Spelling] = field(init=False)

    def settle(self, node_names: SetRows, element_names: SetRows, keeping: Keeping) -> None:
        """Decide each condition in order, and give the part its supports and loads; its sets may grow by internal ones.

        What follows text of its own kind, or a ``*BOUNDARY`` behind text that matters to it, stays text itself: it would overtake that.
        """
        mesh = self.part.mesh
        self._rows = RegionRows(node_names, element_names, mesh.node_labels, mesh.element_labels, self.everything)
        self._spell = Spelling(self.part.node_sets), Spelling(self.part.element_sets)
        text: set[str] = set()
        first = -1
        for condition in self._lasting():
            claim, taken = self._put_claimed(condition)
            block = condition.block
            if block is None:
                continue
            if not taken:
                behind = block.key in text or (block.key == "BOUNDARY" and first >= 0 and keeping.tied(first, block.head.line))
                taken = not behind and self._told(claim, block, condition.place)
            if not taken:
                keeping.keep(block, condition.place, without=RESET if self._is_reset(condition) else None)
                text.add(block.key)
            elif block.key == "BOUNDARY" and first < 0 and len(block.data):
                first = block.head.line
        if first >= 0:
            keeping.put_behind(first)

    def _lasting(self) -> list[Condition]:
        """Return the conditions without those of the model that the first ``*BOUNDARY`` of the step takes away again.

        A deck that we wrote has its supports in the model whatever stood in its step: nothing is taken away there.
        """
        begins = next((one for one in self.waiting if one.place == "step" and _is_boundary(one)), None)
        if begins is None or begins.block is None or self.ours or not self._is_reset(begins):
            return self.waiting
        gone = {id(one) for one in self.waiting if one.place == "model" and _is_boundary(one)}
        if gone:
            self.reset.append((begins.block, begins.block.head.line))
        return [one for one in self.waiting if id(one) not in gone]

    @staticmethod
    def _is_reset(condition: Condition) -> bool:
        block = condition.block
        told = block.head.params.get("OP") if block is not None and condition.place == "step" else None
        return told is not None and told.text.upper() == "NEW"

    # ---- comments of ours ----

    def _put_claimed(self, condition: Condition) -> tuple[Claim | None, bool]:
        """Put what a claim says where the keywords say the same, or it needs none; return a claim that is left, and whether the keywords are its."""
        claim, block = condition.claim, condition.block
        if claim is None:
            return None, False
        found = self._claimed(claim)
        lines = self._lines(found)
        if lines and (block is None or not self._stand_there(found, lines, block)):
            return claim, False
        self._put(found, claim)
        return None, bool(lines)  # without lines, the keywords that follow are not its own

    def _lines(self, found: Support | Load) -> tuple[str, ...]:
        """Return the data lines that a writer would write for a claim."""
        if isinstance(found, Support):
            return support_lines(found, self.part.node_sets, self._spell[0])
        return load_lines(found, self.part, self._spell[0 if isinstance(found, Force) else 1], self.everything)

    def _stand_there(self, found: Support | Load, lines: tuple[str, ...], block: Block) -> bool:
        """Whether *block* says what a claim does: *lines*, or those that were written for it once."""
        key = "BOUNDARY" if isinstance(found, Support) else "CLOAD" if isinstance(found, Force) else "DLOAD"
        if block.key != key or block.head.params:
            return False
        told = [items(text) for _, text in block.rows()]
        if _alike(told, lines):
            return True
        return isinstance(found, Force) and _alike(told, former_lines(found, self.part, self._spell[0]))

    def _claimed(self, claim: Claim) -> Support | Load:
        if "support" in claim:
            dofs = tuple(int(dof) if dof in DOFS else claim.refuse() for dof in claim.numbers("dofs"))
            return Support(claim.name("support"), self._known(claim, self.part.node_sets), dofs, claim.flag("symmetry"))
        if "force" in claim:
            name, region = claim.name("force"), self._known(claim, self.part.node_sets)
            return Force(name, region, claim.vector("components"), claim.flag("total"))
        if "pressure" in claim:
            return Pressure(claim.name("pressure"), self._known(claim, self.part.element_sets), claim.number("magnitude"))
        return Gravity(claim.name("gravity"), claim.vector("components"))

    def _known(self, claim: Claim, sets: Sets) -> str:
        name = claim.name("set")
        return name if name in sets else claim.refuse()

    def _put(self, found: Support | Load, claim: Claim) -> None:
        kind: dict[str, Support] | dict[str, Load] = self.part.supports if isinstance(found, Support) else self.part.loads
        if found.name in kind:
            claim.lines.refuse(claim.line, "deck_name_twice", name=shown_name(found.name))
        if isinstance(found, Support):
            self.part.supports[found.name] = found
        else:
            self.part.loads[found.name] = found

    # ---- keywords ----

    def _told(self, claim: Claim | None, block: Block, place: str) -> bool:
        """Take over what keywords tell; False for a form that the engine does not hold."""
        changes = block.head.params.get("OP")
        known = {"MOD", "NEW"} if place == "step" else {"MOD"}
        if set(block.head.params) - {"OP"} or (changes is not None and changes.text.upper() not in known):
            return False
        given = next((claim.name(kind) for kind in CLAIMED if claim is not None and kind in claim), block.title)
        if block.key == "BOUNDARY":
            held = self._rows.boundary(block)
            if held is None:
                return False
            for (dofs, symmetry), region in self._regions(held, "_boundary"):
                name = self._name(given if fits(given) else "Support", self.part.supports)
                self.part.supports[name] = Support(name, region, dofs, symmetry)
            return True
        return self._cload(given, block) if block.key == "CLOAD" else self._dload(given, block)

    def _cload(self, given: str, block: Block) -> bool:
        pushed = self._rows.cload(block)
        if pushed is None:
            return False
        for components, region in self._regions(pushed, "_load"):
            name = self._name(given if fits(given) else "Load", self.part.loads)
            self.part.loads[name] = Force(name, region, components, total=False)
        return True

    def _dload(self, given: str, block: Block) -> bool:
        rows = self._rows.dload(block)
        if rows is None:
            return False
        for region, pushed in rows:
            if isinstance(pushed, tuple) and not (isinstance(region, str) and self._is_everything(region)):
                return False
        for region, pushed in rows:
            name = self._name(given if fits(given) else "Load", self.part.loads)
            if isinstance(pushed, tuple):
                self.part.loads[name] = Gravity(name, pushed)
                continue
            own = region if isinstance(region, str) else self._internal(self.part.element_sets, "_load", [region])
            self.part.loads[name] = Pressure(name, own, -pushed)
        return True

    def _is_everything(self, name: str) -> bool:
        return name in {"", self.everything} or len(self.part.element_sets[name]) == self.part.mesh.element_count

    def _regions(self, told: dict[str | int, T], stem: str) -> list[tuple[T, str]]:
        """Return each value with its set; nodes that have the same value are put into one internal set."""
        alike: dict[T, list[int]] = {}
        found: list[tuple[T, str]] = []
        for region, value in told.items():
            if isinstance(region, str):
                found.append((value, region))
            else:
                alike.setdefault(value, []).append(region)
        found.extend((value, self._internal(self.part.node_sets, stem, labels)) for value, labels in alike.items())
        return found

    def _internal(self, sets: Sets, stem: str, labels: list[int]) -> str:
        name = unused(stem, sets, self._counts)
        sets[name] = once(np.array(labels, np.int64))
        return name

    def _name(self, wanted: str, taken: Container[str]) -> str:
        return wanted if wanted not in taken else unused(wanted, taken, self._counts)


def _is_boundary(condition: Condition) -> bool:
    block, claim = condition.block, condition.claim
    return block.key == "BOUNDARY" if block is not None else claim is not None and "support" in claim


def _alike(told: list[list[str]], lines: tuple[str, ...]) -> bool:
    """Whether rows say the same, however long their numbers are written."""
    if len(told) != len(lines):
        return False
    pairs = ((one, items(line)) for one, line in zip(told, lines, strict=True))
    return all(one == other or (len(one) == len(other) and all(map(_same, one, other))) for one, other in pairs)


def _same(one: str, other: str) -> bool:
    return one == other or (is_number(one) and is_number(other) and fitted(float(one)) == fitted(float(other)))
