"""What MCP clients can read: the term, its weeks, the draft's difference, the changes; one person's alone, and told when they change."""

import asyncio
import contextlib
import itertools
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ResourceUpdated

from command_line.ground import in_here
from server.ground import OLDER, in_process, opened, parts_of, read
from steadyhand.core.errors import DecisionRefused
from steadyhand.core.ids import SessionId, UserId
from steadyhand.core.language import LANGUAGES, Language
from steadyhand.domains.schedule.draft.drafting import Drafting
from steadyhand.domains.schedule.module import given, target
from steadyhand.domains.schedule.rows.writes import put
from steadyhand.domains.schedule.term.windows import whole_term
from steadyhand.gate.policy import ALL
from steadyhand.gate.proposal import Proposal
from steadyhand.store.people import people
from steadyhand.store.people.people import User
from steadyhand.wiring.app import App

OTHER = UserId("other")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_term_and_its_weeks_are_told_as_text_and_as_data(planned: Path, language: Language) -> None:
    async def look(client: Client) -> None:
        listed = [one.uri for one in (await client.list_resources()).resources]
        assert listed[:4] == ["steadyhand://term", "steadyhand://draft", "steadyhand://changes", "steadyhand://timetable/week/1"]
        assert len(listed) == 3 + 18
        templates = (await client.list_resource_templates()).resource_templates
        assert [one.uri_template for one in templates] == ["steadyhand://timetable/week/{n}", "steadyhand://changes/{name}"]
        text, term = await read(client, "steadyhand://term")
        assert "Asia/Shanghai" in text
        assert (term["weeks"], term["first_monday"], len(term["slots"]), term["window"]) == (18, "2026-09-07", 12, None)
        assert [one["kind"] for one in term["facts"]]  # the examples' national holiday
        text, week = await read(client, "steadyhand://timetable/week/3")
        monday = week["days"][0]
        assert (monday["date"], monday["day"]) == ("2026-09-21", None)
        assert monday["entries"][0]["slots"] == [1, 2]
        assert monday["entries"][0]["name"] in text
        assert {"en": "nothing", "zh-CN": "无"}[language] in text

    in_here(planned, "schedule", "facts", "add", "2026-10-01", "holiday")
    in_here(planned, "schedule", "facts", "add", "2026-10-10", "as", "2026-10-08")
    with opened(planned) as app:
        asyncio.run(in_process(parts_of(app, language), look))


def test_days_that_go_by_another_rule_and_the_windows_own_day_numbers_are_told(planned: Path) -> None:
    async def look(client: Client) -> None:
        text, week = await read(client, "steadyhand://timetable/week/4")
        assert "holiday, no courses" in text
        assert week["days"][3] == {
            "date": "2026-10-01",
            "day_of_week": 4,
            "day": 25,
            "fact": {"date": "2026-10-01", "kind": "holiday", "as": None},
            "entries": [],
        }
        assert "has the courses of Thu 2026-10-08" in (await read(client, "steadyhand://timetable/week/5"))[0]

    for words in (("2026-10-01", "holiday"), ("2026-10-10", "as", "2026-10-08")):
        assert in_here(planned, "schedule", "facts", "add", *words).code == 0
    with opened(planned) as app:
        term = asyncio.run(Drafting(app.store).term(app.user.id))
        asyncio.run(Drafting(app.store).open(app.user.id, whole_term(term)))
        asyncio.run(in_process(parts_of(app), look))


@pytest.mark.parametrize(
    "uri",
    [
        "steadyhand://timetable/week/0",
        "steadyhand://timetable/week/19",
        "steadyhand://timetable/week/01",
        "steadyhand://timetable/week/1/../2",
        "steadyhand://timetable/week/",
        "steadyhand://changes/C-99",
        "steadyhand://changes/../term",
        "steadyhand://other",
        "file:///etc/passwd",
        "",
    ],
)
def test_what_is_not_there_is_an_error_and_the_server_goes_on(planned: Path, uri: str) -> None:
    async def look(client: Client) -> None:
        with pytest.raises(MCPError) as refused:
            await client.read_resource(uri)
        assert refused.value.code in (-32002, types.INVALID_PARAMS)
        assert "Traceback" not in refused.value.message
        assert (await read(client, "steadyhand://changes"))[1]["changes"]

    with opened(planned) as app:
        asyncio.run(in_process(parts_of(app), look))


def test_without_a_term_the_changes_are_all_there_is_to_read(data_dir: Path) -> None:
    async def look(client: Client) -> None:
        assert [one.uri for one in (await client.list_resources()).resources] == ["steadyhand://changes"]
        assert await read(client, "steadyhand://changes") == ("There are no changes.", {"changes": []})
        with pytest.raises(MCPError, match="term"):
            await client.read_resource("steadyhand://term")

    with opened(data_dir) as app:
        asyncio.run(in_process(parts_of(app), look))


async def _other_persons_change(app: App) -> int:
    """Give another person a term of their own, and a change that waits."""
    app.store.write_now(lambda tx: people.add_user(tx, User(OTHER, "", "UTC", "en", (ALL,))))
    row = {"id": 77, "name": "secret term", "zone": "UTC", "first_monday": "2026-09-07", "weeks": 4, "is_current": True}
    writes = [put("terms", {**row, "scale": {"name": "s", "slots": [["08:00", "08:45"]]}, "seasons": []})]
    source, scope = given(writes)
    proposal = Proposal(OTHER, SessionId("theirs"), target(OTHER, 77), "secret request", source, scope, "en")
    change = await app.controller.open(proposal)
    return change.number


def test_another_persons_changes_and_timetable_cannot_be_reached(planned: Path) -> None:
    async def look(client: Client) -> None:
        found = [*(await client.list_resources()).resources]
        told = [text for one in found for text in await read(client, one.uri)]
        names = ("list_changes", "list_sessions", "get_overview", "list_tasks")
        told += [(await client.call_tool(name, {})).model_dump_json() for name in names]
        assert "secret" not in str(told)
        shown = await client.call_tool("show_change", {"number": 1})
        assert "secret" not in shown.model_dump_json()
        for argument in ("user", "session", "user_id"):
            assert (await client.call_tool("list_changes", {argument: OTHER})).is_error

    with opened(planned) as app:
        number = asyncio.run(_other_persons_change(app))
        assert number == 1
        with pytest.raises(DecisionRefused):
            asyncio.run(app.controller.current(app.user.id, 9))
        asyncio.run(in_process(parts_of(app), look))


URIS = ("steadyhand://draft", "steadyhand://term", "steadyhand://timetable/week/2", "steadyhand://changes")


class Ear:
    """Hears which resources have changed, while a person's commands change the timetable in another connection."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.heard: set[str] = set()
        self._all = asyncio.Event()

    def hear(self, uri: str) -> None:
        self.heard.add(uri)
        if self.heard >= set(URIS):
            self._all.set()

    async def on_message(self, message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            self.hear(message.params.uri)

    async def change_until_heard(self) -> None:
        for words in itertools.cycle((("add", "2026-09-15", "holiday"), ("remove", "2026-09-15"))):
            assert (await asyncio.to_thread(in_here, self._folder, "schedule", "facts", *words)).code == 0
            with contextlib.suppress(TimeoutError):  # what was changed before the first look is not heard
                await asyncio.wait_for(self._all.wait(), 3)
                return


def test_who_opened_a_stream_is_told_of_what_another_process_changes(planned: Path) -> None:
    async def listen(client: Client) -> None:
        ear = Ear(planned)
        async with client.listen(resource_subscriptions=URIS) as events:
            changing = asyncio.create_task(ear.change_until_heard())
            async for event in events:
                assert isinstance(event, ResourceUpdated)
                ear.hear(event.uri)
                if ear.heard >= set(URIS):
                    break
            await changing
        assert ear.heard == set(URIS)

    with opened(planned) as app:
        asyncio.run(in_process(parts_of(app), listen))


@pytest.mark.filterwarnings("ignore:resources/.*subscribe is removed:mcp.shared.exceptions.MCPDeprecationWarning")
def test_who_follows_resources_in_the_older_way_is_told_too(planned: Path) -> None:
    async def story(app: App) -> None:
        ear = Ear(planned)

        async def listen(client: Client) -> None:
            for uri in URIS:
                await client.session.subscribe_resource(uri)
            await ear.change_until_heard()
            assert ear.heard == set(URIS)
            await client.session.unsubscribe_resource(URIS[0])

        await in_process(parts_of(app), listen, OLDER, message_handler=ear.on_message)

    with opened(planned) as app:
        asyncio.run(story(app))
