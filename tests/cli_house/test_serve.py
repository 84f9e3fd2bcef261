"""One host for each folder, which says where it is and ends in order; who finds something due and no host says so, once, in one line."""

import asyncio
import json
import signal
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from cli_chat.ground import Noting
from cli_house.serving import SECONDS, killed, serving, start
from steadyhand.cli.chat import host as chat_host
from steadyhand.cli.chat.room import Room
from steadyhand.cli.terminal.frame import Frame
from steadyhand.core.clock import to_text
from steadyhand.core.config import load_settings
from steadyhand.core.ids import LOCAL_SESSION, LOCAL_USER
from steadyhand.store import Store
from steadyhand.store.database import locks
from steadyhand.store.later import jobs, wakeups
from steadyhand.store.people import people
from steadyhand.store.sessions import inbox, outbox
from steadyhand.wakeups.seat import seat, seated
from steadyhand.wiring.app import open_app
from store.ground import a_job, a_wakeup


def store_of(data_dir: Path) -> Store:
    return Store(f"sqlite:///{data_dir / 'steadyhand.db'}")


def book(data_dir: Path, *late: timedelta, **columns: Any) -> None:
    """Book reminders that have been due for so long."""
    store = store_of(data_dir)

    def work(tx: Any) -> None:
        people.ensure_session(tx, LOCAL_USER, LOCAL_SESSION, "terminal")
        for number, span in enumerate(late, 1):
            at = to_text(tx.clock.now() - span)
            row = {
                "session_id": LOCAL_SESSION,
                "number": number,
                "due_at": at,
                "meant_at": at,
                "kind": "text",
                "text": f"due {number}",
            }
            row |= {"missed_rule": "run", "exact": True, "family": "cron"}
            wakeups.insert_wakeup(tx, a_wakeup(f"w{number}", LOCAL_USER, **(row | columns)))

    store.write_now(work)
    store.close()


# ---- the line ----------------------------------------------------------------------------------------------------------


def test_a_command_says_in_one_line_that_reminders_are_due_and_nobody_sees_to_them(steady, data_dir):
    steady("user", "show")
    book(data_dir, timedelta(minutes=1), timedelta(minutes=2))
    done = steady("--lang", "en", "change", "list")
    assert done.err == "2 reminders are due; start `steady serve`\n"
    assert "reminders" not in done.out
    assert steady("--lang", "zh-CN", "change", "list").err == "有 2 个提醒已到期；请启动 `steady serve`\n"


def test_one_reminder_is_one(steady, data_dir):
    steady("user", "show")
    book(data_dir, timedelta(minutes=1))
    assert steady("--lang", "en", "change", "list").err == "1 reminder is due; start `steady serve`\n"


def test_a_command_that_books_says_that_it_comes_only_with_a_host_and_the_next_command_does_not(steady, data_dir):
    booked = steady("--lang", "en", "cron", "add", "Stretch", "--every", "2h", "--say")
    assert "comes on time only while `steady serve` runs" in booked.err
    assert steady("--lang", "en", "change", "list").err == ""
    assert steady("--json", "cron", "add", "Drink", "--every", "2h", "--say").err == ""
    store = store_of(data_dir)
    with locks.exclusive(store, "host"):
        assert steady("--lang", "en", "cron", "add", "Walk", "--every", "2h", "--say").err == ""
    store.close()


def test_the_line_is_not_for_programs_nor_where_nothing_is_due_nor_where_a_host_is(steady, data_dir):
    steady("user", "show")
    book(data_dir, timedelta(minutes=-5))
    assert steady("change", "list").err == ""
    book_heartbeat(data_dir)
    assert steady("change", "list").err == ""
    store = store_of(data_dir)
    store.write_now(lambda tx: [wakeups.change(tx, row, due_at=tx.now()) for row in wakeups.of_user(tx, LOCAL_USER)])
    assert steady("--json", "change", "list").err == ""
    assert steady("--help").err == ""
    with locks.exclusive(store, "host"):
        assert steady("change", "list").err == ""
    assert steady("change", "list").err != ""
    store.close()


def book_heartbeat(data_dir: Path) -> None:
    store = store_of(data_dir)
    row = a_wakeup("beat", LOCAL_USER, number=0, family="heartbeat", session_id=None, due_at="2020-01-01T00:00:00.000000Z")
    store.write_now(lambda tx: wakeups.insert_wakeup(tx, row))
    store.close()


# ---- the doctor --------------------------------------------------------------------------------------------------------


def looks(done: Any, topic: str) -> list[dict[str, Any]]:
    return [look for look in done.data["looks"] if look["topic"] == topic]


def test_the_doctor_raises_the_alarm_when_something_has_been_due_for_too_long(steady, data_dir):
    steady("user", "show")
    assert [(look["level"], look["code"]) for look in looks(steady("--json", "doctor"), "due")] == [("ok", "due_none")]
    book(data_dir, timedelta(minutes=4), timedelta(minutes=6), timedelta(days=3))
    (look,) = looks(steady("--json", "doctor"), "due")
    assert (look["level"], look["code"], look["values"]) == ("warn", "due_unhosted", {"count": 2, "minutes": 5})
    store = store_of(data_dir)
    with locks.exclusive(store, "host"):
        (look,) = looks(steady("--json", "doctor"), "due")
        assert (look["level"], look["code"]) == ("warn", "due_hosted")
        assert next(look["code"] for look in looks(steady("--json", "doctor"), "host")) == "hosted_somewhere"
    store.close()


def test_the_doctor_tells_of_jobs_that_nobody_runs(steady, data_dir):
    steady("user", "show")
    store = store_of(data_dir)
    old = to_text(store.clock.now() - timedelta(hours=1))
    job = a_job("job_1", LOCAL_USER, state="queued", updated_at=old, created_at=old)
    store.write_now(lambda tx: jobs.insert_job(tx, job))
    store.close()
    assert [look["code"] for look in looks(steady("--json", "doctor"), "due")] == ["due_none", "jobs_unhosted"]


# ---- the host ----------------------------------------------------------------------------------------------------------


def test_the_first_host_is_named_to_the_second_and_ends_in_order(steady, data_dir):
    steady("user", "show")
    with serving(data_dir) as child:
        refused = steady("--lang", "en", "serve")
        assert refused.code == 1
        assert f"There is a host already: steady serve, process {child.pid}, since " in refused.err
        assert steady("--json", "serve").data["error"]["code"] == "host_there"
        assert [look["values"]["pid"] for look in looks(steady("--json", "doctor"), "host") if look["code"] == "hosted"] == [
            child.pid
        ]
        child.send_signal(signal.SIGTERM)
        _, told = child.communicate(timeout=SECONDS)
        assert child.returncode == 0, told
        assert f"Hosting {data_dir} (process {child.pid})." in told
        assert "Traceback" not in told
    assert not (data_dir / "host.json").exists()


def test_a_host_sees_to_what_is_due_when_it_starts(steady, data_dir):
    steady("user", "show")
    book(data_dir, timedelta(minutes=1), timedelta(minutes=2))
    store = store_of(data_dir)
    with serving(data_dir):
        wait_until(lambda: len(store.read_now(lambda tx: outbox.unsent(tx, LOCAL_USER, LOCAL_SESSION))) == 2)
    said = [row.content for row in store.read_now(lambda tx: outbox.unsent(tx, LOCAL_USER, LOCAL_SESSION))]
    assert {text.splitlines()[-1] for text in said} == {"due 1", "due 2"}
    assert all("late" in text.splitlines()[0] or "晚了" in text.splitlines()[0] for text in said)
    store.close()


def wait_until(holds: Any) -> None:
    end = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.05)


@pytest.mark.crash
def test_the_seat_of_a_host_that_was_killed_is_taken_by_the_next(steady, data_dir):
    steady("user", "show")
    with serving(data_dir) as first:
        killed(first)
        with serving(data_dir) as second:
            assert json.loads((data_dir / "host.json").read_text(encoding="utf-8"))["pid"] == second.pid


def test_programs_read_where_the_host_is_and_its_channels_answer(steady, data_dir):
    steady("user", "show")
    with serving(data_dir, "--json", "serve", STEADYHAND_CHANNEL_PORT="0") as child:
        assert child.stdout is not None
        told = json.loads("".join(child.stdout.readline() for _ in range(6)))
        assert told["pid"] == child.pid
        wait_until(lambda: httpx.get(f"{told['address']}/healthz", timeout=SECONDS).status_code in (200, 401, 403))
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=SECONDS)
        assert child.returncode == 0


def test_a_port_that_is_taken_ends_the_host_at_its_start_and_frees_the_seat(steady, data_dir):
    import socket

    steady("user", "show")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        child = start(data_dir, "serve", STEADYHAND_CHANNEL_PORT=str(taken.getsockname()[1]))
        _, told = child.communicate(timeout=SECONDS)
    assert child.returncode == 1
    assert "Traceback" not in told
    store = store_of(data_dir)
    assert seated(store) is None
    store.close()


def test_a_worker_needs_a_server(steady, data_dir):
    done = steady("--lang", "en", "worker")
    assert done.code == 2
    assert "steady worker needs a PostgreSQL database." in done.err


@pytest.mark.postgres
def test_a_worker_shares_the_work_of_a_server(steady, data_dir, postgres_url):
    environment = {"STEADYHAND_DATABASE_URL": postgres_url}
    migrated = start(data_dir, "migrate", **environment)
    assert migrated.communicate(timeout=SECONDS)
    store = Store(postgres_url)
    listed = start(data_dir, "user", "show", **environment)
    assert listed.communicate(timeout=SECONDS)
    at = to_text(store.clock.now())
    row = a_wakeup("w", LOCAL_USER, session_id=LOCAL_SESSION, kind="text", text="due", family="cron", missed_rule="run")
    workers = [start(data_dir, name, **environment) for name in ("worker", "serve", "worker")]
    for worker in workers:
        assert worker.stderr.readline(), "it says that it is there, and from then on it ends when it is asked to"
    wait_until(lambda: seated(store) is not None)
    store.write_now(lambda tx: people.ensure_session(tx, LOCAL_USER, LOCAL_SESSION, "terminal"))
    store.write_now(lambda tx: wakeups.insert_wakeup(tx, row))
    store.write_now(lambda tx: wakeups.change(tx, row, due_at=at, meant_at=at))
    wait_until(lambda: len(store.read_now(lambda tx: outbox.unsent(tx, LOCAL_USER, LOCAL_SESSION))) == 1)
    for worker in workers:
        worker.terminate()
    assert [(worker.communicate(timeout=SECONDS), worker.returncode)[1] for worker in workers] == [0, 0, 0]
    assert len(store.read_now(lambda tx: outbox.unsent(tx, LOCAL_USER, LOCAL_SESSION))) == 1
    store.close()


# ---- the chat as host --------------------------------------------------------------------------------------------------


@pytest.fixture
def app(data_dir, monkeypatch):
    monkeypatch.setenv("STEADYHAND_DATA_DIR", str(data_dir))
    opened = open_app(load_settings(), "en")
    yield opened
    opened.store.close()


def sitting(app: Any) -> Room:
    room = Room(app, "en", Noting())
    room.session = LOCAL_SESSION
    return room


def test_a_chat_is_the_host_while_it_is_open_and_says_so(app):
    frame, room = Frame(), sitting(app)
    other = "other"

    def arrive(tx: Any) -> None:
        for session in (LOCAL_SESSION, other):
            people.ensure_session(tx, LOCAL_USER, session, "terminal")
            inbox.accept(tx, LOCAL_USER, session, "job", {"delivery": "none"})

    async def story() -> None:
        stop = asyncio.Event()
        hosting = asyncio.create_task(chat_host.host_meanwhile(frame, room, stop))
        await until(lambda: frame.hosts)
        there = seated(app.store)
        assert there is not None
        assert there.what == "chat"
        room.talk.takes("job", settle)
        app.store.write_now(arrive)
        await until(lambda: not app.store.read_now(lambda tx: inbox.waiting(tx, LOCAL_USER, other)))
        assert app.store.read_now(lambda tx: inbox.waiting(tx, LOCAL_USER, LOCAL_SESSION)), "the room's own session is the room's"
        stop.set()
        await hosting

    async def settle(held: Any, inbound: Any, *_: Any) -> None:
        def work(tx: Any) -> None:
            inbox.start(tx, held.user, [inbound.id], inbound.id)
            inbox.settle(tx, held.user, inbound.id)

        app.store.write_now(work)

    asyncio.run(story())
    assert not frame.hosts
    assert seated(app.store) is None
    assert room.face.notes == ["No host was running: this chat sees to reminders and background jobs while it is open."]


async def until(holds: Any) -> None:
    end = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < end, "it did not come about"
        await asyncio.sleep(0.01)


def test_a_chat_is_no_host_beside_another_and_becomes_it_when_that_one_is_gone(app, data_dir, monkeypatch):
    monkeypatch.setattr(chat_host, "TRY_SECONDS", 0.02)
    frame, room = Frame(), sitting(app)
    other = store_of(data_dir)

    async def story() -> None:
        stop = asyncio.Event()
        async with seat(other, "serve"):
            hosting = asyncio.create_task(chat_host.host_meanwhile(frame, room, stop))
            await asyncio.sleep(0.2)
            assert not frame.hosts
            assert room.face.notes == []
        await until(lambda: frame.hosts)
        stop.set()
        await hosting

    asyncio.run(story())
    other.close()


def test_a_host_that_breaks_does_not_end_the_chat(app, monkeypatch):
    monkeypatch.setattr(chat_host, "TRY_SECONDS", 0.01)
    room, tries = sitting(app), []

    def broken(_room: Any, _holds: Any) -> Any:
        tries.append(1)
        raise LookupError

    monkeypatch.setattr(chat_host, "_host", broken)

    async def story() -> None:
        stop = asyncio.Event()
        hosting = asyncio.create_task(chat_host.host_meanwhile(Frame(), room, stop))
        await until(lambda: len(tries) >= 3)
        stop.set()
        await hosting

    asyncio.run(story())


def test_the_doctor_counts_what_was_taken_up_and_has_not_begun(steady, data_dir):
    steady("user", "show")
    book(data_dir, timedelta(minutes=6))
    store = store_of(data_dir)
    old = {"status": "running", "triggered_at": to_text(store.clock.now() - timedelta(minutes=6))}
    store.write_now(lambda tx: [wakeups.change(tx, row, **old) for row in wakeups.of_user(tx, LOCAL_USER)])
    store.close()
    found = [(look["code"], look["values"]) for look in looks(steady("--json", "doctor"), "due") if look["level"] == "warn"]
    assert found == [("taken_up_unbegun", {"count": 1, "minutes": 5})]
