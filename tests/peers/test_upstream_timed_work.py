"""Complaints of picoclaw's users about timed and background work: lost after a restart, failed and called well, one behind the other, leaking."""

import asyncio

import pytest

from agent.conftest import workshop
from agent.workshop import Two
from session.ground import DESK, ME, Shown, call, said
from steadyhand.core.config import Settings
from steadyhand.core.ids import LOCAL_SESSION, LOCAL_USER, SessionId
from steadyhand.llm.provider import ProviderError
from steadyhand.store.people import people
from steadyhand.wakeups.host import Host
from steadyhand.wakeups.ticking import Duties
from steadyhand.wiring.app import open_app
from steadyhand.wiring.working import worker
from wakeups.conftest import room, room_anywhere
from wakeups.test_heartbeat import beating, wait_a_minute
from wakeups.test_host import Answering, until

__all__ = ["beating", "room", "room_anywhere", "workshop"]

run = asyncio.run


def test_what_comes_once_and_passed_during_a_restart_comes_once_and_is_over(bed_for):
    """picoclaw's code: after a restart a past one-time job had no next moment; it never ran and never went."""
    bed = bed_for(thinks=False)
    row = bed.timed("at", "2026-09-07T01:30Z", "the kettle", kind="text")
    bed.pass_time(hours=1)
    bed = bed.again(thinks=False)
    assert bed.wake() == ["(This was meant for Monday 2026-09-07 01:30 and comes 30 minutes late.)\nthe kettle"]
    assert bed.row(row).status == "completed"
    assert bed.again(thinks=False).wake() == []


@pytest.mark.parametrize("ends", ["provider", "tool"])
def test_a_one_time_task_that_failed_is_not_on_record_as_well_done(bed_for, ends):
    """picoclaw#2478 and pull request 2501: a failed run counted as ok, and a one-time reminder was lost."""
    lines = (
        [ProviderError("provider", "the line is dead")] if ends == "provider" else [call("peek", text=str(n)) for n in range(30)]
    )
    bed = bed_for(*lines)
    row = bed.timed("at", "2026-09-07T01:30Z", "look at the results")
    bed.pass_time(minutes=30)
    assert len(bed.wake()) == 1
    assert bed.row(row).status == ("pending" if ends == "provider" else "failed"), "what no model could be asked for comes again"
    assert [one.outcome for one in bed.runs(row)] == ([] if ends == "provider" else ["failed"])
    assert bed.wake() == []


def test_the_answer_of_a_timed_task_is_told_and_not_its_description(bed_for):
    """picoclaw#1058, #1568: the answer was dropped, or only the description sent."""
    bed = bed_for(said("Three letters, none urgent."))
    bed.timed("at", "2026-09-07T01:30Z", "sum up the mail")
    bed.pass_time(minutes=30)
    assert bed.wake() == ["Three letters, none urgent."]


def test_one_for_nobody_is_silent(bed_for):
    """picoclaw#2120, #2146: what was to run silently spoke."""
    bed = bed_for(said("Three letters, none urgent."))
    row = bed.timed("at", "2026-09-07T01:30Z", "sum up the mail", delivery="none")
    bed.pass_time(minutes=30)
    assert bed.wake() == []
    assert bed.runs(row)[0].outcome == "completed"


def test_a_slow_one_holds_up_none_of_another_session(bed_for):
    """picoclaw's code: what was due ran one after the other."""

    async def scene():
        gate = asyncio.Event()
        provider = Answering(gate)
        bed = await asyncio.to_thread(bed_for, provider=provider)
        hall = SessionId("hall")
        await bed.store.write(lambda tx: people.ensure_session(tx, ME, hall, "terminal"))
        for session in (DESK, hall):
            who = bed.by(session=session, exact=True)
            await bed.book.timed(who, bed.wanted("at", "2026-09-07T01:30Z", f"task of {session}"))
        bed.pass_time(minutes=30)
        host = Host(Duties(bed.room.talk, (bed.waking,), bed.room.attached), (), grace=0.2)
        await host.tick()
        await host.tick()
        await until(lambda: len(provider.asked) == 2)
        gate.set()
        await host.running.settled()

    run(scene())


def test_a_channel_that_fails_fails_no_timed_task(bed_for):
    """picoclaw#1757: an error of the channel ended the task."""
    bed = bed_for(thinks=False)
    row = bed.timed("every", "1h", "drink", kind="text")
    bed.room.channel.mood = "down"
    bed.pass_time(hours=1)
    assert bed.wake() == []
    bed.room.channel.mood = "up"
    bed.pass_time(hours=1)
    assert bed.wake() == ["drink", "drink"]
    assert [one.outcome for one in bed.runs(row)] == ["completed"] * 2


def test_what_tools_say_in_a_heartbeat_reaches_nobody(beating):
    """picoclaw#1824, pull request 1937: what its tools did was shown in the chat."""
    made = beating(call("jot", text="a"), call("peek", text="b"), said("HEARTBEAT_OK"))
    made.tasks("- look after the plants")
    run(wait_a_minute(made))
    assert made.room.channel.texts == []


def test_a_quiet_heartbeat_is_no_empty_answer_and_is_asked_once(beating):
    """openclaw#143714: the quiet mark was taken for an empty answer and asked for again."""
    made = beating(said("HEARTBEAT_OK"))
    made.tasks("- look after the plants")
    run(wait_a_minute(made))
    assert len(made.room.provider.requests) == 1
    assert made.room.turn().state == "done"


def test_a_call_that_is_written_as_text_runs_nothing(bed_for):
    """picoclaw#3153: a call came as text; woken, it reaches nobody either, and the person gets what was promised."""
    leaked = '<tool_call>{"name": "jot", "arguments": {"text": "a"}}</tool_call>'
    bed = bed_for(said(leaked), said(leaked))
    bed.follow_up()
    bed.pass_time(minutes=2)
    assert bed.wake() == ["I said that I would come back to you: I will ask how it went"]
    assert bed.room.effects() == []


def test_a_sub_agent_has_the_tools_of_its_parent(workshop):
    """picoclaw#1713: it had none."""
    here = workshop([call("subagent", task="look at monday"), said("It is free.")], [call("peek", text="monday"), said("free")])

    async def story():
        await here.say("have a look")
        async with here.hosted():
            await here.talk.run(ME, DESK, "en")

    run(story())
    assert [context.origin for context in here.contexts] == ["subagent"]
    assert len(here.provider.sub.requests) == 2


def test_a_sub_agent_of_the_whole_program_asks_the_provider_of_its_parent(data_dir):
    """picoclaw#1322, #1256: it asked another model, by another way out."""
    provider = Two([call("spawn", task="look at monday"), said("I will.")], [said("It is free.")])
    app = open_app(Settings(data_dir=data_dir, model_name="a-model", model_base_url="http://127.0.0.1:9/v1"), "en")
    shown = Shown()
    talk = app.conversations(lambda _user, _session: shown, provider)
    jobs = worker(app.settings, app.toolbox, talk)

    async def story():
        await talk.accept(LOCAL_USER, LOCAL_SESSION, "have a look", channel="terminal")
        await talk.run(LOCAL_USER, LOCAL_SESSION, "en")
        assert await jobs.tick() == 1
        await jobs.drain()
        await talk.run(LOCAL_USER, LOCAL_SESSION, "en")

    run(story())
    app.store.close()
    assert len(provider.sub.requests) == 1
    assert "It is free." in shown.texts[-1]
