"""Decides what the sets of a deck hold: labels, ranges and other sets, put together in the deck's order; it must not know the mesh's arrays."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from steadyhand.domains.cae.engine.deck.blocks import Block
from steadyhand.domains.cae.engine.deck.numbers import is_number, label, labels_only, number, shown
from steadyhand.domains.cae.engine.deck.report import Limits
from steadyhand.domains.cae.engine.deck.words import Word, fits, fold, items, word
from steadyhand.domains.cae.engine.mesh import Labels

EMPTY = np.zeros(0, np.int64)


def once(labels: Labels) -> Labels:
    """Return *labels* ascending and once. They mostly come in long ascending runs, which a sort goes through faster than a hash."""
    ordered = np.sort(labels, kind="stable")
    return ordered[np.append(True, ordered[1:] != ordered[:-1])] if len(ordered) else ordered


@dataclass(slots=True)
class Budget:
    """How many labels may still be looked up: sets of sets must not grow beyond bounds."""

    left: int

    def spend(self, block: Block, count: int) -> None:
        """Take *count* from what is left; refused when it is not enough."""
        self.left -= count
        if self.left < 0:
            block.lines.refuse(block.head.line, "deck_too_many_members")


@dataclass(slots=True)
class Entry:
    """One set as it comes: labels, and among them those that elements bring which stay text, and so are *told* there already.

    When all is known: *final* is its name in the part, and *whole* whether the part's set holds all its members; *mixed* is the line
    where an element that stays text is put into it, −1 for none; *block* is the first that lists members.
    """

    name: str
    scope: str
    parts: list[Labels] = field(default_factory=list[Labels])
    told: list[Labels] = field(default_factory=list[Labels])
    final: str = ""
    whole: bool = False
    mixed: int = -1
    block: Block | None = None

    def labels(self) -> Labels:
        """Return all labels of the set, ascending and once."""
        if len(self.parts) != 1 or not bool((np.diff(self.parts[0]) > 0).all()):
            self.parts = [once(np.concatenate((EMPTY, *self.parts)))]
        return self.parts[0]


@dataclass(slots=True)
class SetRows:
    """The sets of one kind. Names in a part and outside of it are apart, as in decks that have both.

    Blocks that list members wait in *lists* until all labels are known. *others* are labels of elements that stay text.
    """

    kind: str
    limits: Limits
    instance: str = ""
    entries: dict[tuple[str, str], Entry] = field(default_factory=dict[tuple[str, str], Entry])
    folded: dict[tuple[str, str], Entry] = field(default_factory=dict[tuple[str, str], Entry])
    lists: list[tuple[Entry, Block, str]] = field(default_factory=list[tuple[Entry, Block, str]])
    others: Labels = field(default_factory=lambda: EMPTY)
    counts: dict[str, int] = field(default_factory=dict[str, int])
    gaps: list[tuple[Block, int]] = field(default_factory=list[tuple[Block, int]])
    absent: list[tuple[Block, int]] = field(default_factory=list[tuple[Block, int]])

    def open(self, name: Word, scope: str) -> Entry:
        """Return the set *name* of *scope*, new where there is none."""
        found = self.entries.get((scope, name.text))
        if found is None and not name.quoted:
            found = self.folded.get((scope, fold(name.text)))
        if found is None:
            found = Entry(name.text, scope)
            self.entries[scope, name.text] = found
            self.folded.setdefault((scope, fold(name.text)), found)
        return found

    def named(self, block: Block, name: Word, scope: str) -> Entry:
        """As `open`, for a name that a keyword gives."""
        if not fits(name.text):
            block.lines.refuse(block.head.line, "deck_bad_name", name=shown(name.text))
        return self.open(name, scope)

    def find(self, text: str, scope: str) -> Entry | None:
        """Return the set that *text* names in *scope*; ``INSTANCE.NAME`` names one inside the part."""
        scopes = [scope, "part", ""]
        bare = self.without_instance(text)
        if bare != text:
            text, scopes = bare, ["part", ""]
        for where in scopes:
            found = self.entries.get((where, text)) or self.folded.get((where, fold(text)))
            if found is not None:
                return found
        return None

    def without_instance(self, text: str) -> str:
        """Return *text* without the name of the instance before it."""
        return text[len(self.instance) + 1 :] if self.instance and fold(text).startswith(fold(self.instance) + ".") else text

    def wait(self, block: Block, scope: str) -> None:
        """Note a block of ``*NSET`` or ``*ELSET``: its members are looked up when all labels are known."""
        name = block.head.params.get(self.kind)
        if name is None:
            block.lines.refuse(block.head.line, "deck_without", keyword=block.head.name, parameter=self.kind)
        entry = self.named(block, name, scope)
        entry.block = entry.block or block
        self.lists.append((entry, block, scope))

    def settle(self, known: Labels, budget: Budget, nodes_of: "Callable[[Block, str], Labels] | None" = None) -> None:
        """Look up the members of all blocks, in order. *known* is ascending; *nodes_of* gives the nodes of an element set."""
        for entry, block, scope in self.lists:
            if nodes_of is not None and "ELSET" in block.head.params:
                entry.parts.append(nodes_of(block, scope))
                continue
            if "GENERATE" in block.head.params:
                self._ranges(entry, block, known, budget)
                continue
            labels = labels_only(block.raw())
            if labels is None:
                labels = self._items(entry, block, scope, budget)
            budget.spend(block, len(labels))
            there = _inside(labels, known)
            if not bool(there.all()):
                labels = labels[there]
                self.absent.append((block, block.head.line))
            entry.parts.append(labels)
            self._mark(entry, block, labels)

    def _mark(self, entry: Entry, block: Block, labels: Labels) -> None:
        if entry.mixed < 0 and len(self.others) and bool(_inside(labels, self.others).any()):
            entry.mixed = block.head.line

    def _ranges(self, entry: Entry, block: Block, known: Labels, budget: Budget) -> None:
        for line, text in block.rows():
            found = items(text)
            if not 2 <= len(found) <= 3:
                block.lines.refuse(line, "deck_bad_count", wanted=3, found=len(found))
            first, last = self._label(block, line, found[0]), self._label(block, line, found[1])
            step = label(block.lines, line, found[2]) if len(found) > 2 and number(block.lines, line, found[2]) else 1
            begin, end = np.searchsorted(known, first), np.searchsorted(known, last, side="right")
            labels = known[begin:end]
            if step > 1:
                labels = labels[(labels - first) % step == 0]
            budget.spend(block, len(labels) + 1)
            if len(labels) < (last - first) // step + 1:
                self.gaps.append((block, line))
            entry.parts.append(labels)
            self._mark(entry, block, labels)

    def _items(self, entry: Entry, block: Block, scope: str, budget: Budget) -> Labels:
        """Return the labels of rows that name sets too; the sets' members are taken over."""
        labels: list[int] = []
        for line, text in block.rows():
            for item in items(text):
                if not item:
                    continue
                if self._is_label(item):
                    labels.append(self._label(block, line, item))
                    continue
                other = self.find(word(item).text, scope)
                if other is None:
                    block.lines.refuse(line, "deck_unknown_set", name=shown(item))
                budget.spend(block, sum(len(part) for part in other.parts) + 1)
                entry.parts.append(other.labels())
                self._mark(entry, block, entry.parts[-1])
        return np.array(labels, np.int64)

    def _is_label(self, item: str) -> bool:
        return is_number(self.without_instance(item))

    def _label(self, block: Block, line: int, item: str) -> int:
        return label(block.lines, line, self.without_instance(item))


def _inside(labels: Labels, known: Labels) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    places = np.searchsorted(known, labels)
    well = places < len(known)
    well[well] = known[places[well]] == labels[well]
    return well


def split(entry: Entry, held: Labels, others: Labels) -> tuple[Labels, Labels]:
    """Return the members that the engine holds, and those of the rest that no other text puts into the set."""
    labels = entry.labels()
    if not len(others):
        entry.whole = True
        return labels, EMPTY
    told = np.concatenate((EMPTY, *entry.told))
    rest = labels[_inside(labels, others)]
    entry.whole = not len(rest)
    return labels[_inside(labels, held)], rest[~np.isin(rest, told)]


def has(labels: Labels, wanted: int) -> bool:
    """Whether *wanted* is among ascending *labels*."""
    place = int(np.searchsorted(labels, wanted))
    return place < len(labels) and int(labels[place]) == wanted
