"""Decides which weekdays words leave out of what comes again, and what is left of a rhythm then. It must not read any other exception."""

import re

_DAY_ZH = r"(?:周|星期|礼拜)[一二三四五六日天]"
_DAYS_ZH = (
    rf"(?:周末|双休日|工作日|{_DAY_ZH}(?:到|至|-){_DAY_ZH}|{_DAY_ZH}(?:[、,，和及与]?(?:周|星期|礼拜)?[一二三四五六日天])*)"
)
_ZH = (
    re.compile(rf"(?:但是?|不过)?(?P<days>{_DAYS_ZH})(?:除外|例外|不算|(?:就)?(?:不用|不要|不必|别)(?:再)?(?:提醒)?(?:我)?了?)"),
    re.compile(rf"(?:但是?|不过)?除了?(?P<days>{_DAYS_ZH})(?:以外|之外|外)?(?:的每一?天)?"),
)
_DAY_EN = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_EN = re.compile(
    rf"(?:but )?(?:except|excepting|excluding|but not|not|apart from)(?: for)?(?: on)? (?P<days>(?:the )?weekends?|weekdays|working days"
    rf"|{_DAY_EN}(?:(?:, and |, or |, | and |, ?| or ){_DAY_EN})*)",
    re.IGNORECASE,
)
_NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_SIGNS = "一二三四五六日"
EVERY_DAY = frozenset(range(1, 8))


def days_off(words: str) -> frozenset[int] | None:
    """Return the days of the week, Monday being 1, that words which are such an exception and nothing else leave out."""
    plain = words.strip(" ,，()（）")
    for form in _ZH:
        found = form.fullmatch(plain.replace(" ", ""))
        if found is not None:
            return _in_chinese(found["days"])
    found = _EN.fullmatch(" ".join(plain.split()))
    return None if found is None else _in_english(found["days"].lower())


def ends_with_days_off(words: str) -> bool:
    """Tell whether the last of some words are such an exception."""
    return any(days_off(words[at:]) is not None for at in range(len(words)))


def _in_chinese(days: str) -> frozenset[int] | None:
    if days in ("周末", "双休日"):
        return frozenset({6, 7})
    if days == "工作日":
        return frozenset(range(1, 6))
    named = [_SIGNS.index("日" if sign == "天" else sign) + 1 for sign in re.sub(r"周|星期|礼拜|[、,，和及与到至-]", "", days)]
    if re.search(r"[到至-]", days):
        return frozenset(range(named[0], named[1] + 1)) if named[0] < named[1] else None
    return frozenset(named)


def _in_english(days: str) -> frozenset[int]:
    if "weekend" in days:
        return frozenset({6, 7})
    if days in ("weekdays", "working days"):
        return frozenset(range(1, 6))
    return frozenset(_NAMES.index(day[:3]) + 1 for day in re.findall(_DAY_EN, days))


def without(cron: str, off: frozenset[int]) -> str | None:
    """Return a cron expression of a time each day or week without those days; None where it has no such form, or nothing is left."""
    minute, hour, month_day, month, week = cron.split(" ")
    if (month_day, month) != ("*", "*"):
        return None
    left = sorted((_days_of(week) or EVERY_DAY) - off)
    if not left:
        return None
    return " ".join((minute, hour, month_day, month, ",".join(str(day % 7) for day in left)))


def _days_of(week: str) -> frozenset[int]:
    days: set[int] = set()
    for part in week.split(","):
        first, _, last = part.partition("-")
        if first.isdigit():
            days |= {day or 7 for day in range(int(first), int(last or first) + 1)}
    return frozenset(days)
