"""The heart beats on its own beat: about nothing it asks nobody, for nothing it waits, and what nobody understands it says once."""

import asyncio
import itertools
import json
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from session.ground import DESK, ME, Words, call, calls, said
from steadyhand.core.clock import from_text, local
from steadyhand.core.ids import LOCAL_SESSION
from steadyhand.llm.rules.provider import RulesProvider
from steadyhand.store.later import wakeups
from steadyhand.store.sessions import inbox, outbox
from steadyhand.tools.base import Outside, Tool
from steadyhand.tools.builtin.workspace import Workspace
from steadyhand.tools.result import async_result
from steadyhand.wakeups import heartbeat_file
from steadyhand.wakeups.heartbeat import NUMBER, Heartbeat, Rhythm
from steadyhand.wakeups.heartbeat_file import MARKER, HeartbeatFiles, says_nothing, tasks_in
from steadyhand.wakeups.judging import Quiet, Rules
from steadyhand.wakeups.state_file import StateFile
from steadyhand.wakeups.tools import wakeup_tools

EVERY = timedelta(minutes=30)
ALWAYS = Rules(None, 99, timedelta(0))


class Beating:
    """A heart in a room, and the room's workspace."""

    def __init__(
        self,
        room: Any,
        *,
        enabled: bool = True,
        every: timedelta = EVERY,
        reads: Any = None,
        rules: Rules = ALWAYS,
    ) -> None:
        self.room = room
        self.store = room.store
        self.workspace = Workspace(room.folder / "workspace")
        clock = room.store.clock
        self.clock = clock
        self.state = StateFile(self.workspace, clock)
        self.files = HeartbeatFiles(self.workspace, clock)
        self.heart = Heartbeat(room.talk, ME, self.files, self.state, Rhythm(every, enabled), reads, rules)

    def tasks(self, *lines: str) -> None:
        self.workspace.ready()
        (self.workspace.root / "HEARTBEAT.md").write_text("\n".join([MARKER, *lines]), encoding="utf-8")

    async def beat(self, after: timedelta) -> int:
        """Let time pass, look whether it is time, and take up what came of that."""
        self.clock.advance(after)
        beats = await self.heart.tick(1)
        for session in (DESK, LOCAL_SESSION):
            await self.room.talk.run(ME, session, "en")
        return beats

    def row(self) -> wakeups.Wakeup:
        found = self.store.read_now(lambda tx: wakeups.by_number(tx, ME, NUMBER))
        assert found is not None
        return found

    def log(self) -> list[str]:
        file = self.workspace.root / "memory" / "heartbeat.log"
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


@pytest.fixture
def beating(room):
    """Makes a heart in a room; the person spoke last at the desk."""

    def make(*lines: Any, **more: Any) -> Beating:
        settings = {name: more.pop(name) for name in ("enabled", "every", "reads") if name in more}
        made = Beating(room(*lines, **more), **settings)
        asyncio.run(made.room.say("hello"))
        made.store.write_now(_settle_all)
        made.state.record_last_channel("terminal", DESK)
        return made

    return make


def _settle_all(tx: Any) -> None:
    waiting = inbox.waiting(tx, ME, DESK)
    inbox.start(tx, ME, [row.id for row in waiting], "seen")
    inbox.settle(tx, ME, "seen")


async def wait_a_minute(made: Beating) -> int:
    assert await made.beat(timedelta()) == 0
    return await made.beat(timedelta(minutes=1))


# ---- when --------------------------------------------------------------------------------------------------------------


def test_the_first_beat_comes_a_minute_after_the_start_and_then_one_every_half_hour(beating):
    made = beating()
    assert asyncio.run(wait_a_minute(made)) == 1
    first = from_text(made.row().meant_at) - EVERY
    assert [asyncio.run(made.beat(span)) for span in (timedelta(minutes=29), timedelta(minutes=1), timedelta(0))] == [0, 1, 0]
    assert from_text(made.row().meant_at) == first + 2 * EVERY


def test_beats_that_were_missed_come_once_and_the_beat_does_not_drift(beating):
    made = beating()
    asyncio.run(wait_a_minute(made))
    meant = from_text(made.row().meant_at)
    assert asyncio.run(made.beat(timedelta(days=2, minutes=7))) == 1
    assert asyncio.run(made.beat(timedelta(0))) == 0
    assert (from_text(made.row().meant_at) - meant) % EVERY == timedelta(0)
    assert timedelta(0) < from_text(made.row().meant_at) - made.clock.now() <= EVERY


def test_what_is_overdue_when_a_host_starts_comes_a_minute_later(beating):
    made = beating()
    asyncio.run(wait_a_minute(made))
    made.clock.advance(timedelta(days=1))
    again = Beating(made.room)
    assert asyncio.run(again.beat(timedelta(0))) == 0
    assert asyncio.run(again.beat(timedelta(minutes=1))) == 1


def test_a_heartbeat_that_is_turned_off_does_not_beat_and_can_be_turned_on(beating):
    made = beating()
    asyncio.run(wait_a_minute(made))
    off = Beating(made.room, enabled=False)
    assert [asyncio.run(off.beat(timedelta(hours=1))) for _ in range(3)] == [0, 0, 0]
    on = Beating(made.room)
    assert asyncio.run(wait_a_minute(on)) == 1


def test_a_heartbeat_that_was_never_on_has_no_row(beating):
    made = beating(enabled=False)
    asyncio.run(made.beat(timedelta(hours=3)))
    assert made.store.read_now(lambda tx: wakeups.of_user(tx, ME)) == []


def test_of_two_hosts_one_beats(beating):
    made = beating(said("HEARTBEAT_OK"))
    made.tasks("- look after the plants")
    other = Beating(made.room)

    async def both() -> list[int]:
        for one in (made, other):
            await one.heart.tick(1)
        made.clock.advance(timedelta(minutes=1))
        return await asyncio.gather(made.heart.tick(1), other.heart.tick(1))

    asyncio.run(both())
    waiting = made.store.read_now(lambda tx: inbox.waiting(tx, ME, DESK, "heartbeat"))
    assert len(waiting) == 1


# ---- about nothing -----------------------------------------------------------------------------------------------------


def test_a_week_of_an_empty_list_asks_no_model(beating):
    made = beating()  # a script without a line: asked, it would fail
    made.tasks("", "   ", "# a heading", "<!-- a note", "over two lines -->", "- [x] done already")

    async def week() -> int:
        await made.heart.tick(1)
        beats = 0
        for _ in range(7 * 24 * 4):
            made.clock.advance(timedelta(minutes=15))
            beats += await made.heart.tick(1)
        await made.room.talk.run(ME, DESK, "en")
        return beats

    assert asyncio.run(week()) == 7 * 48
    assert made.room.provider.requests == []
    assert Counter(line.split(" ", 2)[2] for line in made.log()) == {"no tasks": 7 * 48}


def test_the_first_start_lays_an_empty_list_once(beating):
    made = beating()
    asyncio.run(wait_a_minute(made))
    file = made.workspace.root / "HEARTBEAT.md"
    assert tasks_in(file.read_text(encoding="utf-8")) == []
    assert MARKER in file.read_text(encoding="utf-8")
    file.unlink()
    asyncio.run(Beating(made.room).beat(timedelta(0)))
    assert not file.exists()


def test_a_list_of_ones_own_is_left_as_it_is(beating):
    made = beating()
    made.tasks("- mine")
    asyncio.run(made.heart.tick(1))
    assert (made.workspace.root / "HEARTBEAT.md").read_text(encoding="utf-8") == f"{MARKER}\n- mine"


@pytest.mark.parametrize(
    ("text", "tasks"),
    [
        ("no marker\n- a task", []),
        (f"- above\n{MARKER}", []),
        (f"{MARKER}\n- water the plants\n* [ ] look at the mail\n2. count\nplain words", None),
        (f"{MARKER}\n---\n***\n## later\n- \n", []),
        (f"{MARKER}\n- [x] done\n- [X] done too\n- open", ["open"]),
        (f"{MARKER}\n<!-- - hidden\n- hidden too -->\n- shown\n<!-- never closed\n- hidden", ["shown"]),
    ],
)
def test_tasks_are_the_lines_below_the_marker(text, tasks):
    wanted = ["water the plants", "look at the mail", "count", "plain words"] if tasks is None else tasks
    assert tasks_in(text) == wanted


@given(st.text())
def test_any_text_is_a_list_of_bounded_tasks(text):
    tasks = tasks_in(MARKER + text)
    assert all(task.strip() == task and task for task in tasks)
    assert len(tasks) <= heartbeat_file.MOST_TASKS


@pytest.mark.parametrize("text", ["HEARTBEAT_OK", "heartbeat_ok.", " **Heartbeat OK!** ", "“HEARTBEAT-OK”。", "", "…"])
def test_nothing_to_report_is_said_in_many_ways(text):
    assert says_nothing(text)


@pytest.mark.parametrize("text", ["HEARTBEAT_OK, but the mail is full", "not heartbeat_ok", "OK"])
def test_other_words_are_not_nothing(text):
    assert not says_nothing(text)


# ---- with a model ------------------------------------------------------------------------------------------------------


def test_a_list_with_a_task_is_one_turn_with_a_block_that_nobody_said(beating):
    made = beating(said("heartbeat ok!"))
    made.tasks("- look after the plants")
    asyncio.run(wait_a_minute(made))
    (request,) = made.room.provider.requests
    assert request.messages[-1].role == "user"
    assert request.messages[-1].content.startswith("<system-reminder>")
    assert "- look after the plants" in request.messages[-1].content
    assert made.room.turn().origin == "heartbeat"
    assert not [entry for entry in made.room.history() if entry.role == "user" and "plants" in entry.content]
    assert made.room.channel.texts == []
    assert [line.split(" ", 2)[1:] for line in made.log()] == [["INFO", "1 tasks"], ["INFO", "nothing to report"]]


def test_what_a_beat_says_without_a_send_tool_reaches_nobody_and_stands_in_the_log(beating):
    made = beating(said("The plants are dry."))
    made.tasks("- look after the plants")
    asyncio.run(wait_a_minute(made))
    assert made.room.channel.texts == []
    assert made.log()[-1].endswith("INFO The plants are dry.")


def test_what_a_beat_sends_reaches_the_person_where_they_spoke_last(beating):
    made = beating(call("message", text="Water the plants."), said("HEARTBEAT_OK"))
    made.tasks("- look after the plants")
    asyncio.run(wait_a_minute(made))
    assert made.room.channel.texts == ["Water the plants."]
    assert made.log()[-1].endswith("INFO nothing to report [message]")


def test_a_topic_is_not_closed_twice_since_saying_nothing_is_fine(beating):
    made = beating(*[said("HEARTBEAT_OK")] * 5)
    made.tasks("- tell me when the library opens again")
    asyncio.run(wait_a_minute(made))
    for _ in range(4):
        asyncio.run(made.beat(EVERY))
    assert made.room.channel.texts == []


def test_a_beat_whose_forerunner_still_waits_adds_nothing(beating):
    made = beating(said("HEARTBEAT_OK"))
    made.tasks("- look after the plants")

    async def pile() -> None:
        await made.heart.tick(1)
        for _ in range(5):
            made.clock.advance(EVERY)
            await made.heart.tick(1)

    asyncio.run(pile())
    assert len(made.store.read_now(lambda tx: inbox.waiting(tx, ME, DESK, "heartbeat"))) == 1
    assert made.log()[-1].endswith("the beat before still waits")


def test_a_turn_that_fails_is_an_error_in_the_log_and_the_next_beat_comes(beating):
    made = beating()  # the script has no line: the provider fails
    made.tasks("- look after the plants")
    asyncio.run(wait_a_minute(made))
    assert " ERROR " in made.log()[-1]
    assert asyncio.run(made.beat(EVERY)) == 1


def test_a_heartbeat_does_not_wait_for_work_that_it_starts(room):
    """The work of the tool goes on for ten minutes; the turn has ended before, and the next beat is on time."""
    going: list[asyncio.Task[None]] = []
    over = asyncio.Event()

    async def start(_context: Any, _arguments: Words) -> Any:
        going.append(asyncio.create_task(_until(over)))
        return async_result("Task started in background")

    tool = Tool("collect_mail", "read", Words, start, outside=Outside(lambda language: f"collects in {language}", "1"))
    made = Beating(room(call("collect_mail"), said("HEARTBEAT_OK"), said("HEARTBEAT_OK"), extra=(tool,)))

    async def story() -> None:
        made.tasks("- collect the mail")
        await wait_a_minute(made)
        assert going
        assert not going[0].done()
        assert made.log()[-1].endswith("nothing to report [collect_mail]")
        assert await made.beat(EVERY) == 1
        assert not going[0].done()
        over.set()
        await going[0]

    asyncio.run(story())


async def _until(over: asyncio.Event) -> None:
    await over.wait()


# ---- by rules ----------------------------------------------------------------------------------------------------------


def knows(*lines: str) -> Any:
    return lambda text, _language: text in lines


def test_the_rules_run_what_they_understand_and_name_the_rest_once(beating):
    provider = RulesProvider(())
    made = beating(reads=knows("hello"), provider=provider, thinks=False)
    made.tasks("- hello", "- frobnicate the quux", "- and the other thing")
    asyncio.run(wait_a_minute(made))
    (told,) = made.room.channel.texts
    assert "- frobnicate the quux\n- and the other thing" in told
    assert "hello" not in told
    assert any(" INFO hello: " in line for line in made.log())
    asyncio.run(made.beat(EVERY))
    assert len(made.room.channel.texts) == 1
    made.tasks("- hello", "- frobnicate the quux", "- something new")
    asyncio.run(made.beat(EVERY))
    assert "something new" in made.room.channel.texts[1]
    assert "frobnicate" not in made.room.channel.texts[1]


def test_a_line_that_went_and_came_back_is_named_again(beating):
    made = beating(reads=knows(), provider=RulesProvider(()), thinks=False)
    for lines in (["- frobnicate"], ["- other"], ["- frobnicate"]):
        made.tasks(*lines)
        asyncio.run(made.beat(EVERY))
        asyncio.run(made.beat(EVERY))
    assert [text.splitlines()[-1] for text in made.room.channel.texts] == ["- frobnicate", "- other", "- frobnicate"]


# ---- the log -----------------------------------------------------------------------------------------------------------


def test_the_log_has_one_line_for_each_thing_with_its_moment_and_level(beating):
    made = beating()
    made.files.write("INFO", "two\nlines\x00 and \u202e more")
    (line,) = made.log()
    moment, level, text = line.split(" ", 2)
    assert from_text(moment) == made.clock.now()
    assert level == "INFO"
    assert text.startswith("two lines")


def test_the_log_is_put_away_when_it_is_long_and_only_so_many_are_kept(beating, monkeypatch):
    made = beating()
    monkeypatch.setattr(heartbeat_file, "LOG_BYTES", 400)
    for number in range(60):
        made.files.write("INFO", f"beat {number}")
    files = {path.name: path for path in (made.workspace.root / "memory").iterdir()}
    assert sorted(files) == ["heartbeat.log", "heartbeat.log.1", "heartbeat.log.2"]
    assert all(path.stat().st_size <= 400 for path in files.values())
    assert made.log()[-1].endswith("beat 59")


def test_a_log_that_cannot_be_written_stops_no_beat(beating):
    made = beating()
    made.workspace.ready()
    (made.workspace.root / "memory").write_text("a file in its place", encoding="utf-8")
    assert asyncio.run(wait_a_minute(made)) == 1


def test_a_list_that_is_a_link_is_not_followed(beating, tmp_path):
    made = beating()
    secret = tmp_path / "secret.md"
    secret.write_text(f"{MARKER}\n- the secret", encoding="utf-8")
    made.workspace.ready()
    (made.workspace.root / "HEARTBEAT.md").symlink_to(secret)
    asyncio.run(wait_a_minute(made))
    assert made.log()[-1].endswith("no tasks")
    assert " ERROR " in made.log()[0]


def test_without_a_last_channel_it_is_said_at_the_terminal(beating):
    made = beating(reads=knows(), provider=RulesProvider(()), thinks=False)
    (made.workspace.root / "state" / "state.json").write_text(json.dumps({"last_channel": "x"}), encoding="utf-8")
    made.tasks("- frobnicate")
    asyncio.run(wait_a_minute(made))
    owed = made.store.read_now(lambda tx: outbox.after(tx, ME, LOCAL_SESSION, 0, 9))
    assert [row.state for row in owed] == ["sent"]


def test_calls_with_several_tools_are_named_once_in_the_log(beating):
    made = beating(calls(("peek", {"text": "a"}), ("peek", {"text": "b"})), said("all is well"))
    made.tasks("- look")
    asyncio.run(wait_a_minute(made))
    assert made.log()[-1].endswith("INFO all is well [peek]")


@pytest.mark.parametrize(
    ("rules", "most"),
    [(Rules(Quiet(23 * 60, 7 * 60), 99, timedelta(0)), 16 * 6), (Rules(None, 12), 12), (Rules(None, 99, timedelta(hours=1)), 24)],
)
def test_the_heart_speaks_at_no_time_at_which_nobody_may_be_spoken_to(room, rules, most):
    lines = [one for _ in range(150) for one in (call("send_private_message", message_text="news"), said("HEARTBEAT_OK"))]
    made = room(*lines)
    for tool in wakeup_tools(made.store):
        made.registry.register(tool)
    heart = Beating(made, every=timedelta(minutes=10), rules=rules)
    heart.tasks("- mail")
    asyncio.run(heart.beat(timedelta()))
    at = []
    for _ in range(24 * 6):
        before = len(made.channel.rows)
        asyncio.run(heart.beat(timedelta(minutes=10)))
        at += [local(heart.clock.now(), "UTC")] * (len(made.channel.rows) - before)
    assert at
    assert max(Counter(one.date() for one in at).values()) <= most
    assert rules.quiet is None or not [one for one in at if one.hour >= 23 or one.hour < 7]
    assert all(later - earlier >= rules.apart for earlier, later in itertools.pairwise(at))
