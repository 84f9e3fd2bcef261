"""Decides what time it is; the only module that reads the clock or a zone. It must not schedule anything."""

import os
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol
from zoneinfo import ZoneInfo


class Clock(Protocol):
    """A source of the present; everything that asks for the time is handed one."""

    def now(self) -> datetime:
        """Return the present as an aware UTC datetime."""
        ...

    def monotonic(self) -> float:
        """Return seconds that only grow, for measuring spans."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


@dataclass
class FakeClock:
    """A clock that moves only when told to: for tests and for simulated weeks."""

    at: datetime = datetime(2026, 9, 7, 1, 0, tzinfo=UTC)
    elapsed: float = 0.0

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.elapsed

    def advance(self, span: timedelta) -> None:
        """Move forward (or, with a negative span, back) by *span*; monotonic time never goes back."""
        self.at += span
        self.elapsed += max(span.total_seconds(), 0.0)


def to_text(moment: datetime) -> str:
    """Write an aware datetime as UTC ISO 8601 with microseconds and ``Z``: sortable as text."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def from_text(text: str) -> datetime:
    """Read what `to_text` wrote."""
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)


def local(moment: datetime, zone: str) -> datetime:
    """Return *moment* in the IANA *zone*; an unknown zone raises `zoneinfo.ZoneInfoNotFoundError`."""
    return moment.astimezone(ZoneInfo(zone))


def system_zone() -> str:
    """Return the machine's IANA zone: ``TZ`` when it names one, else where ``/etc/localtime`` leads, else ``UTC``."""
    candidates = [os.environ.get("TZ", "").removeprefix(":")]
    link = Path("/etc/localtime")
    if link.is_symlink():
        candidates.append(str(link.resolve()).partition("zoneinfo/")[2])
    return next((name for name in candidates if name and zone_exists(name)), "UTC")


def zone_exists(name: str) -> bool:
    """Tell whether *name* is an IANA zone."""
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return True
