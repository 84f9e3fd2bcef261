"""Decides which lists of clock times are the slots of a day. It must not read or store one."""

from typing import cast

MAX_SLOTS = 48


def is_scale(value: object) -> bool:
    """Tell whether *value* is a list of (start, end) clock times, ascending and apart."""
    if not isinstance(value, list) or not 1 <= len(cast("list[object]", value)) <= MAX_SLOTS:
        return False
    last = ""
    for slot in cast("list[object]", value):
        if not isinstance(slot, list) or len(cast("list[object]", slot)) != 2:  # a start and an end
            return False
        start, end = cast("list[object]", slot)
        if not (_is_clock(start) and _is_clock(end)):
            return False
        if not last <= cast("str", start) < cast("str", end):
            return False
        last = cast("str", end)
    return True


def _is_clock(value: object) -> bool:
    if not isinstance(value, str) or len(value) != len("00:00") or value[2] != ":":
        return False
    hour, minute = value[:2], value[3:]
    return (
        hour.isascii() and hour.isdigit() and minute.isascii() and minute.isdigit() and int(hour) < 24 and int(minute) < 60
    )  # a day
