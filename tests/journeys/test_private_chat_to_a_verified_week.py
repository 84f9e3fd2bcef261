"""The whole program without a model, over private chat: a person pairs their account, plans the example week and approves it there."""

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from channels.ground import FRIEND, SECONDS, SELF, TOKEN
from command_line.ground import TASK_FILE, TERM_FILE, content, in_child, in_here, states
from onebot_simulator.simulator import Simulator
from steadyhand.core.config import load_settings
from steadyhand.core.ids import LOCAL_USER, SessionId
from steadyhand.store.sessions import turns
from steadyhand.wiring.app import App, open_app
from steadyhand.wiring.hosting import hosting

pytestmark = pytest.mark.usefixtures("september")


@pytest.fixture
def app(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    """The program on the example term and its tasks, with its channels on a port that is free."""
    settings = {"data_dir": str(data_dir), "zone": "UTC", "channel_port": "0", "onebot_token_env": "ONEBOT_TOKEN"}
    for name, value in settings.items():
        monkeypatch.setenv(f"STEADYHAND_{name.upper()}", value)
    monkeypatch.setenv("ONEBOT_TOKEN", TOKEN)
    for words in (("import", TERM_FILE), ("tasks", "add", TASK_FILE)):
        opened = in_here(data_dir, "--json", "schedule", *words).data["change"]
        assert in_here(data_dir, "change", "approve", opened["name"], opened["seal_digest"][:8]).code == 0
    made = open_app(load_settings(), "en")
    yield made
    made.store.close()


async def read_through(app: App) -> None:
    """Wait until the session is at rest: a person reads what came before they answer it."""
    session = SessionId(f"onebot-{SELF}-{FRIEND}")
    for _ in range(1_000):
        if await app.store.read(lambda tx: turns.lane(tx, LOCAL_USER, session)) is None:
            return
        await asyncio.sleep(0.01)
    raise TimeoutError


class Chat:
    """A person's private chat, read as it comes."""

    def __init__(self, napcat: Simulator) -> None:
        self.napcat = napcat
        self._read = 0

    async def says(self, text: str, until_it_says: str, account: int = FRIEND) -> str:
        """Say something and read on until an answer holds *until_it_says*; return that one."""
        await self.napcat.says(account, text)
        found: list[str] = []

        def comes() -> bool:
            found[:] = [words for _, words in self.napcat.people[self._read :] if until_it_says in words]
            return bool(found)

        await self.napcat.until(comes, 3 * SECONDS)
        self._read = len(self.napcat.people)
        return found[0]


def test_from_a_stranger_to_a_verified_week(app: App, data_dir: Path) -> None:
    database = data_dir / "steadyhand.db"

    async def scene() -> None:
        stop = asyncio.Event()
        async with hosting(app, "en", with_channels=True, holds=lambda: True) as hosted:
            assert hosted.address is not None
            serving = asyncio.create_task(hosted.serve(stop))
            napcat = await Simulator(hosted.address.replace("http", "ws") + "/onebot/v11/ws", TOKEN, SELF).connect()
            napcat.passing = 60  # a person reads before they write
            chat = Chat(napcat)
            await chat.says("arrange everything", "steady channel pair")
            printed = await asyncio.to_thread(in_child, data_dir, "--json", "channel", "pair", "--may-decide")
            code = json.loads(printed.stdout)["code"]
            await chat.says(code, "yours now")
            question = await chat.says("arrange everything", "to the end of the term")
            whole = re.search(r"(\d)\. [^\n]*to the end of the term", question)
            assert whole is not None
            await read_through(app)
            await chat.says(whole[1], "")
            await chat.says("show me week 9", "week 9 of 18")
            await chat.says("propose", "C-3: ready")
            assert states(database)[2] == (3, "sealed")
            await read_through(app)
            await chat.says("yes", "C-3: verified by reading back")
            await napcat.close()
            stop.set()
            await asyncio.wait_for(serving, SECONDS)

    asyncio.run(scene())
    assert states(database) == [(1, "verified"), (2, "verified"), (3, "verified")]
    assert len(content(database)["events"]) == 27
