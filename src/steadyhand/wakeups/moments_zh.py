"""Decides which Chinese words name a time, whole, and what parts it has. It must not know now, and must not guess."""

import re
from collections.abc import Mapping

from steadyhand.wakeups.spoken import Clock, Day, Often, Part, Spoken, clock_of

_DIGITS: Mapping[str, int] = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_NUM = r"(?:[0-9]{1,4}|[一二三四五六七八九]?十[一二三四五六七八九]?|[一二两三四五六七八九])"
_WEEK = r"(?:周|星期|礼拜)"
_MORNING: Part = (4, 12, ("08:00", "09:00", "10:00"))
_EVENING: Part = (17, 25, ("19:00", "20:00", "21:00"))
_PARTS: Mapping[str, Part] = {
    "凌晨": (0, 6, ("01:00", "05:00")),
    **dict.fromkeys(("清晨", "早上", "早晨", "上午", "早"), _MORNING),
    "中午": (11, 14, ("12:00", "12:30", "13:00")),
    "下午": (12, 19, ("14:00", "15:00", "16:00")),
    "傍晚": (16, 20, ("17:00", "18:00")),
    **dict.fromkeys(("晚上", "晚"), _EVENING),
}
_PART = r"(?P<part>凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|早|晚)"
_MINUTE = r"(?:(?P<quarter>半|一刻|三刻)|(?P<minute>[0-9]{1,2}|[零〇]?[一二三四五六七八九]|[二三四五]?十[一二三四五六七八九]?)分|(?P<bare>[0-9]{2}|[零〇][一二三四五六七八九]|[二三四五]?十[一二三四五六七八九]?))"
_CLOCK = rf"(?P<clock>(?:{_PART}的?)?(?:(?P<hour>{_NUM}|零)(?:点钟|点整|点|时(?![候间])){_MINUTE}?|(?P<h24>[0-9]{{1,2}}):(?P<m24>[0-9]{{2}}))|正午)"
_WHEN = rf"(?:{_CLOCK}|{_PART.replace('<part>', '<alone>')})"
_NEAR = r"大后天|后天|明天|明日|今天|今日|明(?=[早晚上中下凌])|今(?=[早晚])"
_DAY = (
    rf"(?P<day>(?P<near>{_NEAR})|(?P<named>下下个?|下个?|这个?|本)?{_WEEK}(?P<weekday>[一二三四五六日天])"
    rf"|(?:(?:(?P<year>[0-9]{{4}})年)?(?P<month>{_NUM})月(?P<mday>{_NUM})[日号]|(?P<iso>[0-9]{{4}}-[0-9]{{1,2}}-[0-9]{{1,2}})"
    rf"|(?P<alone_day>{_NUM})[日号])(?:\s?[(（]?{_WEEK}(?P<agrees>[一二三四五六日天])[)）]?)?)"
)
_AT = re.compile(rf"(?:{_DAY}\s?的?)?{_WHEN}|{_DAY.replace('(?P<', '(?P<x_')}")
_AFTER = re.compile(
    rf"(?P<past>再过|过)?(?:(?P<half>半)个?(?P<of_half>小时|钟头)"
    rf"|(?P<n>{_NUM}|[0-9]{{1,3}}\.5)个?(?P<more>半)?(?P<unit>小时|钟头|分钟|刻钟|秒钟?|天|周|星期|礼拜)(?P<less>半)?"
    rf"(?:零?(?P<and>{_NUM})分钟?)?)(?P<later>之后|以后|后)?"
)
_LIST = r"[一二三四五六日天]+(?:[、,和及与]?(?:周|星期|礼拜)?[一二三四五六日天])*"
_OFTEN = re.compile(
    rf"(?:每|每逢|每到)(?P<often>天|日|个?工作日|个?{_WEEK}末|(?:个?{_WEEK})(?P<first>[一二三四五六日天])(?:到|至|-){_WEEK}?(?P<last>[一二三四五六日天])"
    rf"|(?:个?{_WEEK})(?P<on>{_LIST})|个?月的?(?P<mday>{_NUM})[日号])的?(?:{_WHEN})?"
)
_EVERY = re.compile(rf"每隔?(?:(?P<half>半)个?|(?P<n>{_NUM})个?|个)?(?P<unit>小时|钟头|分钟|刻钟)")
_VAGUE = re.compile(
    rf"(?:再)?(?:待会儿?|等会儿?|等一会儿?|等一下|一会儿?|过会儿?|过一会儿?|过一阵子?|晚点儿?|晚些时候|晚一点|稍后|稍晚|回头|改天|改日|哪天"
    rf"|有空的?时候|有空|有时间|以后|之后|到时候?|尽快|快点|马上|立刻|不久|过几天|过几分钟|过几个?小时|几(?:分钟|个?小时|天)后|半天后|(?:这|本|下下?)?个?{_WEEK}末"
    rf"|(?:这|本|下下?)个?(?:{_WEEK}|月)|月底|月初|年底|过两天|{_NUM}个?月后|最近|将来|睡前|饭后|下课后|放学后|下班后|起床后)"
)
_SECONDS: Mapping[str, int] = {"小时": 3_600, "钟头": 3_600, "分钟": 60, "刻钟": 900, "秒": 1, "秒钟": 1}
_DAYS: Mapping[str, int] = {"天": 1, "周": 7, "星期": 7, "礼拜": 7}
_OFFSETS: Mapping[str, int] = {"大": 3, "后": 2, "明": 1, "今": 0}
_WEEKS: Mapping[str, str] = {"": "", "下下": "week_after", "下": "week", "这": "this", "本": "this"}


def spoken(words: str) -> Spoken | None:
    """Return the parts of words that are a time and nothing else."""
    plain = re.sub(r"(?<![0-9])\s+|\s+(?![0-9])", "", words)
    for form, read in ((_AFTER, _after), (_EVERY, _every), (_OFTEN, _often), (_AT, _at)):
        found = form.fullmatch(plain)
        if found is not None and (parts := read(found)) is not None:
            return parts
    return Spoken(plain, vague=True) if _VAGUE.fullmatch(plain) else None


def number(text: str) -> int:
    """Read digits or Chinese numerals below a hundred."""
    if text.isdigit():
        return int(text)
    tens, ten, ones = text.lstrip("零〇").rpartition("十")
    return (_DIGITS[tens] if tens else 1) * (10 if ten else 0) + (_DIGITS[ones] if ones else 0)


def _after(found: "re.Match[str]") -> Spoken | None:
    if not (found["past"] or found["later"]):
        return None
    if found["half"]:
        return Spoken(found.string, seconds=1_800)
    unit = found["unit"]
    by_hours = unit in ("小时", "钟头")
    if (found["more"] or found["less"] or found["and"] or ".5" in found["n"]) and not by_hours:
        return None
    if unit in _DAYS:
        days = _DAYS[unit] * number(found["n"])
        return Spoken(found.string, days=days) if days else None
    whole, half, _ = found["n"].partition(".5")
    seconds = _SECONDS[unit] * number(whole) + 1_800 * sum(map(bool, (half, found["more"], found["less"])))
    seconds += 60 * number(found["and"]) if found["and"] else 0
    return Spoken(found.string, seconds=seconds) if seconds else None


def _every(found: "re.Match[str]") -> Spoken | None:
    seconds = 1_800 if found["half"] else _SECONDS[found["unit"]] * (number(found["n"]) if found["n"] else 1)
    if (found["half"] and found["unit"] not in ("小时", "钟头")) or seconds % 60:
        return None
    return Spoken(found.string, often=Often(every=f"{seconds // 60}m"))


def _often(found: "re.Match[str]") -> Spoken:
    often = found["often"]
    if found["first"]:
        first, last = _weekday(found["first"]), _weekday(found["last"])
        week = ",".join(str(day % 7) for day in range(first, last + 1)) if first < last else "-"
    elif found["on"]:
        days = sorted({_weekday(sign) for sign in re.sub(rf"[、,和及与]|{_WEEK}", "", found["on"])})
        week = ",".join(str(day % 7) for day in days)
    else:
        week = "1-5" if often.endswith("工作日") else "6,0" if often.endswith("末") else "*"
    month = str(number(found["mday"])) if found["mday"] else "*"
    return _with_clock(found, often=Often(month, week))


def _at(found: "re.Match[str]") -> Spoken | None:
    parts = found.groupdict()
    prefix = "x_" if parts["x_day"] else ""
    if not parts[f"{prefix}day"]:
        return _with_clock(found)
    return _with_clock(found, day=_day(parts, prefix), day_at=found.span(f"{prefix}day"))


def _with_clock(
    found: "re.Match[str]", *, day: Day | None = None, often: Often | None = None, day_at: tuple[int, int] | None = None
) -> Spoken:
    parts = found.groupdict()
    hours = _PARTS[parts["alone"]][2] if parts["alone"] else Spoken("").hours
    at = found.span("clock") if parts["clock"] else None
    return Spoken(found.string, 0, 0, day, often, _clock(parts), hours, day_at=day_at, clock_at=at)


def _clock(parts: Mapping[str, str | None]) -> Clock | None:
    if not (clock := parts["clock"]):
        return None
    if clock == "正午":
        return clock_of(12, 0, full=True)
    part = _PARTS[parts["part"]] if parts["part"] else None
    if parts["h24"]:
        hour, minute = int(parts["h24"]), int(parts["m24"] or 0)
        full = len(parts["h24"]) == 2
    else:
        hour, full = (0 if parts["hour"] == "零" else number(parts["hour"] or "")), False
        quarter = {"半": 30, "一刻": 15, "三刻": 45}.get(parts["quarter"] or "")
        minute = quarter if quarter is not None else number(parts["minute"] or parts["bare"] or "0")
    if parts["part"] == "凌晨" and hour == 12:  # to some the day's beginning, to others its end
        return Clock()
    return clock_of(hour, minute, part, full=full)


def _day(parts: Mapping[str, str | None], prefix: str) -> Day:
    def part(name: str) -> str:
        return parts[prefix + name] or ""

    agrees = _weekday(part("agrees")) if part("agrees") else 0
    if part("near"):
        return Day("offset", offset=_OFFSETS[part("near")[0]])
    if part("weekday"):
        named = _WEEKS[part("named").removesuffix("个")]
        return Day("weekday", weekday=_weekday(part("weekday")), named=named)  # type: ignore[arg-type]  # one of the words of the table
    if part("iso"):
        year, month, day = (int(one) for one in part("iso").split("-"))
        return Day("date", year=year, month=month, day=day, weekday=agrees)
    if part("month"):
        year = int(part("year") or 0)
        return Day("date", year=year, month=number(part("month")), day=number(part("mday")), weekday=agrees)
    return Day("of_month", day=number(part("alone_day")), weekday=agrees)


def _weekday(sign: str) -> int:
    return "一二三四五六日".index("日" if sign == "天" else sign) + 1
