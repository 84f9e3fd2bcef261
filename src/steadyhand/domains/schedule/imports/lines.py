"""Decides where each event of a calendar file begins and ends and in which encoding it is; it must not understand a property.

Every bound stands here or in `rules`: bytes of the file, events, lines of an event, bytes of a line. Nothing nests, nothing
recurses: whatever a broken event contains, the next ``BEGIN:VEVENT`` starts afresh.
"""

import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from steadyhand.core.errors import ModelCanFix

MAX_BYTES = 8 * 1024 * 1024
MAX_EVENTS = 10_000
MAX_LINES = 500
MAX_LINE_BYTES = 65_536

_TEXTS = frozenset({"SUMMARY", "LOCATION", "DESCRIPTION"})
_WANTED = _TEXTS | {
    "UID",
    "DTSTART",
    "DTEND",
    "DURATION",
    "RRULE",
    "EXRULE",
    "RDATE",
    "EXDATE",
    "RECURRENCE-ID",
    "STATUS",
    "SEQUENCE",
    "X-STEADYHAND-EVENT",
    "X-STEADYHAND-KIND",
    "X-STEADYHAND-EMBED",
    "X-STEADYHAND-CLOCK",
}
_OTHER = frozenset({"VTODO", "VJOURNAL", "VFREEBUSY"})
_OBSERVANCES = frozenset({"STANDARD", "DAYLIGHT"})
_OBSERVANCE_PARTS = frozenset({"DTSTART", "TZOFFSETFROM", "TZOFFSETTO", "RRULE", "RDATE"})
_FILE_PARTS = frozenset({"X-WR-TIMEZONE", "X-WR-CALNAME"})


@dataclass(slots=True)
class Block:
    """The lines of one event that we read, decoded; *fault* is the code of what is wrong with its shape."""

    line: int
    raw: list[tuple[str, bytes]] = field(default_factory=list[tuple[str, bytes]])
    lines: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    fault: str = ""
    replaced: bool = False

    def add(self, name: str, line: bytes) -> None:
        """Keep a line, unless the event has too many or it is too long for what it is."""
        if len(self.raw) >= MAX_LINES or (len(line) > MAX_LINE_BYTES and name not in _TEXTS):
            self.fault = self.fault or "event_too_long"
        else:
            self.raw.append((name, line))


@dataclass(slots=True)
class ZoneBlock:
    """What a ``VTIMEZONE`` says that we use: its name, the IANA name beside it, and the lines of its observances."""

    name: str = ""
    location: str = ""
    observances: list[list[tuple[str, str]]] = field(default_factory=list[list[tuple[str, str]]])


@dataclass(slots=True)
class Scan:
    """A whole file, taken apart; *own* is what it says of itself. *left_out* events stood after the last one that is read."""

    encoding: str = "utf-8"
    blocks: list[Block] = field(default_factory=list[Block])
    zones: list[ZoneBlock] = field(default_factory=list[ZoneBlock])
    others: Counter[str] = field(default_factory=Counter[str])
    own: dict[str, str] = field(default_factory=dict[str, str])
    left_out: int = 0


def scan(data: bytes) -> Scan:
    """Take *data* apart into events; a file that is too large raises `ModelCanFix`."""
    if len(data) > MAX_BYTES:
        raise ModelCanFix("import_too_large", size=len(data), limit=MAX_BYTES)
    scanned = Scan()
    data, utf16 = _without_mark(data)
    _Splitter(scanned).split(data)
    scanned.encoding = "utf-16" if utf16 else _encoding([line for block in scanned.blocks for _, line in block.raw])
    for block in scanned.blocks:
        _decode(block, "utf-8" if utf16 else scanned.encoding)
    return scanned


def _without_mark(data: bytes) -> tuple[bytes, bool]:
    """Return *data* as UTF-8 or GB18030 bytes without a mark, and whether it was UTF-16 (a mark alone does not make it so)."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", "replace")
        if "BEGIN:" in text.upper():
            return text.encode("utf-8", "replace"), True
    return data.removeprefix(b"\xef\xbb\xbf"), False


def logical_lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield (number of its first physical line, bytes) of each line after unfolding; one too long keeps its beginning only.

    Folds are undone before decoding, since some programs fold in the middle of a character.
    """
    number, current = 0, bytearray()
    for count, physical in enumerate(io.BytesIO(data if b"\n" in data else data.replace(b"\r", b"\n")), 1):
        line = physical.rstrip(b"\r\n")
        if line[:1] in {b" ", b"\t"} and number:
            current += line[1 : max(1, MAX_LINE_BYTES + 2 - len(current))]
        elif line:
            if number:
                yield number, bytes(current)
            number, current = count, bytearray(line[: MAX_LINE_BYTES + 1])
    if number:
        yield number, bytes(current)


class _Splitter:
    """Walks over the lines once and hands each to the event or the zone that is open."""

    def __init__(self, into: Scan) -> None:
        self._into = into
        self._event: Block | None = None
        self._zone: ZoneBlock | None = None
        self._observance, self._zone_lines = False, 0
        self._inside = 0

    def split(self, data: bytes) -> None:
        for number, line in logical_lines(data):
            end = min((at for at in (line.find(b":"), line.find(b";")) if at >= 0), default=len(line))
            name = line[:end].strip().upper().decode("ascii", "replace")
            if name == "BEGIN":
                self._begin(_value(line), number)
            elif name == "END":
                self._end(_value(line))
            elif self._event is not None and not self._inside and name in _WANTED:
                self._event.add(name, line)
            elif self._zone is not None and self._event is None:
                self._describe_zone(name, line)
            elif self._event is None and name in _FILE_PARTS:
                self._into.own.setdefault(name, _text(line))
        self._close(terminated=False)

    def _begin(self, kind: str, number: int) -> None:
        if kind == "VEVENT":
            self._close(terminated=False)
            self._event, self._zone, self._inside = Block(number), None, 0
        elif self._event is not None:
            self._inside += 1
        elif kind == "VTIMEZONE":
            self._zone, self._observance, self._zone_lines = ZoneBlock(), False, 0
            if len(self._into.zones) < MAX_LINES:
                self._into.zones.append(self._zone)
        elif kind in _OBSERVANCES and self._zone is not None:
            self._zone.observances.append([])
            self._observance = True
        elif kind in _OTHER:
            self._into.others[kind] += 1

    def _end(self, kind: str) -> None:
        if kind in {"VEVENT", "VCALENDAR"}:
            self._close(terminated=kind == "VEVENT")
        elif kind == "VTIMEZONE":
            self._zone = None
        elif kind in _OBSERVANCES and self._zone is not None:
            self._observance = False
        elif self._inside:
            self._inside -= 1

    def _close(self, *, terminated: bool) -> None:
        event, self._event, self._zone = self._event, None, None
        if event is None:
            return
        if not terminated:
            event.fault = "event_unterminated"
        if len(self._into.blocks) < MAX_EVENTS:
            self._into.blocks.append(event)
        else:
            self._into.left_out += 1

    def _describe_zone(self, name: str, line: bytes) -> None:
        assert self._zone is not None  # noqa: S101  # asked by the caller
        if self._observance and name in _OBSERVANCE_PARTS and self._zone_lines < MAX_LINES:
            self._zone_lines += 1
            self._zone.observances[-1].append((name, _text(line)))
        elif name == "TZID" and not self._observance:
            self._zone.name = _text(line)
        elif name == "X-LIC-LOCATION":
            self._zone.location = _text(line)


def _text(line: bytes) -> str:
    """Return the value of a line about a zone or the file; such lines tell no encoding, thus the first that is valid."""
    value = line.partition(b":")[2].strip()[:MAX_LINE_BYTES]
    return value.decode("utf-8" if _is_valid(value, "utf-8") else "gb18030", "replace")


def _value(line: bytes) -> str:
    return line.partition(b":")[2].strip().upper().decode("ascii", "replace")


def _encoding(lines: list[bytes]) -> str:
    """Return GB18030 when more lines are valid in that alone than in UTF-8: one broken line must not turn a file over."""
    foreign = [line for line in lines if not line.isascii()]
    others = [line for line in foreign if not _is_valid(line, "utf-8")]
    chinese = sum(1 for line in others if _is_valid(line, "gb18030"))
    return "gb18030" if chinese > len(foreign) - len(others) else "utf-8"


def _is_valid(line: bytes, encoding: str) -> bool:
    try:
        line.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _decode(block: Block, encoding: str) -> None:
    for name, line in block.raw:
        text = line[:MAX_LINE_BYTES].decode(encoding, "replace")
        block.replaced = block.replaced or (name in _TEXTS and "\ufffd" in text)
        block.lines.append((name, text))
    block.raw.clear()
