"""What a chat hands in is seen to its end, what is owed is shown once, and what became of it is told."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from cli_chat.ground import Sitting, Waits, calls, streamed
from steadyhand.agent.events import CallEnded, CallStarted
from steadyhand.cli.chat.room import Ended, Room
from steadyhand.core import owners
from steadyhand.core.canonical import canonical
from steadyhand.core.clock import to_text
from steadyhand.core.errors import StoreUnavailable
from steadyhand.core.ids import LOCAL_SESSION, SessionId
from steadyhand.core.owners import Claim
from steadyhand.core.wire import Completion, Delta
from steadyhand.llm.provider import ProviderError
from steadyhand.session.conversation import MOST_CHARACTERS
from steadyhand.store.people import people
from steadyhand.store.sessions import outbox, turns
from steadyhand.wiring.app import App

Sit = Callable[..., Sitting]


def test_an_answer_is_streamed_then_shown_as_the_message_that_counts(sit: Sit) -> None:
    here = sit(streamed("There is room."))
    (ended,) = here.says("Is there room?")
    assert (ended.ok, ended.state, ended.end) == (True, "done", "answered")
    assert "".join(event.text for event in here.face.events if isinstance(event, Delta)) == "There is room."
    assert here.face.texts[0].startswith("There is room.")
    assert len(here.face.texts) == 1
    assert here.face.ends == [ended]
    assert here.owed() == []


def test_the_calls_of_a_turn_are_told_while_they_run(sit: Sit) -> None:
    here = sit(calls("list_changes"), Completion("There are none."))
    here.says("Which changes are there?")
    told = [event for event in here.face.events if isinstance(event, CallStarted | CallEnded)]
    assert [(type(event), event.call.name) for event in told] == [(CallStarted, "list_changes"), (CallEnded, "list_changes")]


def test_a_command_is_settled_and_one_that_is_refused_is_told_apart(sit: Sit) -> None:
    here = sit()
    settled, unknown, unread, nothing = here.says("/help", "/nonsense", "/approve C-x", "/approve C-9")
    assert (settled.ok, settled.state) == (True, "settled")
    assert [(one.ok, one.state) for one in (unknown, unread, nothing)] == [(False, "refused")] * 3
    assert len(here.face.texts) == 4


def test_a_model_that_fails_fails_the_message_and_not_the_chat(sit: Sit) -> None:
    here = sit(ProviderError("protocol", "no sense"), streamed("Now it works."))
    failed, fine = here.says("One", "Two")
    assert (failed.ok, failed.state, failed.error) == (False, "failed", "provider_protocol")
    assert fine.ok
    assert len(here.face.texts) == 2


def test_a_turn_that_breaks_off_by_our_fault_is_told_in_words_and_the_chat_goes_on(
    sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = sit(streamed("Two."))
    real, visits = here.room.talk.turns.run, []

    async def breaks(*arguments: Any, **more: Any) -> Any:
        visits.append(1)
        if len(visits) == 1:
            raise ZeroDivisionError
        return await real(*arguments, **more)

    monkeypatch.setattr(here.room.talk.turns, "run", breaks)
    failed, fine = here.says("One", "Two")
    assert (failed.ok, fine.ok) == (False, True)
    assert len(here.face.texts) == 2


def test_where_the_database_is_away_the_chat_says_so_and_goes_on(sit: Sit, monkeypatch: pytest.MonkeyPatch) -> None:
    here = sit(streamed("One."), streamed("Two."))
    real, visits = here.room.talk.run, []

    async def away(*arguments: Any) -> bool:
        visits.append(1)
        if len(visits) == 2:
            raise StoreUnavailable("store_busy", reason="steadyhand.db")
        return await real(*arguments)

    monkeypatch.setattr(here.room.talk, "run", away)
    failed, fine = here.says("One", "Two")
    assert (failed.ok, failed.state, fine.ok) == (False, "failed", True)
    assert here.face.notes


def test_what_is_too_long_is_refused_whole(sit: Sit) -> None:
    here = sit()
    (ended,) = here.says("x" * (MOST_CHARACTERS + 1))
    assert (ended.ok, ended.state) == (False, "refused")


def test_half_a_character_is_taken_as_a_question_mark(sit: Sit) -> None:
    here = sit(Completion("Fine."))
    assert here.says("a\ud800b")[0].ok
    assert here.provider.requests[0].messages[-1].content == "a?b"


def owe(app: App, text: str, session: SessionId = LOCAL_SESSION, **more: object) -> None:
    def work(tx):
        people.ensure_session(tx, app.user.id, session, "terminal")
        row = outbox.owe(tx, app.user.id, session, "turn_0", text, source="reply")
        if more:
            outbox.move(tx, row, **more)

    app.store.write_now(work)


def test_what_is_owed_is_shown_at_the_start_in_order_and_once(app: App, sit: Sit) -> None:
    owe(app, "First")
    owe(app, "Elsewhere", SessionId("other"))
    owe(app, "Second")
    assert sit().says() == []
    first = sit()
    first.says()
    assert first.face.texts == []
    other = sit()
    other.says(session=SessionId("other"))
    assert other.face.texts == ["Elsewhere"]


def test_what_a_dead_process_was_printing_is_printed_again(app: App, sit: Sit) -> None:
    gone = canonical({**owners.myself(), "pid": 2**22 + 1}).decode()
    owe(app, "Half printed", state="sending", attempts=1, reason=gone)
    here = sit()
    here.says()
    assert here.face.texts == ["Half printed"]


def test_where_nobody_reads_any_more_the_message_stays_owed(sit: Sit) -> None:
    here = sit(Completion("Answer."))
    here.face.closed = True
    here.says("Hello")
    assert here.room.terminal.closed
    assert [row.content for row in here.owed()] == ["Answer."]
    again = sit()
    again.says()
    assert again.face.texts == ["Answer."]


def test_while_another_process_answers_it_is_waited_for_and_its_answer_is_shown_here_too(
    app: App, sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("steadyhand.cli.chat.room.POLL_SECONDS", 0.01)
    here, told = sit(), asyncio.Event()
    elsewhere = Sitting(app, (Completion("Answered elsewhere."),))
    elsewhere.room.session = LOCAL_SESSION
    note = here.face.note
    monkeypatch.setattr(here.face, "note", lambda text: (note(text), told.set()))

    async def work(room: Room) -> Ended:
        until = to_text(app.store.clock.now().replace(year=2030))
        claim = Claim(owners.myself(), "lane_of_another", until)
        await app.store.write(lambda tx: turns.take_lane(tx, room.user, room.session, claim, None))
        taking = asyncio.create_task(room.take("Is there room?"))
        await told.wait()
        await app.store.write(lambda tx: turns.leave_lane(tx, room.user, room.session, "lane_of_another"))
        await elsewhere.room.talk.run(room.user, room.session, "en")
        return await taking

    ended = here.does(work)
    assert ended.ok
    assert here.face.notes == [here.room.say("other_process")]
    assert here.face.texts == ["Answered elsewhere."]
    assert elsewhere.face.texts == ["Answered elsewhere."]


def test_stopping_settles_the_turn_and_says_so(sit: Sit) -> None:
    provider = Waits()
    here = sit(provider=provider)

    async def work(room: Room) -> Ended:
        taking = asyncio.create_task(room.take("Plan my life"))
        await provider.begun.wait()
        await room.stop()
        return await taking

    ended = here.does(work)
    assert (ended.ok, ended.state) == (False, "stopped")
    assert len(here.face.texts) == 1
    assert "I am just" not in here.face.texts[0]


def test_while_the_person_types_what_comes_to_be_owed_is_shown(app: App, sit: Sit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steadyhand.cli.chat.room.POLL_SECONDS", 0.01)
    here, shown = sit(), asyncio.Event()
    message = here.face.message
    monkeypatch.setattr(here.face, "message", lambda owed: (message(owed), shown.set()))

    async def work(room: Room) -> None:
        typed = asyncio.Event()
        watch = asyncio.create_task(room.watch(typed))
        await asyncio.to_thread(owe, app, "A reminder")
        await shown.wait()
        typed.set()
        await watch

    here.does(work)
    assert here.face.texts == ["A reminder"]
