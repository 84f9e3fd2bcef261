"""Decides which meetings the events of a calendar file have in a span of days; it must not do I/O or know slots.

Nothing here follows a file's wish without a bound: see `lines` (size), `properties` (dates) and `rules` (steps).
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from heapq import heappop, heappush
from itertools import pairwise
from operator import attrgetter

from icalendar.parser import unescape_backslash

from steadyhand.core.errors import ModelCanFix
from steadyhand.domains.schedule.imports.events import CalendarEvent, CalendarFile, Meeting, together
from steadyhand.domains.schedule.imports.lines import Scan, scan
from steadyhand.domains.schedule.imports.meetings import Held, as_one, meetings_of
from steadyhand.domains.schedule.imports.properties import Draft, Zoning, read_event
from steadyhand.domains.schedule.imports.report import Dropped, Entry, entry
from steadyhand.domains.schedule.imports.rules import Budget
from steadyhand.domains.schedule.imports.wording import clean, shown
from steadyhand.domains.schedule.imports.zones import Zones, named_zone
from steadyhand.domains.schedule.term.records import DAYS_IN_WEEK

MAX_MEETINGS = 500
_IN_ORDER = attrgetter("start", "end", "location", "teacher", "timed")
MAX_MEETINGS_IN_FILE = 100_000
SUGGESTED_WEEKS = 20
"""The weeks that are suggested when no event says when it ends."""
MAX_SUGGESTED_WEEKS = 30

_STEP = 100
Tell = Callable[[int, int], None]


def read(
    data: bytes, zone: str, span: tuple[date, date] | None = None, tell: Tell | None = None, *, own_zone: bool = False
) -> CalendarFile:
    """Read *data*: the events with at least one meeting inside *span* (both ends included), in local time of *zone*.

    Without *span* the file suggests it: from the Monday of the week of its earliest recurring event (its earliest event
    when none recurs) that is no stray from another year, for at most `MAX_SUGGESTED_WEEKS` weeks. With *own_zone* times are
    given in the zone that most events name, else in the file's own, else in *zone*. A file without any event raises `ModelCanFix`.
    """
    scanned = scan(data)
    if not scanned.blocks:
        raise ModelCanFix("import_no_events")
    return _Reader(scanned, (named_zone(scanned) if own_zone else "") or zone, span, tell or (lambda _done, _total: None)).read()


class _Reader:
    """One file under reading: first every event by itself, then those that belong together, then their meetings."""

    def __init__(self, scanned: Scan, zone: str, span: tuple[date, date] | None, tell: Tell) -> None:
        self._scanned, self._span, self._tell = scanned, span, tell
        self._zones = Zones(zone, scanned.zones, scanned.own.get("X-WR-TIMEZONE", ""))
        self._zoning, self._budget = Zoning(), Budget()
        self._told: list[Entry] = []
        self._masters: dict[str, Draft] = {}
        self._overrides: dict[str, list[Draft]] = {}
        self._last_bounded: dict[bool, date] = {}

    def read(self) -> CalendarFile:
        for done, block in enumerate(self._scanned.blocks):
            self._step(done, 0)
            try:
                draft = read_event(block, self._zones, self._zoning)
                self._told += draft.told
                self._sort(draft)
            except Dropped as dropped:
                self._drop(dropped, block.line)
        self._adopt_overrides()
        first_monday = self._span[0] if self._span else self._first_monday()
        if first_monday is None:
            return self._file((), None, 0)
        span = self._span or (first_monday, first_monday + timedelta(days=MAX_SUGGESTED_WEEKS * DAYS_IN_WEEK - 1))
        events = _merged(self._expand(span))
        weeks = self._weeks(first_monday)
        return self._file(tuple(events), first_monday, weeks)

    def _file(self, events: tuple[CalendarEvent, ...], first_monday: date | None, weeks: int) -> CalendarFile:
        entries = (*self._about_the_file(), *self._told)
        name = clean(unescape_backslash(self._scanned.own.get("X-WR-CALNAME", "")))
        return CalendarFile(events, entries, first_monday, weeks, self._zones.term_name, name)

    def _step(self, done: int, half: int) -> None:
        if done % _STEP == 0:
            self._tell(half * len(self._scanned.blocks) + done, 2 * len(self._scanned.blocks))

    def _drop(self, dropped: Dropped, line: int) -> None:
        self._told.append(Entry(dropped.code, dropped.params, line))

    def _sort(self, draft: Draft) -> None:
        """Put a draft with its kin: overrides under their series; of two with one UID the newer, the twin dropped, a stranger renamed."""
        if draft.replaces is not None:
            self._overrides.setdefault(draft.uid, []).append(draft)
            return
        known = self._masters.get(draft.uid)
        if known is not None and known.sequence != draft.sequence:
            older = min(known, draft, key=lambda one: one.sequence)
            self._told.append(entry("older_version", older.line, name=shown(older.name)))
            if older is draft:
                return
        elif known is not None and known.content != draft.content:
            self._told.append(entry("uid_shared", draft.line, name=shown(draft.name)))
            draft.uid = f"{draft.uid}#{draft.content[:12]}"
            known = self._masters.get(draft.uid)
        if known is not None and known.content == draft.content and known.sequence == draft.sequence:
            self._told.append(entry("duplicate", draft.line, name=shown(draft.name)))
            return
        self._masters[draft.uid] = draft

    def _adopt_overrides(self) -> None:
        """Let the overrides whose series the file does not hold stand for themselves."""
        for uid in sorted(self._overrides.keys() - self._masters.keys()):
            orphans = [draft for draft in self._overrides.pop(uid) if not draft.cancelled]
            for nameless in [orphan for orphan in orphans if not orphan.name]:
                self._told.append(entry("name_missing", nameless.line))
            orphans = sorted((orphan for orphan in orphans if orphan.name), key=lambda one: (one.start, one.content))
            for number, orphan in enumerate(orphans):
                own = uid if number == 0 else f"{uid}#{orphan.content[:12]}"
                self._masters[own] = as_one(orphan, own)

    def _first_monday(self) -> date | None:
        drafts = list(self._masters.values())
        recurring = [draft for draft in drafts if draft.rules or draft.extra]
        starts = sorted(draft.start.astimezone(self._zones.term).date() for draft in recurring or drafts)
        if not starts:
            return None
        earliest = _crowded(starts)
        return earliest - timedelta(days=earliest.weekday())

    def _weeks(self, first_monday: date) -> int:
        """Suggest the number of weeks: to the last meeting of a series that ends, else of a single event, else a default."""
        last = self._last_bounded.get(True) or self._last_bounded.get(False)
        if last is None:
            return SUGGESTED_WEEKS
        return max(1, (last - first_monday).days // DAYS_IN_WEEK + 1)

    def _expand(self, span: tuple[date, date]) -> list[CalendarEvent]:
        """Find the meetings of every event; when they become too many, the events with the most are given up first."""
        events: dict[int, CalendarEvent] = {}
        held, longest = 0, list[tuple[int, int]]()
        for done, draft in enumerate(sorted(self._masters.values(), key=lambda one: one.line)):
            self._step(done, 1)
            self._budget.begin()
            try:
                event = events[draft.line] = self._event(draft, span)
            except Dropped as dropped:
                self._drop(Dropped(dropped.code, **{"name": shown(draft.name), **dropped.params}), draft.line)
                continue
            held += len(event.meetings)
            heappush(longest, (-len(event.meetings), -draft.line))
            while held > MAX_MEETINGS_IN_FILE:
                dropped_event = events.pop(-heappop(longest)[1])
                held -= len(dropped_event.meetings)
                self._told.append(entry("meetings_too_many", dropped_event.line, name=shown(dropped_event.name)))
        return list(events.values())

    def _event(self, draft: Draft, span: tuple[date, date]) -> CalendarEvent:
        found = meetings_of(draft, self._overrides.get(draft.uid, ()), span, self._budget, self._told)
        if not found.held and not found.cut:
            raise Dropped("no_meeting")
        if len(found.held) > MAX_MEETINGS:
            raise Dropped("dates_too_many")
        local = sorted(map(self._local, found.held.values()), key=_IN_ORDER)
        if any(one.start == later.start for one, later in pairwise(local)):
            local = list(dict.fromkeys(local))
        inside = [meeting for meeting in local if span[0] <= meeting.start.date() <= span[1]]
        if not inside:
            raise Dropped("outside_term", date=draft.start.astimezone(self._zones.term).date().isoformat())
        self._tell_about(draft, cut=self._span is not None and (found.cut or len(inside) < len(local)))
        if all(rule.count is not None or rule.until is not None for rule in draft.rules):
            recurring = bool(draft.rules or draft.extra)
            self._last_bounded[recurring] = max(inside[-1].start.date(), self._last_bounded.get(recurring, date.min))
        return CalendarEvent(
            draft.group or draft.uid,
            draft.name,
            tuple(inside),
            draft.kind,
            draft.can_embed,
            draft.line,
        )

    def _local(self, held: Held) -> Meeting:
        zone = self._zones.term
        start = held.start.astimezone(zone).replace(tzinfo=None, fold=0)
        end = held.end.astimezone(zone).replace(tzinfo=None, fold=0)
        return Meeting(start, end, held.location, held.teacher, held.timed)

    def _tell_about(self, draft: Draft, *, cut: bool) -> None:
        said = {
            "characters_replaced": draft.replaced,
            "name_cleaned": draft.cleaned and not draft.replaced,
            "uid_made": draft.uid_made,
            "cut_to_term": cut,
        }
        self._told += [entry(code, draft.line, name=shown(draft.name)) for code, true in said.items() if true]

    def _about_the_file(self) -> list[Entry]:
        told: list[Entry] = []
        if self._scanned.encoding != "utf-8":
            told.append(entry("encoding_read", encoding=self._scanned.encoding.upper()))
        if self._scanned.left_out:
            told.append(entry("events_too_many", count=self._scanned.left_out))
        told += [entry("component_other", kind=kind, count=n) for kind, n in sorted(self._scanned.others.items())]
        for (how, name, read_as), count in sorted(self._zoning.seen.items()):
            if how == "floating":
                code = "zone_floating" if read_as == self._zones.term_name else "zone_of_file"
                told.append(entry(code, read_as=read_as, count=count))
            elif how == "iana" and read_as != self._zones.term_name:
                told.append(entry("zone_converted", zone=read_as, read_as=self._zones.term_name, count=count))
            elif how != "iana":
                told.append(entry(f"zone_{how}", zone=name, read_as=read_as, count=count))
        return told


def _crowded(starts: Sequence[date]) -> date:
    """Return the first of *starts* (ascending) in the span of a term that holds most of them; of spans apart, the latest."""
    length = timedelta(days=MAX_SUGGESTED_WEEKS * DAYS_IN_WEEK - 1)
    held = [bisect_right(starts, start + length) - index for index, start in enumerate(starts)]
    most = max(held)
    best = [start for start, count in zip(starts, held, strict=True) if count == most]
    return next(start for start in best if start + length >= best[-1])


def _merged(events: Sequence[CalendarEvent]) -> list[CalendarEvent]:
    """Join the parts in which our own export writes an event with several weekly times; other files have one part each."""
    parts: dict[str, list[CalendarEvent]] = {}
    for event in events:
        parts.setdefault(event.uid, []).append(event)
    return [together(part) for part in parts.values()]
