"""`steady job` lists, shows and cancels the local person's jobs, and nobody else's."""

import asyncio

import pytest

from steadyhand.core.clock import SystemClock
from steadyhand.core.ids import LOCAL_USER, SessionId, UserId
from steadyhand.core.language import LANGUAGES
from steadyhand.jobs.book import Book, Start
from steadyhand.jobs.ending import Ended, end, tell
from steadyhand.store import Store
from steadyhand.store.later import jobs
from steadyhand.store.people import people
from steadyhand.store.sessions import outbox
from store.ground import person

OTHER, DESK = UserId("another"), SessionId("desk")


@pytest.fixture
def store(steady, data_dir):
    steady("user", "show")
    opened = Store(f"sqlite:///{data_dir / 'steadyhand.db'}", SystemClock())

    def work(tx):
        people.add_user(tx, person(OTHER))
        people.ensure_session(tx, LOCAL_USER, DESK, "terminal")

    opened.write_now(work)
    yield opened
    opened.close()


@pytest.fixture
def worked(store):
    """A job that is done, one that runs, one that waits, and one of somebody else."""
    book = Book(store)

    async def start():
        made = [await book.start(Start(LOCAL_USER, DESK, "agent", title)) for title in ("look", "count", "wait")]
        await book.start(Start(OTHER, DESK, "agent", "secret"))
        return made

    done, running, _ = asyncio.run(start())

    def work(tx):
        tell(tx, end(tx, LOCAL_USER, done.id, None, Ended("done", "all the details", "the summary")))
        jobs.change(tx, running, state="running", owner_token="token", started_at=tx.now())
        jobs.report(tx, LOCAL_USER, running.id, "token", {"done": 3, "total": 9, "note": ""})

    store.write_now(work)
    return store


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_jobs_it_says_so(store, steady, language):
    done = steady("--lang", language, "job", "list")
    assert done.code == 0
    assert done.out.strip()
    assert steady("job", "list", "--json").data == {"jobs": []}


def test_jobs_are_listed_the_newest_first_with_how_far_they_are(worked, steady):
    assert steady("job", "list").out.splitlines() == ["3. wait: waiting", "2. count: running (3 of 9)", "1. look: done"]
    assert [row["number"] for row in steady("job", "list", "--open", "--json").data["jobs"]] == [3, 2]
    assert steady("--lang", "zh-CN", "job", "list").out.splitlines()[1] == "2. count：运行中（3 / 9）"


def test_a_job_is_shown_with_what_it_came_to(worked, steady):
    assert steady("job", "show", 1).out.splitlines() == ["1. look: done", "all the details"]
    row = steady("job", "show", 1, "--json").data["job"]
    assert (row["state"], row["delivery"], row["result"]["for_user"]) == ("done", "user", "the summary")


def test_a_job_that_waits_is_cancelled_at_once_and_one_that_runs_is_asked(worked, steady):
    assert "is cancelled" in steady("job", "cancel", 3).out
    assert "asked to end" in steady("job", "cancel", 2).out
    assert "ended already" in steady("job", "cancel", 1).out
    assert [row["state"] for row in steady("job", "list", "--json").data["jobs"]] == ["cancelled", "running", "done"]
    owed = worked.read_now(lambda tx: outbox.unsent(tx, LOCAL_USER, DESK))
    assert [row.content.split(":")[0] for row in owed] == ["Job 1, look", "Job 3, wait, was cancelled"]


@pytest.mark.parametrize("command", ["show", "cancel"])
def test_a_number_that_is_not_there_is_refused(worked, steady, command):
    done = steady("job", command, 9)
    assert (done.code, done.err.splitlines()[0]) == (2, "There is no job 9.")
    assert steady("job", command, 0).code == 2
