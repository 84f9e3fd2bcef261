"""Somebody asks for a reminder in two minutes, the host is killed, and one is started after the time: they hear of it once, or not at all.

Nobody waits two minutes here: while no host runs, the reminder's moment is moved into the past in the database, as if they had passed.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from cli_house.serving import SECONDS, killed, serving
from command_line.ground import in_child
from steadyhand.core.clock import from_text, to_text
from steadyhand.core.ids import LOCAL_USER
from steadyhand.store import Store
from steadyhand.store.later import wakeups
from steadyhand.store.later.wakeups import Wakeup

pytestmark = pytest.mark.crash

LANGUAGES = {
    "zh-CN": ("两分钟后提醒我喝水", "算了，不用提醒了", "喝水"),
    "en": ("remind me in two minutes to drink water", "never mind, no need to remind me", "drink water"),
}


@contextmanager
def opened(data_dir: Path) -> Iterator[Store]:
    store = Store(f"sqlite:///{data_dir / 'steadyhand.db'}")
    try:
        yield store
    finally:
        store.close()


def reminders(data_dir: Path) -> list[Wakeup]:
    with opened(data_dir) as store:
        return store.read_now(lambda tx: wakeups.of_user(tx, LOCAL_USER, families=("followup", "cron")))


def pass_time(data_dir: Path, span: timedelta) -> None:
    """Let *span* have passed for every reminder that waits."""
    with opened(data_dir) as store:

        def work(tx: Any) -> None:
            for row in wakeups.of_user(tx, LOCAL_USER, families=("followup", "cron"), statuses=("pending",)):
                earlier = to_text(from_text(row.due_at) - span)
                assert wakeups.change(tx, row, due_at=earlier, meant_at=earlier)

        store.write_now(work)


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.05)


def say(data_dir: Path, language: str, text: str) -> str:
    done = in_child(data_dir, "--lang", language, "chat", "--once", text)
    assert done.returncode == 0, (done.stdout, done.stderr)
    return done.stdout


def look_in(data_dir: Path, language: str) -> str:
    """Sit down in the chat and leave: what is owed is shown."""
    done = in_child(data_dir, "--lang", language, "chat")
    assert done.returncode == 0, (done.stdout, done.stderr)
    return done.stdout


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_reminder_whose_host_was_killed_comes_once_from_the_next(data_dir, language):
    asking, _, what = LANGUAGES[language]
    data_dir.chmod(0o700)
    say(data_dir, language, "/help")
    with serving(data_dir) as host:
        said = say(data_dir, language, asking)
        (row,) = reminders(data_dir)
        assert str(row.number) in said
        assert row.status == "pending"
        killed(host)
    pass_time(data_dir, timedelta(minutes=3))
    noticed = in_child(data_dir, "--lang", "en", "change", "list")
    assert noticed.stderr.strip() == "1 reminder is due; start `steady serve`"
    with serving(data_dir):
        until(lambda: [row.status for row in reminders(data_dir)] == ["completed"])
        heard = look_in(data_dir, language)
        assert heard.count(what) == 1
    with serving(data_dir):
        assert what not in look_in(data_dir, language)
    assert what not in look_in(data_dir, language)
    (row,) = reminders(data_dir)
    assert (row.status, row.completion_action, row.attempt) == ("completed", "sent_private_message", 1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_reminder_that_nobody_wants_any_more_does_not_come(data_dir, language):
    asking, letting_be, what = LANGUAGES[language]
    data_dir.chmod(0o700)
    say(data_dir, language, "/help")
    with serving(data_dir) as host:
        say(data_dir, language, asking)
        assert reminders(data_dir)
        say(data_dir, language, letting_be)
        killed(host)
    pass_time(data_dir, timedelta(minutes=3))
    assert [row.status for row in reminders(data_dir)] == ["cancelled"]
    with serving(data_dir):
        assert what not in look_in(data_dir, language)
    assert "due" not in in_child(data_dir, "--lang", "en", "change", "list").stderr
    assert what not in look_in(data_dir, language)


@pytest.mark.parametrize(("late", "comes"), [(timedelta(hours=11), True), (timedelta(hours=13), False)])
def test_one_that_is_too_late_is_skipped_and_that_is_said(data_dir, late, comes):
    """The rule of one that comes once: it still comes within twelve hours; later it is said that it was missed."""
    asking, _, what = LANGUAGES["en"]
    data_dir.chmod(0o700)
    say(data_dir, "en", asking)
    pass_time(data_dir, timedelta(minutes=2) + late)
    with serving(data_dir):
        until(lambda: [row.status for row in reminders(data_dir)] != ["pending"])
        until(lambda: reminders(data_dir)[0].status == "completed")
        heard = look_in(data_dir, "en")
    (row,) = reminders(data_dir)
    assert row.completion_action == ("sent_private_message" if comes else "skipped")
    assert heard.count(what) == 1
