"""Decides in which order text that the engine does not understand is kept, and which nodes it holds; it must not read meaning into the rest."""

import re
from dataclasses import dataclass, field, replace

import numpy as np

from steadyhand.domains.cae.engine.deck.blocks import Block
from steadyhand.domains.cae.engine.deck.report import MOST_LABEL, Unknown
from steadyhand.domains.cae.engine.deck.set_rows import once
from steadyhand.domains.cae.engine.deck.words import items, word
from steadyhand.domains.cae.engine.mesh import Labels
from steadyhand.domains.cae.engine.part import Kept

NAMING = {"EQUATION": slice(0, None, 3), "MPC": slice(1, None), "CLOAD": slice(0, 1), "BOUNDARY": slice(0, 1)}
"""Which items of a row name nodes or node sets."""
NAMING_PARAMS = ("REF NODE", "NSET", "TIE NSET", "PIN NSET", "ROT NODE")
NAMING_BY_PARAM = {"RIGIDBODY", "COUPLING", "KINEMATIC", "DISTRIBUTING"}
PLACES = ("material_first", "material", "model", "model_last", "step", "after")
TIED = {"BOUNDARY", "TRANSFORM", "EQUATION", "MPC", "RIGIDBODY", "COUPLING", "KINEMATIC", "DISTRIBUTING", "TIE"}
"""Keywords, without blanks, that mean something else before a ``*BOUNDARY`` than behind it."""
RESETS = {"BOUNDARY", "CLOAD", "DLOAD", "DSLOAD", "TEMPERATURE", "CFLUX", "DFLUX", "FILM", "RADIATE"}
"""Keywords, without blanks, that say nothing in the first step when they have no rows: there is nothing yet to be taken away."""
PROCEDURES = frozenset(
    (
        *(
            "STATIC",
            "FREQUENCY",
            "BUCKLE",
            "DYNAMIC",
            "VISCO",
            "MODALDYNAMIC",
            "STEADYSTATEDYNAMICS",
            "HEATTRANSFER",
            "COMPLEXFREQUENCY",
        ),
        *("COUPLEDTEMPERATURE-DISPLACEMENT", "UNCOUPLEDTEMPERATURE-DISPLACEMENT", "RANDOMRESPONSE", "RESPONSESPECTRUM", "GREEN"),
        *("SUBSTRUCTUREGENERATE", "SENSITIVITY", "ELECTROMAGNETICS", "CFD", "NOANALYSIS", "GEOSTATIC", "SOILS"),
    )
)
"""Keywords, without blanks, that say what a step computes."""
IDLE = frozenset(
    (
        *(
            "NODEFILE",
            "ELFILE",
            "NODEPRINT",
            "ELPRINT",
            "CONTACTFILE",
            "CONTACTPRINT",
            "ENERGYFILE",
            "ENERGYPRINT",
            "SECTIONPRINT",
        ),
        *("OUTPUT", "NODEOUTPUT", "ELEMENTOUTPUT", "ENERGYOUTPUT", "CONTACTOUTPUT", "FILEFORMAT", "FILEOUTPUT"),
        *("RESTART", "PRINT", "PREPRINT", "MONITOR", "DIAGNOSTICS"),
    )
)
"""Keywords, without blanks, that say what is written out and nothing of the answer."""
RESET = re.compile(r",\s*op\s*=\s*new(?=\s*[,\n]|\s*$)", re.IGNORECASE)
WHOLE = re.compile(r"[0-9]{1,10}")


@dataclass(slots=True)
class Keeping:
    """What is kept, by the line at which it stands, with the words in it that may name nodes or node sets."""

    entries: list[tuple[int, Kept]] = field(default_factory=list[tuple[int, Kept]])
    words: list[str] = field(default_factory=list[str])
    seen: dict[str, tuple[int, Block]] = field(default_factory=dict[str, tuple[int, Block]])
    busy: set[str] = field(default_factory=set[str])
    """Keywords of which one at least may matter to an answer."""

    @property
    def above(self) -> str:
        """The keyword of what was kept last before the first step, empty for none."""
        return next((kept.keyword for _, kept in reversed(self.entries) if kept.place == "model"), "")

    def keep(self, block: Block, place: str, owner: str = "", *, without: "re.Pattern[str] | None" = None) -> None:
        """Keep a block as it stands, *without* what was obeyed already, and count it for the report."""
        text = block.verbatim() if without is None else without.sub("", block.verbatim(), count=1)
        self.entries.append((block.head.line, Kept(place, block.head.name, text, owner)))
        self.count(block)
        rows = NAMING.get(block.key)
        if rows is not None:
            self.words.extend(word(item).text for _, text in block.rows() for item in items(text)[rows])
        if block.key in NAMING_BY_PARAM:
            self.words.extend(block.head.params[name].text for name in NAMING_PARAMS if name in block.head.params)

    def count(self, block: Block) -> None:
        """Count a block for the report."""
        count, first = self.seen.get(block.head.name, (0, block))
        self.seen[block.head.name] = (count + 1, first)
        if not _is_idle(block):
            self.busy.add(block.head.name)

    def tied(self, first: int, end: int) -> bool:
        """Whether text whose order against ``*BOUNDARY`` matters stands between two lines."""
        return any(first < line < end and _is_tied(kept) for line, kept in self.entries)

    def put_behind(self, first: int) -> None:
        """Let such text of the model stay behind the supports, of which *first* is the line of the first."""
        for place, (line, kept) in enumerate(self.entries):
            if kept.place == "model" and line > first and _is_tied(kept):
                self.entries[place] = (line, replace(kept, place="model_last"))

    def put(self, line: int, kept: Kept) -> None:
        """Keep a text that stands in for what stood at *line*."""
        self.entries.append((line, kept))

    def settle(self, instance: str) -> list[Kept]:
        """Return what is kept in the deck's order; the name of the one instance goes, since its part stands alone now."""
        found = [kept for _, kept in sorted(self.entries, key=lambda entry: (_rank(entry[1]), entry[0]))]
        if not instance:
            return found
        prefix = re.compile(rf"(?<![\w.-]){re.escape(instance)}\.", re.IGNORECASE)
        owned = re.compile(rf",\s*instance\s*=\s*{re.escape(instance)}(?=\s*[,\n]|\s*$)", re.IGNORECASE)
        return [replace(kept, text=owned.sub("", prefix.sub("", kept.text))) for kept in found]

    def unknown(self) -> tuple[Unknown, ...]:
        """Return what the report tells about kept keywords, in the order of where they stand first."""
        told = [(block.head.line, name, count, block) for name, (count, block) in self.seen.items()]
        return tuple(
            Unknown(name, *block.lines.place(line), count, idle=name not in self.busy)
            for line, name, count, block in sorted(told, key=lambda row: row[:2])
        )

    def held(self, sets: "dict[str, Labels]", known: Labels) -> Labels:
        """Return the nodes that the words name, alone or by sets; *sets* is by folded name."""
        wanted = np.array(
            sorted({int(text) for text in self.words if WHOLE.fullmatch(text) and int(text) <= MOST_LABEL}), np.int64
        )
        parts = [
            wanted[np.isin(wanted, known)],
            *(sets[name] for name in dict.fromkeys(text.upper() for text in self.words) if name in sets),
        ]
        return once(np.concatenate(parts))


def is_empty_reset(block: Block) -> bool:
    """Whether a block of the first step takes away what is not there, and gives nothing."""
    return block.key in RESETS and not len(block.data) and set(block.head.params) <= {"OP"}


def is_procedure(kept: Kept) -> bool:
    """Whether a kept text says what its step computes."""
    return kept.keyword.replace(" ", "") in PROCEDURES


def _is_idle(block: Block) -> bool:
    """Whether no answer depends on a block: it says what is written out, or is a step that has but a name or a title."""
    return block.key in IDLE or (block.key == "STEP" and set(block.head.params) <= {"NAME"})


def _is_tied(kept: Kept) -> bool:
    return kept.keyword.replace(" ", "") in TIED


def _rank(kept: Kept) -> tuple[int, int]:
    """Return where a text goes, as a writer puts it: the head of a step comes before the rest of it."""
    within = 0 if kept.keyword == "STEP" else 1 if is_procedure(kept) else 2
    return PLACES.index(kept.place), within if kept.place == "step" else 0
