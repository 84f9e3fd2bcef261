"""Decides which English words name a time, whole, and what parts it has. It must not know now, and must not guess."""

import re
from collections.abc import Mapping

from steadyhand.wakeups.spoken import Clock, Day, Often, Part, Spoken, clock_of

_SMALL: Mapping[str, int] = {
    word: value
    for value, word in enumerate(("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), 1)
}  # fmt: skip
_NUMBERS: Mapping[str, int] = {
    **_SMALL,
    "a": 1,
    "an": 1,
    "fifteen": 15,
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "forty-five": 45,
    "fifty": 50,
    "ninety": 90,
}
_NUM = rf"(?:[0-9]{{1,4}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY = r"(?:mon(?:day)?|tue(?:s|sday)?|wed(?:nesday)?|thu(?:r|rs|rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?"
    r"|dec(?:ember)?)"
)
_EVENING: Part = (16, 25, ("19:00", "20:00", "21:00"))
_PARTS: Mapping[str, Part] = {
    "morning": (1, 12, ("08:00", "09:00", "10:00")),
    "afternoon": (12, 19, ("14:00", "15:00", "16:00")),
    "evening": _EVENING,
    "night": (17, 25, _EVENING[2]),
    "am": (0, 12, ()),
    "pm": (12, 24, ()),
}
_PART = r"(?:in the |at )?(?P<part>morning|afternoon|evening|night)"
_HOUR = rf"(?:[0-9]{{1,2}}|{'|'.join(_SMALL)})"
_CLOCK = (
    r"(?P<clock>(?:at )?(?:(?P<hour>[0-9]{1,2})(?::(?P<minute>[0-9]{2}))? ?(?P<half>[ap]\.?m\.?)"
    r"|(?P<h24>[0-9]{1,2}):(?P<m24>[0-9]{2})"
    rf"|(?P<past>half past|(?:a )?quarter past|(?:a )?quarter to) (?P<hour_past>{_HOUR})"
    rf"|(?P<hour_o>{_HOUR}) ?o'?clock|(?P<word>noon|midday|midnight))|at (?P<bare>{_HOUR}))"
)
_DATE = (
    rf"(?:(?P<month>{_MONTH})\.? (?:the )?(?P<mday>[0-9]{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<year>[0-9]{{4}}))?"
    rf"|(?:the )?(?P<mday2>[0-9]{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month2>{_MONTH})\.?(?:,? (?P<year2>[0-9]{{4}}))?"
    r"|the (?P<mday3>[0-9]{1,2})(?:st|nd|rd|th)|(?P<iso>[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}))"
)
_DAY = (
    r"(?P<day>(?P<near>today|tomorrow|(?:the )?day after tomorrow|tonight|this(?= (?:morning|afternoon|evening)))"
    rf"|(?:on )?(?:(?P<named>this|next|this coming) )?(?P<weekday>{_WEEKDAY})|(?:on )?(?:(?P<agrees>{_WEEKDAY}),? )?{_DATE})"
)
_FORMS = (
    rf"(?:{_DAY}(?: {_PART})?,? )?{_CLOCK}",
    rf"{_CLOCK}(?: {_PART})?,? {_DAY}",
    rf"{_CLOCK},? {_DAY} {_PART}",
    rf"(?:{_DAY},? )?{_CLOCK} {_PART}",
    rf"{_DAY}(?: {_PART})?",
    rf"{_PART},? {_CLOCK}",
    r"in the (?P<part>morning|afternoon|evening)|at (?P<part_night>night)",
)
_AT = tuple(re.compile(form) for form in _FORMS)
_AFTER = re.compile(
    rf"(?P<in>in )?(?:(?P<half>half an hour)|(?P<quarter>a quarter of an hour)|(?P<n>{_NUM}|[0-9]{{1,3}}\.5)(?P<more> and a half)?"
    rf" ?(?P<unit>seconds?|secs?|minutes?|mins?|hours?|hrs?|h|days?|weeks?)(?P<less> and a half)?(?: and (?P<and>{_NUM}) min(?:ute)?s?)?)"
    r"(?P<later> from now| later)?"
)
_LIST = rf"{_WEEKDAY}s?(?:(?:, and |, | and |,){_WEEKDAY}s?)*"
_DAILY = rf"(?:every|each) (?:single )?(?P<often>day|weekday|working day|weekend|morning|afternoon|evening|night|{_LIST})|(?P<adverb>daily)"
_ON = rf"on (?P<days>weekdays|weekends|{_WEEKDAY}s(?:(?:, and |, | and |,){_WEEKDAY}s)*)"
_MONTHLY = r"(?:every|each) month on the (?P<mday>[0-9]{1,2})(?:st|nd|rd|th)|(?:on )?the (?P<mday2>[0-9]{1,2})(?:st|nd|rd|th) of (?:every|each) month"
_HOW_OFTEN = rf"(?P<day>{_DAILY}|{_ON}|{_MONTHLY})"
_OFTEN = tuple(
    re.compile(form)
    for form in (
        rf"{_HOW_OFTEN}(?: {_PART})?,? {_CLOCK}",
        rf"{_CLOCK}(?: {_PART})?,? {_HOW_OFTEN}",
        rf"{_HOW_OFTEN},? {_CLOCK} {_PART}",
        rf"{_HOW_OFTEN}(?: {_PART})?",
    )
)
_EVERY = re.compile(
    rf"(?:every|each) (?:(?P<half>half hour|half an hour)|(?:(?P<n>{_NUM}) )?(?P<unit>minutes?|mins?|hours?))|(?P<adverb>hourly)"
)
_VAGUE = re.compile(
    r"soon|later|later (?:today|tomorrow|tonight|this week|on)|sometime(?: soon| later| today| tomorrow)?|some time|in (?:a (?:while|bit|moment|second|sec)|some time|due course)"
    r"|in (?:a few|several|some|a couple of) (?:minutes|hours|days|weeks)|in (?:a|[0-9]+|two|three|six) months?|when possible|as soon as possible|asap|(?:this|next) (?:week|month|weekend)|(?:on )?the weekend"
    r"|(?:before|after) (?:bed|lunch|dinner|breakfast|class|school|work)|someday|one day|eventually|now|right away|immediately|the other day"
)
_SECONDS: Mapping[str, int] = {"s": 1, "m": 60, "h": 3_600}


def spoken(words: str) -> Spoken | None:
    """Return the parts of words that are a time and nothing else."""
    plain = " ".join(words.lower().replace("’", "'").split()).strip(" ,")
    for form in (_AFTER, _EVERY):
        found = form.fullmatch(plain)
        parts = None if found is None else (_after if form is _AFTER else _every)(found)
        if parts is not None:
            return parts
    for forms, read in ((_OFTEN, _often), (_AT, _at)):
        for form in forms:
            found = form.fullmatch(plain)
            if found is not None:
                return read(found)
    return Spoken(plain, vague=True) if _VAGUE.fullmatch(plain) else None


def number(text: str) -> int:
    """Read digits or a number word."""
    return int(text) if text.isdigit() else _NUMBERS[text]


def _after(found: "re.Match[str]") -> Spoken | None:
    if not (found["in"] or found["later"]) or (found["in"] and found["later"] == " later"):
        return None
    if found["half"] or found["quarter"]:
        return Spoken(found.string, seconds=1_800 if found["half"] else 900)
    unit = found["unit"][0]
    halves = sum(map(bool, (found["more"], found["less"], ".5" in found["n"])))
    if (halves or found["and"]) and unit != "h":
        return None
    whole = number(found["n"].removesuffix(".5"))
    if unit in "dw":
        days = whole * (7 if unit == "w" else 1)
        return Spoken(found.string, days=days) if days else None
    seconds = _SECONDS[unit] * whole + 1_800 * halves + (60 * number(found["and"]) if found["and"] else 0)
    return Spoken(found.string, seconds=seconds) if seconds else None


def _every(found: "re.Match[str]") -> Spoken | None:
    if found["half"]:
        minutes = 30
    elif found["adverb"]:
        minutes = 60
    else:
        minutes = (number(found["n"]) if found["n"] else 1) * (60 if found["unit"].startswith("h") else 1)
    return Spoken(found.string, often=Often(every=f"{minutes}m")) if minutes else None


def _often(found: "re.Match[str]") -> Spoken:
    parts = found.groupdict()
    named = parts["often"] or parts["days"] or "day"
    mday = parts["mday"] or parts["mday2"]
    part = named if named in _PARTS else None
    if part or named in ("day", "daily") or mday:
        week = "*"
    elif named in ("weekday", "weekdays", "working day"):
        week = "1-5"
    elif named in ("weekend", "weekends"):
        week = "6,0"
    else:
        days = sorted({_weekday(one) for one in re.findall(_WEEKDAY, named)})
        week = ",".join(str(day % 7) for day in days)
    return _with_clock(found, part, often=Often(str(int(mday)) if mday else "*", week))


def _at(found: "re.Match[str]") -> Spoken:
    parts = found.groupdict()
    if not parts.get("day"):
        return _with_clock(found, None)
    part = "night" if parts["near"] == "tonight" else None
    return _with_clock(found, part, day=_day(parts), day_at=found.span("day"))


def _with_clock(
    found: "re.Match[str]",
    part: str | None,
    *,
    day: Day | None = None,
    often: Often | None = None,
    day_at: tuple[int, int] | None = None,
) -> Spoken:
    parts = found.groupdict()
    said = parts.get("part") or parts.get("part_night")
    named = said or part
    hours = _PARTS[named][2] if named else Spoken("").hours
    at = found.span("clock") if parts.get("clock") else None
    clock = _clock(parts, named, day, often) if parts.get("clock") else None
    if clock is not None and said and part and said != part:
        clock = Clock()
    return Spoken(found.string, 0, 0, day, often, clock, hours, day_at=day_at, clock_at=at)


def _clock(parts: Mapping[str, str | None], part: str | None, day: Day | None, often: Often | None) -> Clock:
    around = _PARTS[part] if part else None
    if parts["word"] == "midnight":  # of a named day it is the beginning to some, and the end to others
        tonight = part == "night" and day is not None and day.kind == "offset" and day.offset == 0
        if tonight:
            return Clock((24 * 60,))
        return (
            Clock((0,))
            if day is None and part is None and (often is None or (often.week, often.month) == ("*", "*"))
            else Clock()
        )
    if parts["word"]:
        return clock_of(12, 0, full=True) if part is None else Clock()
    if parts["half"]:
        hour, minute = int(parts["hour"] or 0), int(parts["minute"] or 0)
        found = clock_of(hour, minute, _PARTS[parts["half"][0] + "m"]) if 1 <= hour <= 12 else Clock()
        if around is not None and not all(around[0] * 60 <= one < around[1] * 60 for one in found.minutes):
            return Clock()
        return found
    if parts["h24"]:
        return clock_of(int(parts["h24"]), int(parts["m24"] or 0), around, full=len(parts["h24"]) == 2)
    past = parts["past"] or ""
    hour = number(parts["hour_past"] or parts["hour_o"] or parts["bare"] or "0")
    minute = 30 if past.startswith("half") else 45 if past.endswith("to") else 15 if past else 0
    if past and not 1 <= hour <= 12:
        return Clock()
    if past.endswith("to"):
        hour = hour - 1 or 12
    return Clock() if around is not None and part == "morning" and hour == 12 else clock_of(hour, minute, around)


def _day(parts: Mapping[str, str | None]) -> Day:
    if (near := parts["near"]) is not None:
        return Day("offset", offset=2 if near.endswith("after tomorrow") else 1 if near == "tomorrow" else 0)
    if (weekday := parts["weekday"]) is not None:
        return Day(
            "weekday", weekday=_weekday(weekday), named="next" if parts["named"] == "next" else "this" if parts["named"] else ""
        )
    agrees = _weekday(parts["agrees"]) if parts["agrees"] else 0
    if (iso := parts["iso"]) is not None:
        year, month, day = (int(one) for one in iso.split("-"))
        return Day("date", year=year, month=month, day=day, weekday=agrees)
    if parts["mday3"]:
        return Day("of_month", day=int(parts["mday3"]), weekday=agrees)
    month = _MONTHS.index((parts["month"] or parts["month2"] or "")[:3]) + 1
    year = int(parts["year"] or parts["year2"] or 0)
    return Day("date", year=year, month=month, day=int(parts["mday"] or parts["mday2"] or 0), weekday=agrees)


def _weekday(name: str) -> int:
    return next(place for place, day in enumerate(_DAYS, 1) if day.startswith(name[:3]))
