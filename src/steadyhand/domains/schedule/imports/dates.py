"""Decides which date or weekday a person wrote in a table or a task list; a word that is not certain is None, never a guess."""

import re
from datetime import date, timedelta

from steadyhand.domains.schedule.imports.wording import one_line
from steadyhand.domains.schedule.term.records import DAYS_IN_WEEK, Term

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ENGLISH_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_CHINESE_DAYS = "一二三四五六日"
_MONTH = rf"(?P<month_name>{'|'.join(_MONTHS)})[a-z]*\.?"
_DATE_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r"(?P<year>\d{4}) ?[-/.] ?(?P<month>\d{1,2}) ?[-/.] ?(?P<day>\d{1,2})",
        r"(?:(?P<year>\d{4}) ?年 ?)?(?P<month>\d{1,2}) ?月 ?(?P<day>\d{1,2}) ?[日号]?",
        r"(?P<month>\d{1,2}) ?[-/.] ?(?P<day>\d{1,2})",
        rf"{_MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: ?,? ?(?P<year>\d{{4}}))?",
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)? {_MONTH}(?: ?,? ?(?P<year>\d{{4}}))?",
    )
)
_WEEK_FORM = re.compile(r"(?:第 ?(\d{1,2}) ?周|week ?(\d{1,2})) ?(.*)", re.IGNORECASE)
_DAY_PREFIX = re.compile(r"^(?:周|星期|礼拜)")


def read_day(text: str) -> int | None:
    """Read a day of the week: 1 … 7, 周一, 星期天, Mon, Monday."""
    word = text.strip().lower()
    if word in {"1", "2", "3", "4", "5", "6", "7"}:
        return int(word)
    chinese = _DAY_PREFIX.sub("", word).replace("天", "日")
    if len(chinese) == 1 and chinese in _CHINESE_DAYS:
        return _CHINESE_DAYS.index(chinese) + 1
    if len(word) >= 3:
        for number, name in enumerate(_ENGLISH_DAYS, 1):
            if name.startswith(word.rstrip(".")):
                return number
    return None


def is_date(text: str) -> bool:
    """Tell whether *text* has the form of a date, whatever the term."""
    word = one_line(text)
    return any(form.fullmatch(word) for form in _DATE_FORMS) or _week_parts(word) is not None


def read_date(text: str, term: Term, *, end_of_week: bool) -> date | None:
    """Read a date. Without a year it is the one inside *term*; a week alone is its Sunday when *end_of_week*, else its Monday."""
    word = one_line(text)
    week = _week_parts(word)
    if week is not None:
        number, day = week
        return term.date_of(number, day or (DAYS_IN_WEEK if end_of_week else 1)) if 1 <= number <= term.weeks else None
    for form in _DATE_FORMS:
        match = form.fullmatch(word)
        if match:
            return _date(match.groupdict(), term)
    return None


def _week_parts(word: str) -> tuple[int, int | None] | None:
    match = _WEEK_FORM.fullmatch(word)
    if match is None:
        return None
    day = read_day(match[3]) if match[3].strip() else None
    return None if day is None and match[3].strip() else (int(match[1] or match[2]), day)


def _date(parts: dict[str, str | None], term: Term) -> date | None:
    name = (parts.get("month_name") or "").lower()
    month = _MONTHS.index(name) + 1 if name else int(parts.get("month") or 0)
    day = int(parts.get("day") or 0)
    last = term.first_monday + timedelta(days=term.weeks * DAYS_IN_WEEK - 1)
    given = int(parts.get("year") or 0)
    years = [given] if given else range(term.first_monday.year, last.year + 1)
    for year in years:
        try:
            found = date(year, month, day)
        except ValueError:
            continue
        if given or term.first_monday <= found <= last:
            return found
    return None
