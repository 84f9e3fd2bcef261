"""Jobs are started within bounds, found and cancelled by their own person alone, and a parent takes what it started with it."""

import asyncio
from datetime import timedelta

import pytest

from jobs.ground import DESK, ME, OTHER, Agent, trial
from steadyhand.core.errors import Bug, ToolRefusal
from steadyhand.core.language import LANGUAGES
from steadyhand.jobs import ending, telling
from steadyhand.jobs.book import MOST_DEPTH, MOST_OPEN, OwnJobs, Start
from steadyhand.store.later import jobs
from steadyhand.store.people import people


def refusal(work):
    with pytest.raises(ToolRefusal) as refused:
        asyncio.run(work)
    return refused.value.code


def test_numbers_ascend_for_each_person_by_themselves(house):
    async def story():
        return [(await house.start(user=user)).number for user in (ME, ME, OTHER, ME)]

    assert asyncio.run(story()) == [1, 2, 1, 3]


@pytest.mark.parametrize("body", ["os:system", "steadyhand.jobs.book", ""])
def test_what_names_no_body_is_not_started(house, body):
    with pytest.raises(Bug):
        asyncio.run(house.book.start(Start(ME, DESK, "body", "title", body)))


@pytest.mark.parametrize("kind", ["body", "agent"])
def test_only_so_many_are_open_at_once_for_one_person(house, kind):
    async def fill():
        for _ in range(MOST_OPEN[kind]):
            await house.start(kind=kind)
        await house.start(kind=kind, user=OTHER)
        await house.start(kind="agent" if kind == "body" else "body")

    asyncio.run(fill())
    assert refusal(house.start(kind=kind)) == "job_too_many"
    assert len(house.store.read_now(lambda tx: jobs.of_user(tx, ME))) == MOST_OPEN[kind] + 1
    asyncio.run(house.book.cancel(ME, 1))
    asyncio.run(house.start(kind=kind))


def test_the_bound_holds_when_many_start_at_once(house):
    async def story():
        return await asyncio.gather(*(house.start(kind="agent") for _ in range(12)), return_exceptions=True)

    refused = [one.code for one in asyncio.run(story()) if isinstance(one, ToolRefusal)]
    assert refused == ["job_too_many"] * (12 - MOST_OPEN["agent"])


def test_jobs_start_others_only_so_deep_and_only_while_they_run(house):
    async def story():
        agent = Agent()
        worker = house.worker(agent)
        job = await house.start(kind="agent", title="1")
        for depth in range(2, MOST_DEPTH + 1):
            await worker.tick()
            await house.until(lambda job=job: house.row(job).started_at)
            job = await house.start(kind="agent", title=str(depth), parent=job.id)
            assert job.depth == depth
        await worker.tick()
        await house.until(lambda: house.row(job).started_at)
        with pytest.raises(ToolRefusal, match="job_too_deep"):
            await house.start(kind="agent", parent=job.id)
        agent.go.set()
        await worker.drain()
        with pytest.raises(ToolRefusal, match="job_parent_ended"):
            await house.start(kind="agent", parent=job.id)

    asyncio.run(story())


def test_cancelling_a_job_cancels_what_it_has_started_and_that_starts_no_more(house):
    async def story():
        worker = house.worker(Agent())
        parent = await house.start(kind="agent", title="parent")
        await worker.tick()
        running = await house.start(kind="agent", title="running", parent=parent.id, delivery="none")
        await worker.tick()
        await house.until(lambda: house.row(running).started_at and house.row(parent).started_at)
        waiting = await house.start("count", title="waiting", parent=running.id)
        other = await house.start(title="other")
        await house.book.cancel(ME, parent.number)
        with pytest.raises(ToolRefusal, match="job_parent_ended"):
            await house.start(kind="agent", parent=parent.id)
        await worker.drain()
        return [house.row(job).state for job in (parent, running, waiting, other)]

    assert asyncio.run(story()) == ["cancelled", "cancelled", "cancelled", "queued"]


def test_nobody_finds_or_cancels_a_job_of_somebody_else(house):
    job = asyncio.run(house.start())
    for work in (house.book.find(OTHER, job.number), house.book.cancel(OTHER, job.number)):
        assert refusal(work) == "job_unknown"
    assert asyncio.run(house.book.list(OTHER)) == []
    assert house.row(job).state == "queued"


def test_a_job_sees_and_cancels_only_what_it_has_started(house):
    async def story():
        worker = house.worker(Agent())
        parent = await house.start(kind="agent", title="parent")
        await worker.tick()
        await house.until(lambda: house.row(parent).started_at)
        own = OwnJobs(house.book, ME, DESK, parent.id, parent=parent.id, tools=["peek"])
        child = await own.start_body(
            trial("count"), "child", call="call_1", arguments={}, delivery="none", repeatable=True, seconds=5.0
        )
        assert (child.parent_id, child.reply_to["call"], child.repeatable) == (parent.id, "call_1", True)
        assert [row.number for row in await own.list()] == [child.number]
        for work in (own.find, own.cancel):
            with pytest.raises(ToolRefusal, match="job_unknown"):
                await work(parent.number)
        assert (await own.cancel(child.number)).state == "cancelled"
        await house.close()

    asyncio.run(story())


def test_waiting_for_a_job_ends_with_it(house):
    async def story():
        job = await house.start()
        waiting = asyncio.create_task(house.book.ended(ME, job.id))
        await house.work()
        return await waiting

    assert asyncio.run(story()).state == "done"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("state", jobs.ENDED)
def test_every_end_has_words_in_both_languages(house, clock, language, state):
    house.store.write_now(lambda tx: people.change_user(tx, ME, language=language))
    job = asyncio.run(house.start(title="look\x1b[31m up"))
    clock.advance(timedelta(seconds=1))
    reason = "" if state == "done" else "job_lost"
    ended = ending.Ended(state, "the details", "for you", reason=reason)

    def work(tx):
        found = ending.end(tx, ME, job.id, None, ended)
        ending.tell(tx, found)
        return found

    row = house.store.write_now(work)
    (text,) = house.owed()
    assert "1" in text
    assert text.endswith("for you")
    assert bool(ending.why(row, language)) == (state != "done")
    assert "the details" in telling.whole(row, language)
    assert "\x1b" not in telling.line(row, language)
    assert telling.job_json(row)["state"] == state
    assert telling.cancelling(row, language)


def test_how_far_a_job_is_stands_on_its_line(house):
    row = asyncio.run(house.start())
    far = [{"done": 3, "total": 10, "note": "pages"}, {"done": 3, "total": 0, "note": ""}, None]
    said = [telling.line(row.__class__(**{**fields(row), "state": "running", "progress": one}), "en") for one in far]
    assert said == ["1. count: running (3 of 10, pages)", "1. count: running (3)", "1. count: running"]


def fields(row):
    return {name: getattr(row, name) for name in jobs.COLUMNS}
