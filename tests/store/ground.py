"""The ground of the store's tests: an opened database of either kind with its tables made."""

import shutil
from collections.abc import Iterator

import pytest

from steadyhand.core.clock import FakeClock
from steadyhand.core.ids import ChangeId, JobId, SessionId, UserId
from steadyhand.core.owners import Claim
from steadyhand.store import Store
from steadyhand.store.changes.changes import ChangeRow
from steadyhand.store.later.jobs import Job
from steadyhand.store.later.wakeups import Wakeup, WakeupRun
from steadyhand.store.people import people
from steadyhand.store.people.people import User
from steadyhand.store.sessions.turns import TurnRow
from steadyhand.store.upkeep import schema

ME, OTHER = UserId("mine"), UserId("theirs")
DESK = SessionId("desk")


NEWEST = schema.HEAD
LATER = f"{int(NEWEST) + 1:04}"
NEXT = '''"""A later version, for tests"""
import sqlalchemy as sa
from alembic import op

revision, down_revision, branch_labels, depends_on = "{later}", "{newest}", None, None


def upgrade() -> None:
    op.add_column("users", sa.Column("nickname", sa.Text()))
    op.execute("UPDATE users SET nickname = name")
    {more}
'''


def person(user: UserId, name: str = "") -> User:
    return User(user, name, "Asia/Shanghai", "zh-CN", ("*",))


def change_row(user: UserId = ME, number: int = 1, **columns) -> ChangeRow:
    known = {
        "id": ChangeId(f"change_{user}_{number}"),
        "user_id": user,
        "number": number,
        "session_id": DESK,
        "domain": "panel",
        "target_name": "main",
        "target_shared": False,
        "target_key": f"panel/{user}/{number}",
        "state": "sealed",
        "source_kind": "given",
        "request": "cut it",
        "language": "en",
        "policy": "1",
        "expires_at": "2026-09-10T01:00:00.000000Z",
        "created_at": "2026-09-06T01:00:00.000000Z",
        "updated_at": "2026-09-06T01:00:00.000000Z",
    }
    return ChangeRow(**(known | columns))


def a_turn(turn: str, user: UserId = ME, **columns) -> TurnRow:
    known = {
        "id": turn,
        "user_id": user,
        "session_id": DESK,
        "origin": "person",
        "state": "running",
        "attempt": 1,
        "lane_token": "token",
        "calls_begun": [],
        "rounds": 0,
        "usage": None,
        "last_result": None,
        "detail": None,
        "started_at": "2026-09-07T01:00:00.000000Z",
        "ended_at": None,
    }
    return TurnRow(**(known | columns))


def a_wakeup(wakeup: str, user: UserId = ME, **columns) -> Wakeup:
    known = dict.fromkeys(Wakeup.__dataclass_fields__) | {
        "id": wakeup,
        "user_id": user,
        "number": 1,
        "session_id": DESK,
        "family": "followup",
        "kind": "wake",
        "name": "",
        "status": "pending",
        "enabled": True,
        "due_at": "2026-09-07T01:00:00.000000Z",
        "meant_at": "2026-09-07T01:00:00.000000Z",
        "zone": "Asia/Shanghai",
        "missed_rule": {"run": "always"},
        "exact": False,
        "followup_reason": "",
        "assistant_commitment_text": "",
        "text": "",
        "delivery": "user",
        "chain": 0,
        "replace_existing": False,
        "last_error": "",
        "attempt": 0,
        "created_at": "2026-09-06T01:00:00.000000Z",
        "updated_at": "2026-09-06T01:00:00.000000Z",
        "version": 1,
    }
    return Wakeup(**(known | columns))


def a_run(run: str, wakeup: str, user: UserId = ME, **columns) -> WakeupRun:
    at = "2026-09-07T01:00:00.000000Z"
    known = {
        "id": run,
        "user_id": user,
        "wakeup_id": wakeup,
        "meant_at": at,
        "started_at": at,
        "ended_at": at,
        "outcome": "completed",
        "action": "sent_private_message",
        "note": "",
        "turn_id": None,
    }
    return WakeupRun(**(known | columns))


def a_job(job: str, user: UserId = ME, **columns) -> Job:
    known = dict.fromkeys(Job.__dataclass_fields__) | {
        "id": JobId(job),
        "user_id": user,
        "number": 1,
        "session_id": DESK,
        "kind": "body",
        "body": "a.body:run",
        "title": "",
        "arguments": {},
        "reply_to": {},
        "repeatable": False,
        "depth": 0,
        "seconds": 60.0,
        "state": "queued",
        "cancel_asked": False,
        "reason": "",
        "attempt": 0,
        "created_at": "2026-09-06T01:00:00.000000Z",
        "updated_at": "2026-09-06T01:00:00.000000Z",
        "version": 1,
    }
    return Job(**(known | columns))


def claim(token: str) -> Claim:
    return Claim({"host": "here", "pid": 1, "started": 1}, token, "2020-09-07T01:00:30.000000Z")


@pytest.fixture
def store(database_url: str, clock: FakeClock) -> Iterator[Store]:
    """A database with its tables and two people: once on SQLite, once on PostgreSQL."""
    opened = Store(database_url, clock)
    schema.make_place(opened)
    schema.migrate(opened)
    for user in (ME, OTHER):
        opened.write_now(lambda tx, user=user: people.add_user(tx, person(user)))
    yield opened
    opened.close()


@pytest.fixture
def later(monkeypatch, tmp_path):
    """Make the program one version newer than the databases that were made until then."""

    def make(more=""):
        folder = tmp_path / "migrations"
        shutil.copytree(schema.MIGRATIONS, folder, ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "versions" / f"{LATER}_later.py").write_text(
            NEXT.format(later=LATER, newest=NEWEST, more=more), encoding="utf-8"
        )
        monkeypatch.setattr(schema, "MIGRATIONS", folder)
        monkeypatch.setattr(schema, "HEAD", LATER)

    return make
