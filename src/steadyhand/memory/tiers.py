"""Decides how far each tier of memory reaches; it must not read or remove anything."""

from dataclasses import dataclass

from steadyhand.core.config import Settings

SERVER_HISTORY_DAYS = 7.0


@dataclass(frozen=True, slots=True)
class Tiers:
    """What a turn reads at most, how long a session holds what it works with, how long its history is kept (None: for good)."""

    short_messages: int = 20
    short_hours: float = 2.0
    working_hours: float = 1.0
    history_days: float | None = SERVER_HISTORY_DAYS


def tiers_of(settings: Settings) -> Tiers:
    """Return the tiers that *settings* ask for; left to itself a local file keeps its history, a server 7 days of it."""
    match settings.memory_history:
        case "keep":
            days = None
        case "auto":
            days = None if settings.on_sqlite else SERVER_HISTORY_DAYS
        case days:
            pass
    return Tiers(settings.memory_short_messages, settings.memory_short_hours, settings.memory_working_hours, days)
