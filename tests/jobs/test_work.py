"""Queued jobs are claimed once, run within limits, ended when asked, and their end is told once, to whom it is for."""

import asyncio
from datetime import timedelta

import pytest

from jobs.ground import DESK, ME, OTHER, Agent
from steadyhand.core import owners
from steadyhand.core.errors import StoreUnavailable
from steadyhand.jobs import ending
from steadyhand.store.sessions import conversations


def told(house, user=ME):
    return [(one.body["state"], one.body["delivery"], one.state) for one in house.inbounds(user)]


def test_a_body_runs_in_a_child_and_its_end_is_told_to_the_person_once(house):
    async def story():
        job = await house.start("count", arguments={"steps": 3})
        assert (job.state, job.number, job.attempt) == ("queued", 1, 0)
        await house.work()
        return house.row(job)

    row = asyncio.run(story())
    assert (row.state, row.attempt, row.result["data"], row.reason) == ("done", 1, 3, "")
    assert row.started_at
    assert row.ended_at
    assert row.told_at
    assert row.owner is None
    assert row.owner_token is None
    assert house.owed() == ["Job 1, count: done."]
    assert told(house) == [("done", "user", "settled")]
    history = house.store.read_now(lambda tx: conversations.history(tx, ME, DESK))
    assert [(said.role, said.source, said.content) for said in history] == [("assistant", "job", "Job 1, count: done.")]


@pytest.mark.parametrize(
    ("delivery", "owed", "state"),
    [("user", 1, "settled"), ("parent", 0, "accepted"), ("both", 1, "accepted"), ("none", 0, "settled")],
)
def test_the_end_goes_to_whom_its_delivery_says_and_is_one_inbound_in_any_case(house, delivery, owed, state):
    async def story():
        await house.start(delivery=delivery)
        await house.work()

    asyncio.run(story())
    assert len(house.owed()) == owed
    assert told(house) == [("done", delivery, state)]


@pytest.mark.parametrize(
    ("body", "state", "reason", "words"),
    [
        ("raise_known", "failed", "calendar_unreadable", "failed"),
        ("raise_unknown", "failed", "job_failed", "failed"),
        ("shoot_itself", "failed", "job_killed", "failed"),
    ],
)
def test_a_body_that_does_not_come_to_its_end_is_told_as_what_it_is(house, body, state, reason, words):
    async def story():
        job = await house.start(body, arguments={})
        await house.work()
        return house.row(job)

    row = asyncio.run(story())
    assert (row.state, row.reason) == (state, reason)
    assert told(house) == [(state, "user", "settled")]
    assert words in house.owed()[0]


def test_work_that_takes_too_long_is_ended_and_told_as_that(house):
    async def story():
        body = await house.start("wait_forever", arguments={}, seconds=0.5)
        agent = await house.start(kind="agent", title="look", seconds=0.2)
        await house.work(house.worker(Agent()))
        return house.row(body), house.row(agent)

    body, agent = asyncio.run(story())
    assert (body.state, body.reason) == ("timed_out", "job_timed_out")
    assert (agent.state, agent.reason, agent.result["for_user"]) == ("timed_out", "job_timed_out", "half of it")
    assert len(house.owed()) == 2
    assert any("half of it" in text for text in house.owed()), "what it had found is not thrown away"


def test_progress_is_on_record_while_the_work_goes_on(house):
    async def story():
        agent = Agent()
        job = await house.start(kind="agent", title="look")
        worker = house.worker(agent)
        await worker.tick()
        await house.until(lambda: house.row(job).progress is not None)
        running = house.row(job)
        agent.go.set()
        await worker.drain()
        return running, house.row(job)

    running, ended = asyncio.run(story())
    assert (running.state, running.progress) == ("running", {"done": 1, "total": 2, "note": "half way"})
    assert (ended.state, ended.result["for_llm"]) == ("done", "everything")
    assert house.owed() == ["Job 1, look: done.\nall of it"]


def test_a_queued_job_is_cancelled_at_once_and_never_runs(house):
    async def story():
        job = await house.start()
        found = await house.book.cancel(ME, job.number)
        worker = await house.work()
        return found, house.row(job), worker.running

    found, row, running = asyncio.run(story())
    assert (found.state, row.state, row.started_at, running) == ("cancelled", "cancelled", None, 0)
    assert told(house) == [("cancelled", "user", "settled")]


def test_a_running_job_is_asked_to_end_and_its_child_is_ended(house):
    async def story():
        body = await house.start("wait_forever", arguments={"deaf": True})
        agent = await house.start(kind="agent", title="look")
        worker = house.worker(Agent())
        await worker.tick()
        await house.until(lambda: house.row(body).progress is not None and house.row(agent).started_at)
        asked = [await house.book.cancel(ME, job.number) for job in (body, agent)]
        await worker.drain()
        return [row.state for row in asked], house.row(body), house.row(agent)

    asked, body, agent = asyncio.run(story())
    assert asked == ["running", "running"]
    assert (body.state, body.reason) == ("cancelled", "job_cancelled")
    assert (agent.state, agent.result["for_llm"]) == ("cancelled", "as far as it came")
    assert sorted(state for state, _, _ in told(house)) == ["cancelled", "cancelled"]


def test_a_second_wish_to_cancel_changes_nothing(house):
    async def story():
        job = await house.start()
        await house.work()
        return await house.book.cancel(ME, job.number)

    assert asyncio.run(story()).state == "done"
    assert len(house.owed()) == 1


def test_work_that_raises_in_this_process_is_failed_and_the_worker_goes_on(house):
    async def story():
        agent = Agent()
        agent.go.set()
        broken = await house.start(kind="agent", title="broken", arguments={"raise": True})
        whole = await house.start(kind="agent", title="whole")
        await house.work(house.worker(agent))
        return house.row(broken), house.row(whole)

    broken, whole = asyncio.run(story())
    assert (broken.state, broken.reason, whole.state) == ("failed", "job_failed", "done")


def test_only_so_many_bodies_run_at_once_and_agents_do_not_wait_for_them(house):
    async def story():
        bodies = [await house.start("wait_forever", arguments={}) for _ in range(3)]
        agents = [await house.start(kind="agent", title="look") for _ in range(3)]
        agent = Agent()
        worker = house.worker(agent, most_bodies=1)
        claimed = [await worker.tick(), await worker.tick()]
        await house.until(lambda: len(agent.began) == 3)
        states = [house.row(job).state for job in (*bodies, *agents)]
        await house.close()
        return claimed, states

    claimed, states = asyncio.run(story())
    assert claimed == [4, 0]
    assert states == ["running", "queued", "queued", "running", "running", "running"]


def test_nobody_claims_an_agents_job_who_cannot_run_it(house):
    async def story():
        job = await house.start(kind="agent", title="look")
        await house.work()
        return house.row(job)

    assert asyncio.run(story()).state == "queued"


def test_many_workers_claim_each_job_once(house):
    async def story():
        agent = Agent()
        agent.go.set()
        for user in (ME, OTHER):
            for _ in range(5):
                await house.start(kind="agent", title="look", user=user)
        workers = [house.worker(agent) for _ in range(4)]
        claimed = await asyncio.gather(*(worker.tick() for worker in workers))
        for worker in workers:
            await worker.drain()
        return sum(claimed), agent.began

    claimed, began = asyncio.run(story())
    assert claimed == 10
    assert sorted(began) == sorted([*range(1, 6), *range(1, 6)])
    assert len(house.owed(ME)) == len(house.owed(OTHER)) == 5


def test_a_lease_is_renewed_while_the_work_goes_on(house, clock):
    async def story():
        agent = Agent()
        job = await house.start(kind="agent", title="look")
        worker = house.worker(agent, lease_seconds=3.0)
        await worker.tick()
        first = house.row(job).lease_until
        clock.advance(timedelta(seconds=2))
        await house.until(lambda: house.row(job).lease_until > first)
        agent.go.set()
        await worker.drain()

    asyncio.run(story())


def gone(monkeypatch):
    monkeypatch.setattr(owners, "is_gone", lambda claim, now: True)


@pytest.mark.parametrize(
    ("started", "repeatable", "asked", "state", "attempt"),
    [
        (False, False, False, "queued", 0),
        (False, False, True, "cancelled", 1),
        (True, False, False, "unknown", 1),
        (True, True, False, "queued", 1),
        (True, True, True, "cancelled", 1),
        (True, False, True, "unknown", 1),
    ],
)
def test_what_a_gone_process_had_in_hand_is_done_again_only_where_that_is_safe(
    house, monkeypatch, started, repeatable, asked, state, attempt
):
    async def story():
        job = await house.start(repeatable=repeatable)
        dead = house.worker()
        (row,) = house.store.write_now(lambda tx: dead._claim(tx, {"body": 1}))
        if started:
            house.store.write_now(lambda tx: dead._begin(tx, row))
        if asked:
            await house.book.cancel(ME, job.number)
        gone(monkeypatch)
        await house.worker().recover()
        return house.row(job)

    row = asyncio.run(story())
    assert (row.state, row.attempt) == (state, attempt)
    assert told(house) == ([(state, "user", "settled")] if state in ("unknown", "cancelled") else [])
    if state == "unknown":
        assert "unknown" in house.owed()[0]
        assert "not run again" in house.owed()[0]


def test_repeatable_work_is_begun_at_most_twice(house, monkeypatch):
    async def story():
        job = await house.start(repeatable=True)
        gone(monkeypatch)
        for _ in range(2):
            dead = house.worker()
            (row,) = house.store.write_now(lambda tx, dead=dead: dead._claim(tx, {"body": 1}))
            house.store.write_now(lambda tx, dead=dead, row=row: dead._begin(tx, row))
            await house.worker().recover()
        return house.row(job)

    row = asyncio.run(story())
    assert (row.state, row.attempt) == ("unknown", 2)


def test_a_worker_that_lost_a_job_to_another_does_not_record_its_end(house):
    async def story():
        agent = Agent()
        job = await house.start(kind="agent", title="look")
        worker = house.worker(agent)
        await worker.tick()
        await house.until(lambda: house.row(job).started_at)
        token = house.row(job).owner_token
        house.store.write_now(lambda tx: ending.settle_lost(tx, ME, job.id, token))
        agent.go.set()
        await worker.drain()
        return house.row(job)

    row = asyncio.run(story())
    assert row.state == "unknown"
    assert len(house.owed()) == 1


def test_an_end_that_was_not_told_is_told_later_and_once(house):
    async def story():
        job = await house.start()
        worker = house.worker()
        (row,) = house.store.write_now(lambda tx: worker._claim(tx, {"body": 1}))
        house.store.write_now(lambda tx: ending.end(tx, ME, job.id, row.owner_token, ending.Ended("done", for_user="found")))
        assert house.owed() == []
        for _ in range(2):
            await house.worker().recover()
        return house.row(job)

    row = asyncio.run(story())
    assert row.told_at is not None
    assert house.owed() == ["Job 1, count: done.\nfound"]
    assert len(house.inbounds()) == 1


def test_a_session_that_is_gone_is_told_nothing_and_the_result_stays(house):
    async def story():
        job = await house.start()
        house.store.write_now(lambda tx: conversations.delete_session(tx, ME, DESK))
        await house.work()
        return house.row(job)

    row = asyncio.run(story())
    assert (row.state, row.told_at is not None) == ("done", True)


def test_closing_ends_what_runs_and_leaves_it_as_work_whose_process_is_gone(house):
    async def story():
        once = await house.start("wait_forever", arguments={})
        again = await house.start("wait_forever", arguments={}, repeatable=True)
        worker = house.worker()
        await worker.tick()
        await house.until(lambda: house.row(once).progress and house.row(again).progress)
        await worker.close(0.0)
        assert await worker.tick() == 0
        return house.row(once), house.row(again)

    once, again = asyncio.run(story())
    assert (once.state, once.reason) == ("unknown", "job_lost")
    assert (again.state, again.started_at) == ("queued", None)


def test_closing_lets_what_ends_in_time_end(house):
    async def story():
        job = await house.start()
        worker = house.worker()
        await worker.tick()
        await worker.close(30.0)
        return house.row(job)

    assert asyncio.run(story()).state == "done"


def test_a_result_too_large_for_its_row_is_kept_in_a_file_that_is_named(house):
    kept = {}

    async def keep(name, text):
        kept[name] = text
        return name

    async def story():
        job = await house.start("big", arguments={"characters": 100_000}, delivery="both")
        await house.work(house.worker(keep=keep))
        plain = await house.start("big", arguments={"characters": 100_000}, delivery="none")
        await house.work(house.worker())
        return house.row(job), house.row(plain)

    row, plain = asyncio.run(story())
    assert kept["jobs/job-1.txt"].count("课") == 100_000
    assert row.result["data"]["large"]["file"] == "jobs/job-1.txt"
    assert "jobs/job-1.txt" in house.owed()[0]
    assert "jobs/job-1.txt" in house.waiting()[0].body["for_llm"]
    assert set(plain.result["data"]["large"]) == {"bytes"}


def test_an_end_that_cannot_be_stored_at_once_is_stored_when_the_database_is_back(house, monkeypatch):
    failures = iter([True, True])
    write = house.store.write

    async def failing(unit):
        if "_record" in getattr(unit, "__qualname__", "") and next(failures, False):
            raise StoreUnavailable("store_busy", reason="locked")
        return await write(unit)

    async def story():
        job = await house.start()
        monkeypatch.setattr(house.store, "write", failing)
        await house.work()
        return house.row(job)

    assert asyncio.run(story()).state == "done"
    assert next(failures, None) is None
    assert len(house.owed()) == 1


def test_an_end_that_cannot_be_stored_at_all_is_told_as_unknown(house, monkeypatch):
    write = house.store.write

    async def failing(unit):
        if "_record" in getattr(unit, "__qualname__", ""):
            raise StoreUnavailable("store_busy", reason="locked")
        return await write(unit)

    async def story():
        job = await house.start()
        worker = house.worker()
        with monkeypatch.context() as patch:
            patch.setattr(house.store, "write", failing)
            await worker.tick()
            await worker.drain()
        await worker.recover()
        return house.row(job)

    assert asyncio.run(story()).state == "unknown"


def test_idle_ticks_write_nothing(house, monkeypatch):
    async def story():
        worker = house.worker()
        await worker.tick()

        async def refuse(unit):
            raise AssertionError("a tick with nothing to do wrote")

        monkeypatch.setattr(house.store, "write", refuse)
        for _ in range(3):
            assert await worker.tick() == 0

    asyncio.run(story())
