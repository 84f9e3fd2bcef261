"""Writes the example term and its tasks with dates that lie ahead: by whole weeks, so that it begins on the Monday to come.

``python3 bring_forward.py FOLDER`` prints the first and the last day of the term.
"""

import re
import sys
from datetime import date, timedelta
from pathlib import Path

FIRST, LAST = date(2026, 9, 7), date(2027, 1, 10)
DATE = re.compile(r"\b(20\d\d)(-?)(\d\d)\2(\d\d)(?=T\d{6}|\b)")


def main(folder: Path) -> None:
    today = date.today()
    monday = today + timedelta(days=-today.weekday() % 7 or 7)
    later = timedelta(days=(monday - FIRST).days)

    def shifted(found: "re.Match[str]") -> str:
        year, dash, month, day = found.groups()
        return f"{date(int(year), int(month), int(day)) + later:%Y{dash}%m{dash}%d}"

    for name in ("term.ics", "tasks.md"):
        text = Path(__file__).with_name(name).read_bytes().decode()
        (folder / name).write_bytes(DATE.sub(shifted, text).encode())
    sys.stdout.write(f"{FIRST + later} {LAST + later}\n")


main(Path(sys.argv[1]))
