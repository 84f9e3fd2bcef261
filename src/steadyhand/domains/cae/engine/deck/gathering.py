"""Decides what a deck's blocks and comments are gathered into while it is read; it must not yet look anything up."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from steadyhand.domains.cae.engine.deck.blocks import Block
from steadyhand.domains.cae.engine.deck.claims import Claim
from steadyhand.domains.cae.engine.deck.condition_rows import CLAIMED, Condition, ConditionRows
from steadyhand.domains.cae.engine.deck.element_rows import Elements
from steadyhand.domains.cae.engine.deck.keeping import Keeping
from steadyhand.domains.cae.engine.deck.lines import Lines
from steadyhand.domains.cae.engine.deck.node_rows import NodeRows
from steadyhand.domains.cae.engine.deck.numbers import numbers
from steadyhand.domains.cae.engine.deck.property_rows import MaterialRows
from steadyhand.domains.cae.engine.deck.report import FORMAT, Limits
from steadyhand.domains.cae.engine.deck.section_rows import SectionRows
from steadyhand.domains.cae.engine.deck.set_rows import SetRows
from steadyhand.domains.cae.engine.deck.words import Word

FOLLOWED_BY = {"BOUNDARY": {"support"}, "CLOAD": {"force"}, "DLOAD": {"pressure", "gravity"}}


@dataclass(slots=True)
class Gathering:
    """Everything that was read so far. *phase* is ``model``, ``step`` or ``after``; *scope* is ``part`` inside of ``*PART``."""

    lines: Lines
    limits: Limits
    phase: str = "model"
    scope: str = ""
    assembly: bool = False
    parts: int = 0
    prelude: int = -1
    """The first line of what stands before the first keyword, −1 for none."""
    resets: list[tuple[Block, int]] = field(default_factory=list[tuple[Block, int]])
    placement: list[list[float]] = field(default_factory=list[list[float]])
    header: Claim | None = None
    heading: list[str] = field(default_factory=list[str])
    held: list[Claim] = field(default_factory=list[Claim])
    nodes: NodeRows = field(default_factory=NodeRows)
    elements: Elements = field(default_factory=Elements)
    materials: MaterialRows = field(default_factory=MaterialRows)
    sections: SectionRows = field(default_factory=SectionRows)
    conditions: ConditionRows = field(default_factory=ConditionRows)
    keeping: Keeping = field(default_factory=Keeping)
    instance: Block | None = None
    framed: Block | None = None
    node_sets: SetRows = field(init=False)
    element_sets: SetRows = field(init=False)

    def __post_init__(self) -> None:
        self.node_sets = SetRows("NSET", self.limits)
        self.element_sets = SetRows("ELSET", self.limits)

    # ---- comments of ours ----

    def claims(self, claims: Iterable[Claim]) -> None:
        """Take over comments that no keyword follows which would tell the same."""
        for claim in claims:
            if any(kind in claim for kind in CLAIMED):
                self.conditions.waiting.append(Condition(claim, None, "model"))
            elif "assignment" in claim:
                self.sections.claim(claim)
            elif "section" in claim:
                self.sections.declared.append(claim)
            else:
                self._claim(claim)

    def _claim(self, claim: Claim) -> None:
        if "deck" in claim:
            if self.header is not None or claim.whole("deck") > FORMAT:
                claim.lines.refuse(claim.line, "deck_too_new" if self.header is None else "deck_bad_comment")
            self.header = claim
            claim.text("own_sets")
            self.elements.declare(claim.names("types") if "types" in claim else [])
        elif "heading" in claim:
            self.heading.append(claim.text("heading"))
        elif "node_set" in claim:
            self.node_sets.open(Word(claim.name("node_set"), quoted=True), "")
        elif "element_set" in claim:
            self.element_sets.open(Word(claim.name("element_set"), quoted=True), "")
        elif "held_nodes" in claim:
            self.held.append(claim)

    # ---- keywords ----

    def condition(self, block: Block) -> None:
        """Note a support or a load with the comment of ours that belongs to it."""
        last = block.claims[-1] if block.claims else None
        belongs = last is not None and any(kind in last for kind in FOLLOWED_BY[block.key])
        self.claims(block.claims[:-1] if belongs else block.claims)
        place = "step" if self.phase == "step" else "model"
        self.conditions.waiting.append(Condition(last if belongs else None, block, place))

    def section(self, block: Block) -> None:
        """Note a section with the comment of ours that belongs to it."""
        last = block.claims[-1] if block.claims else None
        elset = block.head.params.get("ELSET")
        belongs = last is not None and elset is not None and "assignment" in last and last.fields.get("elset") == elset.text
        self.claims(block.claims[:-1] if belongs else block.claims)
        self.sections.take(block, last if belongs else None, self.scope)

    def keep_unless_plain(self, block: Block) -> None:
        """Keep the head of a step that says more than ours would."""
        if block.head.params or len(block.data):
            self.keeping.keep(block, "step")

    def take_nodes(self, block: Block) -> None:
        """Read nodes, and put them into the set that the keyword names."""
        self._refuse_in_assembly(block)
        labels = self.nodes.take(block)
        if "NSET" in block.head.params:
            self.node_sets.named(block, block.head.params["NSET"], self.scope).parts.append(labels)

    def take_elements(self, block: Block) -> None:
        """Read elements, and put them into the set that the keyword names; those of other types stay text."""
        self._refuse_in_assembly(block)
        labels, held = self.elements.take(block)
        if "ELSET" in block.head.params:
            entry = self.element_sets.named(block, block.head.params["ELSET"], self.scope)
            entry.parts.append(labels)
            if not held:
                entry.told.append(labels)
        if not held:
            self.keeping.keep(block, "model")

    def set_list(self, block: Block) -> None:
        """Note members of a set."""
        (self.node_sets if block.key == "NSET" else self.element_sets).wait(block, self.scope)

    # ---- parts and assemblies ----

    def frame(self, block: Block) -> None:
        """Follow a part, an assembly or an instance; only one part is read, and it stands alone then."""
        self.framed = self.framed or block
        match block.key:
            case "PART":
                self.parts += 1
                if self.parts > 1:
                    block.lines.refuse(block.head.line, "deck_many_parts")
                self.scope = "part"
            case "INSTANCE":
                self._take_instance(block)
            case "ASSEMBLY":
                self.assembly = True
            case _:
                self.scope = ""
                self.assembly = self.assembly and block.key != "ENDASSEMBLY"

    def _take_instance(self, block: Block) -> None:
        if self.instance is not None:
            block.lines.refuse(block.head.line, "deck_many_parts")
        self.instance = block
        named = block.head.params.get("NAME")
        name = named.text if named is not None else ""
        self.node_sets.instance = self.element_sets.instance = name
        rows = numbers(block)
        if rows is None or len(rows) > 2 or [len(row) for _, row in rows] not in ([], [3], [3, 7]):
            block.lines.refuse(block.head.line, "deck_bad_placement")
        self.placement = [row for _, row in rows]
        self.scope = "part"

    def _refuse_in_assembly(self, block: Block) -> None:
        if self.assembly and self.scope != "part":
            block.lines.refuse(block.head.line, "deck_assembly_mesh", keyword=block.head.name)
