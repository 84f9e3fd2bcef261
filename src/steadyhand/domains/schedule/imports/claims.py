"""Decides which incoming event gets a section that two of them want: the first; a task may be a guest of a course that allows it.

It must not move or shorten anything: what is refused is asked of the person.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from steadyhand.domains.schedule.imports.incoming import Cell, IncomingRow
from steadyhand.domains.schedule.imports.report import Entry, entry
from steadyhand.domains.schedule.imports.weeks import write_weeks
from steadyhand.domains.schedule.imports.wording import shown
from steadyhand.domains.schedule.records import EventKind


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

    def claim(self, who: Claimant, blocks: Iterable[tuple[int, int, int, int]]) -> tuple[list[IncomingRow], list[Entry]]:
        """Claim *blocks* (week, day of week, first and last section); return the rows granted and an entry per refusal."""
        rows: list[IncomingRow] = []
        refused: dict[tuple[str, int, int, int], list[int]] = {}
        for week, day, first, last in sorted(set(blocks)):
            cells = [(week, day, section) for section in range(first, last + 1)]
            blocker = self._blocker(who, cells)
            if blocker is not None:
                refused.setdefault((blocker, day, first, last), []).append(week)
                continue
            host = self._hosts.get(cells[0])
            host_uid = host.uid if host is not None and host.uid != who.uid else ""
            for cell in cells:
                (self._guests if host_uid else self._hosts)[cell] = who
            rows += [IncomingRow(*cell, host_uid) for cell in cells]
        return sorted(set(rows)), [
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
