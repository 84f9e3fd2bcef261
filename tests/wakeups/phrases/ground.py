"""A person who talks about reminders without a model: real turns on a database that is the same before each message."""

import asyncio
import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from session.ground import DESK, ME
from steadyhand.core.clock import FakeClock, from_text, local
from steadyhand.core.language import Language
from steadyhand.jobs.book import Book as JobBook
from steadyhand.jobs.book import OwnJobs, Start
from steadyhand.llm.rules.matching import Unmet
from steadyhand.llm.rules.provider import RulesProvider
from steadyhand.session.conversation import Conversations
from steadyhand.store.later import jobs, wakeups
from steadyhand.store.later.jobs import Job
from steadyhand.store.later.wakeups import Wakeup
from steadyhand.store.people import people
from steadyhand.tools.builtin.jobs import job_tools
from steadyhand.wakeups.booking import FollowUp, Timed
from steadyhand.wakeups.waking import Waking
from steadyhand.wiring.talking import rules_provider
from wakeups.ground import Bedside, bedside, beside

ZONE = "Asia/Shanghai"
NOW = datetime(2026, 9, 9, 2, 0, tzinfo=UTC)  # a Wednesday, ten in the morning there
_made = rules_provider()
assert isinstance(_made, RulesProvider)
RULES = _made
LOOKS = ("list_private_followups", "job_status")
COMMITMENTS: dict[Language, tuple[str, str, str]] = {
    "zh-CN": ("提醒你“交作业”", "每天早上7点半 吃药", "问你“跑完了没”"),
    "en": ('reminding you "to hand in the homework"', "every day at 7:30: to take the pills", 'asking you "whether it ran"'),
}
"""What waits before each message: reminder 1 on Friday at 20:00, reminder 2 every day at 07:30, reminder 3 tomorrow at 08:00."""


@dataclass(frozen=True)
class Heard:
    """What came of one message: the calls that do more than look, what is new or different afterwards, and what the person was shown."""

    calls: list[tuple[str, dict[str, Any]]]
    rows: list[Wakeup]
    jobs: list[Job]
    shown: list[str]
    called: bool


def rows_of(bed: Bedside) -> list[Wakeup]:
    return bed.store.read_now(lambda tx: wakeups.of_user(tx, ME))


def jobs_of(bed: Bedside) -> list[Job]:
    return bed.store.read_now(lambda tx: jobs.of_user(tx, ME))


class Table:
    """The database that a message finds: three reminders, and two jobs of which the second waits."""

    def __init__(self, folder: Path, language: Language, *, reminders: Sequence[int] = (1, 2, 3)) -> None:
        self._folder, self._places = folder, 0
        self._first = folder / "first"
        (self._first / "targets").mkdir(parents=True)
        self.clock = FakeClock(NOW)
        bed = bedside(self._url(self._first), self._first / "targets", self.clock, provider=RULES, thinks=False)
        bed.store.write_now(lambda tx: people.change_user(tx, ME, language=language, zone=ZONE))
        for number, words in enumerate(COMMITMENTS[language], 1):
            _remind(bed, number, words)
        for number in {1, 2, 3} - set(reminders):
            row = next(one for one in rows_of(bed) if one.number == number)
            bed.store.write_now(lambda tx, row=row: wakeups.change(tx, row, status="cancelled"))
        book = JobBook(bed.store)
        for title in ("fetch", "download"):
            asyncio.run(book.start(Start(ME, DESK, "body", title, "steadyhand.jobs.bodies.probe:run")))
        asyncio.run(book.cancel(ME, 1))
        asyncio.run(_heard(bed, "谢谢"))  # what became of the first job is told
        bed.store.close()

    def _url(self, place: Path) -> str:
        return f"sqlite:///{place / 'steadyhand.db'}"

    def bed(self, at: datetime = NOW) -> Bedside:
        """Return a room over a copy."""
        self._places += 1
        place = self._folder / str(self._places)
        shutil.copytree(self._first, place)
        bed = beside(self._url(place), place / "targets", FakeClock(at), provider=RULES, thinks=False)
        for tool in job_tools():
            bed.room.registry.register(tool)
        book = JobBook(bed.store)
        parts = replace(bed.room.parts, jobs=lambda user, session, turn: OwnJobs(book, user, session, turn))
        bed.room.parts = parts
        bed.room.talk = Conversations(parts)
        bed.waking = Waking(bed.room.talk, bed.rules)
        return bed


def _remind(bed: Bedside, number: int, words: str) -> None:
    if number == 2:
        wanted = Timed("cron", "30 7 * * *", words, words, "text")
        asyncio.run(bed.book.timed(bed.by(exact=True), wanted))
        return
    at = "2026-09-11T20:00" if number == 1 else "2026-09-10T08:00"
    asyncio.run(bed.book.follow_up(bed.by(exact=True), FollowUp(at, "-", words)))


def hear(bed: Bedside, text: str) -> Heard:
    """Let the person say *text*."""
    before, jobs_before, given = rows_of(bed), jobs_of(bed), len(bed.given)
    shown = asyncio.run(_heard(bed, text))
    calls = [(call.name, json.loads(call.arguments)) for call, _ in bed.given[given:]]
    acts = [(name, given) for name, given in calls if name not in LOOKS and given.get("action") != "list"]
    rows = [row for row in rows_of(bed) if row not in before]
    return Heard(acts, rows, [job for job in jobs_of(bed) if job not in jobs_before], shown, bool(calls))


async def _heard(bed: Bedside, text: str) -> list[str]:
    before = len(bed.room.channel.rows)
    await bed.room.talk.accept(ME, DESK, text, channel="terminal")
    user = bed.store.read_now(lambda tx: people.require_user(tx, ME))
    await bed.room.talk.run(ME, DESK, user.language)
    return bed.room.channel.texts[before:]


def wake(bed: Bedside) -> list[str]:
    """Let what is due come; return what the person is shown then."""
    before = len(bed.room.channel.rows)
    bed.tick()
    user = bed.store.read_now(lambda tx: people.require_user(tx, ME))
    asyncio.run(bed.room.talk.run(ME, DESK, user.language))
    return bed.room.channel.texts[before:]


def on_one_line(heard: Heard, text: str, language: Language) -> str:
    """Write what came of a message: its calls and what they left; else why it was not understood, or the beginning of the answer."""
    told = [_call(name, given) for name, given in heard.calls]
    told += [f"[{_row(row)}]" for row in heard.rows] + [f"[job {job.number} {job.state}]" for job in heard.jobs]
    if told:
        return " ; ".join(told)
    _, meant = RULES.understand(text, language)
    return f"!{meant.why}" if isinstance(meant, Unmet) else f"~ {heard.shown[0].splitlines()[0]}"


def _call(name: str, given: dict[str, Any]) -> str:
    if name == "ask_user":
        return f"? {' | '.join(given['options'])}"
    return " ".join([name, *(f"{key}={value}" for key, value in given.items() if key != "followup_reason")])


def _row(row: Wakeup) -> str:
    at = local(from_text(row.meant_at), ZONE)
    state = row.status if row.status != "pending" else "exact" if row.exact else "not exact"
    return f"{row.number} {at:%a %m-%d %H:%M} {state}"
