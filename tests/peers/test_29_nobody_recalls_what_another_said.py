"""Complaint 29 (openclaw#85240): what one person had said was recalled for another. Here each of two has a session of the same name."""

import asyncio
import json

import pytest

from steadyhand.core.errors import SteadyhandError
from steadyhand.core.ids import SessionId
from steadyhand.core.wire import ToolCall
from steadyhand.memory.preferences import Preferences
from steadyhand.memory.preferences import lines as preference_lines
from steadyhand.memory.short_term import recall, to_messages
from steadyhand.memory.tiers import Tiers
from steadyhand.memory.working import Working
from steadyhand.session.administration import Administration
from steadyhand.session.export import export_json
from steadyhand.session.lane import Lanes
from steadyhand.session.tools import session_tools
from steadyhand.store.people import people
from steadyhand.store.sessions import conversations, inbox, outbox
from steadyhand.store.sessions.conversations import Said
from steadyhand.tools.base import ToolContext
from steadyhand.tools.policy import ToolPolicy
from steadyhand.tools.registry import Registry
from steadyhand.tools.runner import Runner
from trial_domains.stand import DESK, ME, OTHER, me

SECRET = "the code is 4711"
PRIVATE = SessionId("private")


@pytest.fixture
def told(stand_anywhere):
    """One person has told a secret in every way that anything is kept; the other has sessions of the same names."""
    store = stand_anywhere.store

    def work(tx):
        for user, text in ((ME, SECRET), (OTHER, "nothing")):
            for session in (DESK, PRIVATE):
                people.ensure_session(tx, user, session, "terminal")
                entry = Said(f"{user} {session}", "user", text, "person", "turn", channel_message_id="m1")
                conversations.add(tx, user, session, [entry])
                conversations.change_session(tx, user, session, name=f"{text} {session}", address={"chat": text})
                inbox.accept(tx, user, session, "person", {"text": text}, "m1")
                outbox.owe(tx, user, session, "turn", text, source="reply")

    store.write_now(work)
    asyncio.run(Preferences(store).prefer(ME, "code", SECRET))
    asyncio.run(Working(store, Tiers()).hold(ME, DESK, "last_list", {"rows": [SECRET]}, keep=True))
    return stand_anywhere


def test_nothing_that_a_turn_of_the_other_reads_has_it(told):
    store, now = told.store, told.clock.now()
    for session in (DESK, PRIVATE):
        history = store.read_now(lambda tx, session=session: conversations.history(tx, OTHER, session))
        assert SECRET not in repr(to_messages(recall(history, Tiers(), now)))
        assert SECRET not in repr(asyncio.run(Working(store, Tiers()).held(OTHER, session)))
        assert SECRET not in repr(store.read_now(lambda tx, session=session: inbox.waiting(tx, OTHER, session)))
        assert SECRET not in repr(store.read_now(lambda tx, session=session: outbox.unsent(tx, OTHER, session)))
        assert SECRET not in repr(
            store.read_now(lambda tx, session=session: conversations.by_channel_id(tx, OTHER, session, "m1"))
        )
    assert preference_lines(asyncio.run(Preferences(store).all(OTHER)), "en") == []


def test_no_tool_that_the_other_calls_gives_it_away(told):
    runner = Runner(Registry(session_tools(told.store)), ToolPolicy())
    context = ToolContext(OTHER, DESK, told.clock, "en", said=SECRET)
    for tool in ("list_sessions", "list_preferences"):
        result = asyncio.run(runner.run(context, ToolCall("c", tool, "{}")))
        assert not result.is_error
        assert SECRET not in json.dumps(result.to_json())
    assert asyncio.run(runner.run(context, ToolCall("c", "forget", '{"key": "code"}'))).code == "not_found"
    assert asyncio.run(Preferences(told.store).all(ME)) == {"code": SECRET}


def test_the_other_can_neither_find_read_name_delete_nor_write_out_the_session(told):
    sessions = Administration(told.store, told.controller, Lanes(told.store, 30.0))
    for wanted in (f"{SECRET} desk", f"{SECRET} private", "3"):
        for act in (sessions.resume, sessions.deletion, lambda user, wanted: sessions.rename(user, wanted, "theirs")):
            with pytest.raises(SteadyhandError, match="session_not_found"):
                asyncio.run(act(OTHER, wanted))
    for session in (DESK, PRIVATE):
        row = asyncio.run(sessions.resume(OTHER, session))
        assert SECRET not in export_json(row, asyncio.run(sessions.history(OTHER, session))).decode()
        asyncio.run(sessions.rename(OTHER, session, "theirs"))
        asyncio.run(sessions.delete(me(user=OTHER), session))
    assert [(row.name, row.said) for row in asyncio.run(sessions.list(ME))] == [
        (f"{SECRET} {name}", 1) for name in ("desk", "private")
    ]
    assert asyncio.run(Working(told.store, Tiers()).held(ME, DESK)) == {"last_list": {"rows": [SECRET]}}
