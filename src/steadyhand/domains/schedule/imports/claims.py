"""Decides which incoming event gets a section that two of them want: the first; a task may be a guest of a course that allows it.

It must not move or shorten anything: what is refused is asked of the person.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from steadyhand.domains.schedule.imports.incoming import Cell, IncomingRow
from steadyhand.domains.schedule.imports.report import Entry, entry
from steadyhand.domains.schedule.imports.wording import shown
from steadyhand.domains.schedule.term.records import EventKind, Particulars
from steadyhand.domains.schedule.term.sittings import Sitting
from steadyhand.domains.schedule.term.weeks import write_weeks

AND = "、"
"""What stands between two places, or two teachers, of one meeting."""


@dataclass(frozen=True, slots=True)
class Claimant:
    """Who wants a section."""

    uid: str
    name: str
    kind: EventKind
    can_embed: bool = False


@dataclass(slots=True)
class Claims:
    """The sections that are taken: by events that stay (*taken*, section → name) and by those claimed so far."""

    taken: Mapping[Cell, str]
    _hosts: dict[Cell, Claimant] = field(default_factory=dict[Cell, Claimant])
    _guests: dict[Cell, Claimant] = field(default_factory=dict[Cell, Claimant])

    def claim(self, who: Claimant, sittings: Iterable[Sitting]) -> tuple[list[IncomingRow], list[Entry]]:
        """Claim *sittings*; return the rows granted and an entry per refusal.

        One that meets in two rooms at the same time has both in its cells; two clock times in one cell are refused.
        """
        rows: dict[Cell, IncomingRow] = {}
        refused: dict[tuple[str, int, int, int], list[int]] = {}
        for one in sorted(set(sittings), key=Sitting.rank):
            blocker = self._blocker(who, one.cells) or _other_clock(who, rows, one)
            if blocker is not None:
                refused.setdefault((blocker, one.day_of_week, one.first, one.last), []).append(one.week)
                continue
            host = self._hosts.get(one.cells[0])
            host_uid = host.uid if host is not None and host.uid != who.uid else ""
            for cell in one.cells:
                (self._guests if host_uid else self._hosts)[cell] = who
                known = rows[cell].particulars if cell in rows else one.particulars
                rows[cell] = IncomingRow(*cell, host_uid, _both(known, one.particulars))
        return [rows[cell] for cell in sorted(rows)], [
            entry(
                "overlap",
                name=shown(who.name),
                other=shown(blocker),
                weeks=write_weeks(weeks),
                day=day,
                sections=f"{first}-{last}" if first != last else str(first),
            )
            for (blocker, day, first, last), weeks in refused.items()
        ]

    def _blocker(self, who: Claimant, cells: list[Cell]) -> str | None:
        """Return the name of what stands in the way; None when the cells are free, its own, or of one host that takes it in."""
        for cell in cells:
            if cell in self.taken:
                return self.taken[cell]
        guests = [self._guests[cell] for cell in cells if cell in self._guests and self._guests[cell].uid != who.uid]
        if guests:
            return guests[0].name
        owners = {owner.uid: owner for owner in (self._hosts.get(cell) for cell in cells) if owner and owner.uid != who.uid}
        if not owners:
            return None
        first = next(iter(owners.values()))
        whole = len(owners) == 1 and all(cell in self._hosts and self._hosts[cell].uid == first.uid for cell in cells)
        return None if whole and who.kind == "task" and first.can_embed else first.name


def _other_clock(who: Claimant, rows: Mapping[Cell, IncomingRow], one: Sitting) -> str | None:
    """Return the event's own name when it has another meeting, at other clock times, in one of the cells."""
    held = [rows[cell].particulars.clock for cell in one.cells if cell in rows]
    return who.name if any(clock != one.particulars.clock for clock in held) else None


def _both(known: Particulars, more: Particulars) -> Particulars:
    """Return what holds of a cell in which an event meets in two places, or with two teachers, at once."""
    return replace(known, location=_joined(known.location, more.location), teacher=_joined(known.teacher, more.teacher))


def _joined(known: str, more: str) -> str:
    parts = known.split(AND) if known else []
    return AND.join([*parts, *(part for part in more.split(AND) if part and part not in parts)])
