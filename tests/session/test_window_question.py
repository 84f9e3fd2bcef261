"""The whole program: before the first write of a session the person is asked for the window, and their request is taken up again."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from schedule_ground.desk import TERM as SMALL
from schedule_ground.desk import Desk, course, empty, tasks
from session.ground import Shown, call, last, said
from steadyhand.core.clock import FakeClock
from steadyhand.core.config import Settings
from steadyhand.core.ids import SessionId
from steadyhand.domains.schedule.acts import courses as acts
from steadyhand.domains.schedule.draft.drafting import Drafting
from steadyhand.llm.scripted import Scripted
from steadyhand.wiring.app import open_app

run = asyncio.run
HERE = SessionId("here")


class Home:
    """The program over a small term, a scripted model, and a terminal."""

    def __init__(self, folder: Path, lines: tuple[Any, ...]) -> None:
        self.provider, self.shown = Scripted(lines), Shown()
        self.app = open_app(Settings(data_dir=folder), "en", FakeClock())
        self.desk = Desk(self.app.store, self.app.store.clock, self.app.controller, Drafting(self.app.store), folder)
        self.me = self.app.user.id
        writes = acts.put_term(replace(SMALL), None)
        writes += course(101, "Maths", 1, (1, 2))
        writes += acts.add_tasks(empty(), tasks("revise", "write"))
        self.desk.done(writes, self.me)
        self.talk = self.app.conversations(lambda user, session: self.shown, self.provider)

    async def hear(self, text: str, session: SessionId = HERE) -> list[str]:
        before = len(self.shown.rows)
        await self.talk.accept(self.me, session, text, channel="terminal")
        await self.talk.run(self.me, session, "en")
        return self.shown.texts[before:]

    @property
    def revision(self) -> int:
        return self.desk.draft(self.me).row.revision

    def place_of(self, name: str) -> tuple[Any, ...]:
        return next(task.place.slots for task in self.desk.draft(self.me).timetable.tasks.values() if task.name == name)


@pytest.fixture
def home(data_dir: Path) -> Iterator[Callable[..., Home]]:
    with ExitStack() as stack:

        def make(*lines: Any) -> Home:
            made = Home(data_dir, lines)
            stack.callback(made.app.store.close)
            return made

        yield make


LOOK = call("list_tasks", status="pending", category=None)
PLACE = call("place", task_id=2, day=2, slot_start=5)


@pytest.mark.parametrize("answer", ["1", "第一个", "yes", "好的", "from 9 September to 4 October"])
def test_the_first_write_asks_and_the_answer_takes_the_request_up_again(home, answer):
    home = home(LOOK, PLACE, LOOK, PLACE, said("It is in the draft now."))
    shown = run(home.hear("put revise on Wednesday"))
    assert "Which days may I plan?" in shown[-1]
    assert home.revision == 0
    shown = run(home.hear(answer))
    assert "It is in the draft now." in shown[-1]
    assert home.provider.requests[2].context["resume"] == "put revise on Wednesday"
    assert home.provider.requests[2].context["window"] is not None
    assert home.place_of("revise") or home.place_of("write")


def test_a_write_without_a_look_is_told_to_look_and_may_then_be_made(home):
    home = home(PLACE, PLACE, LOOK, PLACE, said("There it is in the draft."))
    run(home.hear("put it on Wednesday"))
    run(home.hear("1"))
    codes = [message.code for message in home.provider.requests[-1].messages if message.role == "tool"][-3:]
    assert codes == ["look_again", "ok", "ok"]


def test_once_confirmed_a_session_is_not_asked_again_and_another_one_is(home):
    home = home(LOOK, PLACE, LOOK, PLACE, said("ok"), call("unplace", task_id=2), said("ok"), LOOK, call("undo"))
    run(home.hear("put it on Wednesday"))
    run(home.hear("1"))
    run(home.hear("take it out again"))
    assert last(home.provider.requests[6], "tool").code == "ok"
    assert "Which days" in run(home.hear("undo that", SessionId("there")))[-1]


def test_something_else_than_an_answer_changes_nothing_and_the_question_waits(home):
    home = home(LOOK, PLACE, said("It rains."), LOOK, PLACE, said("There."))
    run(home.hear("put it on Wednesday"))
    run(home.hear("how is the weather?"))
    assert home.revision == 0
    run(home.hear("1"))
    assert home.provider.requests[3].context["resume"] == "put it on Wednesday"


def test_a_draft_is_proposed_and_goes_into_the_timetable_by_a_yes(home):
    home = home(LOOK, PLACE, LOOK, PLACE, call("propose"), said("Please look at it."))
    run(home.hear("put it on Wednesday and propose it"))
    shown = run(home.hear("1"))
    assert any("C-" in text for text in shown)
    [line] = run(home.hear("yes"))
    number = int(line.split("C-")[1].split()[0].strip("：:,"))
    assert home.desk.row(number, home.me).state == "verified"
