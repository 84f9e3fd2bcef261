"""The ground of the store's tests: an opened database of either kind with its tables made."""

import shutil
from collections.abc import Iterator

import pytest

from steadyhand.core.clock import FakeClock
from steadyhand.core.ids import ChangeId, SessionId, UserId
from steadyhand.store import Store, people, schema
from steadyhand.store.changes import ChangeRow
from steadyhand.store.people import User

ME, OTHER = UserId("mine"), UserId("theirs")
DESK = SessionId("desk")


NEXT = '''"""A later version, for tests"""
import sqlalchemy as sa
from alembic import op

revision, down_revision, branch_labels, depends_on = "0002", "0001", None, None


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
        (folder / "versions" / "0002_later.py").write_text(NEXT.format(more=more), encoding="utf-8")
        monkeypatch.setattr(schema, "MIGRATIONS", folder)
        monkeypatch.setattr(schema, "HEAD", "0002")

    return make
