"""One process is the host of a database file, the next one hears which; the seat is free when its process is gone, however it went."""

import asyncio
import json
import os
import signal
import subprocess
import sys

import pytest

from steadyhand.store import Store
from steadyhand.store.database.locks import exclusive, is_held
from steadyhand.wakeups.seat import LOCK, Seated, seat, seated
from wakeups.test_host import until

HOLDER = """
import asyncio, sys
from steadyhand.store import Store
from steadyhand.wakeups.seat import seat

async def main():
    async with seat(Store(sys.argv[1]), "serve") as own:
        print("got" if own else "refused", flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


SUSPENDED = """
import asyncio, sys
from steadyhand.store import Store
from steadyhand.wakeups.seat import seat

async def main():
    async with seat(Store(sys.argv[1]), "serve") as own:
        print("got", flush=True)
        while own.holds():
            await asyncio.sleep(0.01)
        print("lost", flush=True)

asyncio.run(main())
"""


@pytest.fixture
def store(database_url):
    opened = Store(database_url)
    yield opened
    opened.close()


def test_the_first_is_the_host_and_is_named_to_the_second(data_dir):
    first, second = (Store(f"sqlite:///{data_dir / 'steadyhand.db'}") for _ in range(2))

    async def both() -> None:
        assert seated(second) is None
        async with seat(first, "serve") as own, seat(second, "chat", wait_seconds=0.0) as other:
            assert own == Seated("serve", os.getpid(), own.since if own else "")
            assert other is None
            assert seated(second) == own
        assert seated(second) is None
        async with seat(second, "chat") as later:
            assert later is not None

    asyncio.run(both())
    assert not (data_dir / "host.json").exists()
    first.close()
    second.close()


def test_a_chat_hands_its_place_to_a_host_that_asks_for_it_and_to_no_other_chat(data_dir):
    first, second = (Store(f"sqlite:///{data_dir / 'steadyhand.db'}") for _ in range(2))

    async def chat(sits: asyncio.Event) -> None:
        async with seat(first, "chat") as own:
            assert own is not None
            sits.set()
            await until(lambda: not own.holds())

    async def both() -> None:
        sits = asyncio.Event()
        chatting = asyncio.create_task(chat(sits))
        await sits.wait()
        async with seat(second, "chat", wait_seconds=0.0) as other:
            assert other is None
        assert not chatting.done()
        async with seat(second, "serve", wait_seconds=0.0) as own:
            assert own is not None
            assert seated(first) == own
            assert own.holds()
            await chatting
            assert seated(first) == own

    asyncio.run(both())
    first.close()
    second.close()


def test_a_suspended_host_loses_its_place_and_sees_so_when_it_goes_on(data_dir):
    url = f"sqlite:///{data_dir / 'steadyhand.db'}"
    child = subprocess.Popen([sys.executable, "-c", SUSPENDED, url], stdout=subprocess.PIPE, text=True)
    store = Store(url)

    async def take() -> None:
        async with seat(store, "serve", wait_seconds=0.0) as refused:
            assert refused is None  # it works
        os.kill(child.pid, signal.SIGSTOP)
        await asyncio.to_thread(os.waitpid, child.pid, os.WUNTRACED)
        there = seated(store)
        assert there is not None
        assert there.suspended
        async with seat(store, "serve", wait_seconds=0.0) as own:
            assert own is not None
            assert own.holds()
            os.kill(child.pid, signal.SIGCONT)
            assert await asyncio.to_thread(child.stdout.readline) == "lost\n"
            assert await asyncio.to_thread(child.wait) == 0
            assert own.holds()
            assert seated(store) == own

    try:
        assert child.stdout.readline() == "got\n"
        asyncio.run(take())
    finally:
        child.kill()
        child.wait()
        child.stdout.close()
        store.close()


def test_on_a_server_several_are_hosts(postgres_url):
    first, second = Store(postgres_url), Store(postgres_url)

    async def both() -> None:
        assert not is_held(first, LOCK)
        async with seat(first, "serve") as own, seat(second, "worker") as other:
            assert own is not None
            assert other is not None
        async with seat(second, "worker"):
            assert seated(first) == Seated("serve", 0, "")
        assert seated(first) is None

    asyncio.run(both())
    first.close()
    second.close()


def test_looking_who_hosts_takes_nothing_and_makes_nothing(data_dir):
    store = Store(f"sqlite:///{data_dir / 'steadyhand.db'}")
    assert seated(store) is None
    assert list(data_dir.iterdir()) == []
    with exclusive(store, LOCK) as got:
        assert got
        assert is_held(store, LOCK)
        assert is_held(store, LOCK)
    store.close()


@pytest.mark.parametrize("card", ["", "{", "[]", '{"what": "serve"}', '{"what": "serve", "pid": "x", "since": ""}'])
def test_a_card_that_cannot_be_read_still_means_that_somebody_hosts(data_dir, card):
    store = Store(f"sqlite:///{data_dir / 'steadyhand.db'}")
    with exclusive(store, LOCK):
        (data_dir / "host.json").write_text(card, encoding="utf-8")
        assert seated(store) == Seated("serve", 0, "")
    store.close()


@pytest.mark.crash
def test_the_seat_of_a_host_that_was_killed_is_free_at_once(store, database_url):
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, database_url], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "got\n"
    there = seated(store)
    assert there is not None
    assert there.pid in (holder.pid, 0)
    holder.kill()
    holder.wait(timeout=60)
    holder.stdout.close()
    while is_held(store, LOCK) and not store.on_sqlite:  # a server notices a moment later that somebody is gone
        pass

    async def later() -> None:
        async with seat(store, "chat") as own:
            assert own is not None

    assert seated(store) is None
    asyncio.run(later())


def test_what_the_card_says_is_json_for_people(data_dir):
    store = Store(f"sqlite:///{data_dir / 'steadyhand.db'}")

    async def look() -> None:
        async with seat(store, "serve"):
            assert json.loads((data_dir / "host.json").read_text(encoding="utf-8")).keys() == {"what", "pid", "since"}

    asyncio.run(look())
    store.close()
