"""Decides how what was gathered becomes one part, in the order in which each needs the other; it must not read text."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from steadyhand.domains.cae.engine.deck.blocks import Block
from steadyhand.domains.cae.engine.deck.claims import MARK
from steadyhand.domains.cae.engine.deck.encodings import UTF8
from steadyhand.domains.cae.engine.deck.files import Sources
from steadyhand.domains.cae.engine.deck.gathering import Gathering
from steadyhand.domains.cae.engine.deck.lines import Lines
from steadyhand.domains.cae.engine.deck.report import Note, ReadDeck, Report
from steadyhand.domains.cae.engine.deck.set_rows import Budget, Entry, SetRows, once, split
from steadyhand.domains.cae.engine.deck.set_text import set_text
from steadyhand.domains.cae.engine.deck.words import Spelling, fold, shown_name, unused
from steadyhand.domains.cae.engine.fitting import all_fitted, without_dust
from steadyhand.domains.cae.engine.mesh import Floats, Labels, Mesh
from steadyhand.domains.cae.engine.part import Kept, Part, Sets


@dataclass(slots=True)
class _Notes:
    lines: Lines
    found: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])

    def add(self, code: str, line: int) -> None:
        first, count = self.found.get(code, (line, 0))
        self.found[code] = (first, count + 1)

    def all(self) -> tuple[Note, ...]:
        return tuple(Note(code, *self.lines.place(line), count) for code, (line, count) in sorted(self.found.items()))


def settle(gathering: Gathering, sources: Sources) -> ReadDeck:
    """Return the part and the report."""
    notes = _Notes(gathering.lines)
    labels, xyz = gathering.nodes.settle()
    mesh, others, held = gathering.elements.settle(labels)
    mesh.node_labels, mesh.xyz = labels, _placed(xyz, gathering)
    budget = Budget(gathering.limits.members)
    part = Part(mesh=mesh, type_names=gathering.elements.type_names, heading="\n".join(gathering.heading))
    prefix = gathering.header.text("own_sets") if gathering.header is not None else ""
    _settle_sets(gathering, part, others, prefix, budget, notes)
    gathering.sections.settle(mesh, gathering.element_sets, gathering.materials, gathering.keeping, budget)
    part.materials, part.sections = gathering.materials.materials, gathering.sections.sections
    part.assignments = gathering.sections.assignments
    _settle_conditions(gathering, part, prefix)
    instance = gathering.node_sets.instance
    folded = {fold(name): members for name, members in part.node_sets.items()}
    claimed = [_runs(gathering, labels), held, gathering.keeping.held(folded, labels)]
    part.held_nodes = once(np.concatenate(claimed))
    part.kept = gathering.keeping.settle(instance)
    _set_next_labels(gathering, part, others)
    _note(gathering, notes)
    return ReadDeck(
        part, Report(gathering.keeping.unknown(), (*_encodings(sources), *notes.all(), *_comments(gathering)), sources.files)
    )


def _note(gathering: Gathering, notes: _Notes) -> None:
    """Note what of the deck the part does not hold, or holds otherwise."""
    nodes, sets = gathering.nodes, (gathering.node_sets, gathering.element_sets)
    told = {
        "node_normals": [(block, block.head.line) for block in nodes.with_normals],
        "numbers_rounded": nodes.rounded,
        "flattened": [(gathering.framed, gathering.framed.head.line)] if gathering.framed is not None else [],
        "labels_skipped": [gap for rows in sets for gap in rows.gaps],
        "labels_absent": [*(gap for rows in sets for gap in rows.absent), *gathering.elements.gaps],
        "resets_dropped": gathering.resets,
        "supports_reset": gathering.conditions.reset,
    }
    for code, found in told.items():
        for _, line in found:
            notes.add(code, line)
    if gathering.prelude >= 0:
        notes.add("prelude", gathering.prelude)


def _encodings(sources: Sources) -> Iterator[Note]:
    """Yield a note for each encoding that is not the one in which decks are written."""
    yield from (Note(f"encoding_{name}", file, 1, 1) for name, file in sorted(sources.encodings.items()) if name != UTF8)


def _comments(gathering: Gathering) -> Iterator[Note]:
    """Yield a note where the deck has comment lines of somebody else, which are gone unless they stand in text that is kept."""
    lines = gathering.lines
    spans = [(line, line + kept.text.count("\n")) for line, kept in gathering.keeping.entries]
    starts = np.sort(np.array([first for first, _ in spans], np.int64))
    ends = np.sort(np.array([last for _, last in spans], np.int64))
    # A line is in a text that is kept where more of them have begun than have ended above it.
    outside = np.searchsorted(starts, lines.comments, side="right") == np.searchsorted(ends, lines.comments, side="left")
    for line in lines.comments[outside].tolist():
        if not lines.text(line).startswith(MARK):
            yield Note("comments_dropped", *lines.place(line), 1)
            return


def _settle_sets(gathering: Gathering, part: Part, others: Labels, prefix: str, budget: Budget, notes: _Notes) -> None:
    mesh, elements, nodes = part.mesh, gathering.element_sets, gathering.node_sets
    elements.others = others
    known = np.union1d(mesh.element_labels, others) if len(others) else mesh.element_labels
    elements.settle(known, budget)
    for entry in elements.entries.values():
        if prefix and entry.name.startswith(prefix):
            entry.labels()
            continue
        members, rest = split(entry, mesh.element_labels, others)
        if len(rest):
            text = set_text("ELSET", Spelling((entry.name,))(entry.name), rest).rstrip("\n")
            gathering.keeping.put(entry.mixed, Kept("model", "ELSET", text))
        if len(members) or entry.whole:
            _name(entry, members, part.element_sets, notes, elements)
    used = gathering.elements.used_by_others()
    nodes.settle(mesh.node_labels, budget, lambda block, scope: _nodes_of(elements, block, scope, mesh, used, budget))
    for entry in nodes.entries.values():
        entry.whole = True
        _name(entry, entry.labels(), part.node_sets, notes, nodes)


def _name(entry: Entry, members: Labels, sets: Sets, notes: _Notes, rows: SetRows) -> None:
    """Put a set into the part; where a set of the part and one outside of it have the same name, the later gets another."""
    name = entry.name
    if name in sets and not np.array_equal(sets[name], members):
        name = unused(name, sets, rows.counts)
        if entry.block is not None:
            notes.add("set_renamed", entry.block.head.line)
    sets[name] = members
    entry.final = name


def _nodes_of(elements: SetRows, block: Block, scope: str, mesh: Mesh, others: tuple[Labels, Labels], budget: Budget) -> Labels:
    """Return the nodes of the elements of the set that ``*NSET, ELSET=`` names; *others* are elements that stay text, and their nodes."""
    name = block.head.params["ELSET"].text
    entry = elements.find(name, scope)
    if entry is None:
        block.lines.refuse(block.head.line, "deck_unknown_set", name=shown_name(name))
    labels = entry.labels()
    owners, nodes = others
    budget.spend(block, len(labels) + len(owners))
    places = np.searchsorted(mesh.element_labels, labels)
    places = places[places < mesh.element_count]
    rows = mesh.conn[places[np.isin(mesh.element_labels[places], labels)]]
    told = nodes[np.isin(owners, labels)]
    return once(np.concatenate((mesh.node_labels[rows[rows >= 0]], told[np.isin(told, mesh.node_labels)])))


def _settle_conditions(gathering: Gathering, part: Part, prefix: str) -> None:
    conditions = gathering.conditions
    conditions.part, conditions.ours = part, gathering.header is not None
    conditions.everything = f"{prefix}all" if prefix and part.mesh.element_count else ""
    conditions.settle(gathering.node_sets, gathering.element_sets, gathering.keeping)


def _runs(gathering: Gathering, known: Labels) -> Labels:
    """Return the nodes that comments of ours hold."""
    parts = [np.zeros(0, np.int64)]
    for claim in gathering.held:
        ends = np.array(claim.numbers("held_nodes"), np.float64)
        if len(ends) % 2:
            claim.refuse()
        for first, last in ends.reshape(-1, 2):
            parts.append(known[np.searchsorted(known, first) : np.searchsorted(known, last, side="right")])
    return np.concatenate(parts)


def _set_next_labels(gathering: Gathering, part: Part, others: Labels) -> None:
    """Labels go on behind all that there are, those of elements that stay text too, and where our comment says."""
    header = gathering.header
    last_node = int(part.mesh.node_labels[-1]) if part.mesh.node_count else 0
    last_element = max(int(labels[-1]) if len(labels) else 0 for labels in (part.mesh.element_labels, others))
    part.next_node = max(last_node + 1, header.whole("next_node") if header is not None else 1)
    part.next_element = max(last_element + 1, header.whole("next_element") if header is not None else 1)


def _placed(xyz: Floats, gathering: Gathering) -> Floats:
    """Return the nodes where the instance puts them: shifted, then turned about an axis."""
    rows = gathering.placement
    if rows:
        xyz = xyz + np.array(rows[0])
    if len(rows) > 1:
        start, end = np.array(rows[1][:3]), np.array(rows[1][3:6])
        length = float(np.linalg.norm(end - start))
        if length == 0.0:
            gathering.lines.refuse(0, "deck_bad_placement")
        axis, angle = (end - start) / length, math.radians(rows[1][6])
        arm = xyz - start
        along = np.outer(arm @ axis, axis)
        xyz = start + along + (arm - along) * math.cos(angle) + np.cross(axis, arm) * math.sin(angle)
    if not bool(np.isfinite(xyz).all()):
        gathering.lines.refuse(0, "deck_bad_placement")
    return all_fitted(without_dust(xyz, float(np.abs(xyz).max(initial=0.0)))) if rows else xyz
