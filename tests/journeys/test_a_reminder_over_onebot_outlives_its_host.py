"""In private chat somebody asks for a reminder in two minutes, the host is killed, and one is started after the time: it comes once, or never.

Nobody waits two minutes here: while no host runs, the reminder's moment is moved into the past in the database, as if they had passed.
"""

import asyncio
import json
import os
import select
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from channels.ground import FRIEND, HERE, SELF, TOKEN, until
from cli_house.serving import SECONDS, killed, serving
from command_line.ground import in_child
from onebot_simulator.simulator import Simulator
from steadyhand.core.clock import from_text, to_text
from steadyhand.core.ids import LOCAL_USER
from steadyhand.store import Store
from steadyhand.store.later import wakeups
from steadyhand.store.later.wakeups import Wakeup
from steadyhand.store.sessions import outbox

pytestmark = pytest.mark.crash


@dataclass(frozen=True)
class Words:
    """What a person says, and what tells its answers from each other."""

    asking: str
    what: str
    letting_be: str
    let_be: str
    other: str
    other_what: str
    listing: str
    none_waits: str
    late: str


LANGUAGES = {
    "zh-CN": Words(
        asking="两分钟后提醒我喝水",
        what="喝水",
        letting_be="算了，不用提醒了",
        let_be="不会再提醒",
        other="两分钟后提醒我关窗",
        other_what="关窗",
        listing="我有哪些提醒",
        none_waits="没有等待中的提醒",
        late="现在已经太晚",
    ),
    "en": Words(
        asking="remind me in two minutes to drink water",
        what="drink water",
        letting_be="never mind, no need to remind me",
        let_be="I will not remind you",
        other="remind me in two minutes to close the window",
        other_what="close the window",
        listing="list my reminders",
        none_waits="No reminder waits",
        late="It is too late for it now",
    ),
}


@contextmanager
def opened(data_dir: Path) -> Iterator[Store]:
    store = Store(f"sqlite:///{data_dir / 'steadyhand.db'}")
    try:
        yield store
    finally:
        store.close()


def reminders(data_dir: Path) -> list[Wakeup]:
    with opened(data_dir) as store:
        found = store.read_now(lambda tx: wakeups.of_user(tx, LOCAL_USER, families=("followup", "cron")))
    return sorted(found, key=lambda row: row.number)


def owed(data_dir: Path) -> list[tuple[str, str]]:
    """Return what the person of this chat was ever owed, with its state."""
    with opened(data_dir) as store:
        rows = store.read_now(lambda tx: outbox.after(tx, LOCAL_USER, HERE, 0, 1000))
    return [(row.content, row.state) for row in rows]


def pass_time(data_dir: Path, span: timedelta) -> None:
    """Let *span* have passed for every reminder, whatever became of it."""
    with opened(data_dir) as store:

        def work(tx: Any) -> None:
            for row in wakeups.of_user(tx, LOCAL_USER, families=("followup", "cron")):
                earlier = to_text(from_text(row.due_at) - span)
                assert wakeups.change(tx, row, due_at=earlier, meant_at=earlier)

        store.write_now(work)


class Chat:
    """The private chat of a bound account: one implementation that comes back to each new host."""

    def __init__(self, data_dir: Path, language: str) -> None:
        self.data_dir = data_dir
        self.language = language
        self.napcat = Simulator("", TOKEN, SELF)
        data_dir.chmod(0o700)
        bound = in_child(data_dir, "channel", "bind", "onebot", str(FRIEND), STEADYHAND_LANGUAGE=language)
        assert bound.returncode == 0, bound

    @property
    def heard(self) -> list[str]:
        assert {account for account, _ in self.napcat.people} <= {FRIEND}
        return [text for _, text in self.napcat.people]

    @asynccontextmanager
    async def host(self) -> AsyncGenerator[Any]:
        """Let a host run, to which the implementation has connected."""
        settings = {
            "STEADYHAND_LANGUAGE": self.language,
            "STEADYHAND_ZONE": "UTC",
            "STEADYHAND_CHANNEL_PORT": "0",
            "STEADYHAND_ONEBOT_TOKEN_ENV": "ONEBOT_TOKEN",
            "ONEBOT_TOKEN": TOKEN,
        }
        with serving(self.data_dir, "--json", "serve", **settings) as child:
            self.napcat.url = (await asyncio.to_thread(address, child)).replace("http", "ws") + "/onebot/v11/ws"
            await self.napcat.connect()
            yield child
            if child.poll() is None:
                await self.napcat.close()

    async def says(self, text: str, until_it_says: str) -> list[str]:
        """Say something; return what came up to the answer that holds the words, once all of it is on record as sent."""
        before = len(self.heard)
        await self.napcat.says(FRIEND, text)
        await self.hears(lambda: any(until_it_says in words for words in self.heard[before:]))
        return self.heard[before:]

    async def hears(self, holds: Callable[[], bool]) -> None:
        await self.napcat.until(holds, SECONDS)
        await until(lambda: {state for _, state in owed(self.data_dir)} == {"sent"}, SECONDS)

    async def is_killed(self, child: Any) -> None:
        """Cut the host off; the implementation finds its connection gone."""
        killed(child)
        await self.napcat.ended()


def address(child: Any) -> str:
    """Return where a host says that it listens."""
    said, output = b"", child.stdout.fileno()
    while not said.endswith(b"}\n"):
        assert select.select([output], [], [], SECONDS)[0], "it does not say where it listens"
        piece = os.read(output, 4096)
        assert piece, "it ended without a word"
        said += piece
    return str(json.loads(said)["address"])


@pytest.mark.parametrize(
    ("language", "passes", "late"),
    [
        ("zh-CN", timedelta(minutes=3), False),
        ("en", timedelta(minutes=3), False),
        ("zh-CN", timedelta(hours=13), True),
        ("en", timedelta(hours=13), True),
    ],
)
def test_a_reminder_whose_host_was_killed_comes_once_by_its_rule(data_dir, language, passes, late):
    """It still comes within twelve hours; later it is said that it was missed."""
    words = LANGUAGES[language]
    chat = Chat(data_dir, language)

    async def scene() -> int:
        async with chat.host() as host:
            await chat.says(words.asking, words.what)
            await chat.is_killed(host)
        before = len(chat.heard)
        assert [row.status for row in reminders(data_dir)] == ["pending"]
        pass_time(data_dir, passes)
        async with chat.host():
            await chat.hears(lambda: len(chat.heard) > before)
            await until(lambda: reminders(data_dir)[0].status == "completed", SECONDS)
        async with chat.host():
            await chat.says(words.listing, words.none_waits)
        return before

    before = asyncio.run(scene())
    reminder, listed = chat.heard[before:]
    assert words.what in reminder
    assert (words.late in reminder) is late
    assert words.what not in listed
    assert owed(data_dir) == [(text, "sent") for text in chat.heard]
    (row,) = reminders(data_dir)
    assert (row.completion_action, row.attempt) == ("skipped" if late else "sent_private_message", 1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_reminder_that_nobody_wants_any_more_does_not_come_and_another_does(data_dir, language):
    words = LANGUAGES[language]
    chat = Chat(data_dir, language)

    async def scene() -> list[str]:
        async with chat.host() as host:
            await chat.says(words.asking, words.what)
            await chat.says(words.letting_be, words.let_be)
            await chat.says(words.other, words.other_what)
            await chat.is_killed(host)
        before = len(chat.heard)
        assert [row.status for row in reminders(data_dir)] == ["cancelled", "pending"]
        pass_time(data_dir, timedelta(minutes=3))
        async with chat.host():
            await chat.hears(lambda: len(chat.heard) > before)
            await until(lambda: reminders(data_dir)[1].status == "completed", SECONDS)
            await chat.says(words.listing, words.none_waits)
        return chat.heard[before:]

    came, listed = asyncio.run(scene())
    assert words.other_what in came
    assert words.what not in came + listed
    assert owed(data_dir) == [(text, "sent") for text in chat.heard]
    assert [(row.status, row.attempt) for row in reminders(data_dir)] == [("cancelled", 0), ("completed", 1)]
