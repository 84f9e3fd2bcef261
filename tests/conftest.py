"""Decides what every test starts from: a fake clock, an empty folder, a clean environment, no network, and either database.

Tests that need PostgreSQL take the server of STEADYHAND_TEST_POSTGRES_URL; `scripts/postgres.sh start` brings one up.
Without it they are skipped; with STEADYHAND_REQUIRE_POSTGRES=1 its absence fails them, so that CI cannot pass by skipping.
"""

import contextlib
import ipaddress
import os
import secrets
import signal
import socket
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from sqlalchemy import event
from sqlalchemy.engine import Engine, make_url

from steadyhand.core.clock import FakeClock
from steadyhand.store import Store
from steadyhand.store.upkeep import schema

POSTGRES_URL = os.environ.get("STEADYHAND_TEST_POSTGRES_URL", "")
POSTGRES_REQUIRED = os.environ.get("STEADYHAND_REQUIRE_POSTGRES") == "1"


# A slow machine fails no property: how long an example takes is not what these tests are about.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


# ---- nothing leaves this machine -------------------------------------------------------------------------------------


def is_loopback(host: str) -> bool:
    """Whether *host*, a name or an address, is this machine itself."""
    if host in {"", "localhost"}:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class OutsideCall(AssertionError):
    """A test tried to reach another machine."""


def _guard(real: Any) -> Any:
    def guarded(self: socket.socket, address: Any) -> Any:
        if self.family != socket.AF_UNIX and not is_loopback(str(address[0])):
            raise OutsideCall(f"tests stay on this machine: {address!r}")
        return real(self, address)

    return guarded


def _guard_names(real: Any) -> Any:
    def guarded(host: Any, *rest: Any, **more: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name is not None and not is_loopback(name):
            raise OutsideCall(f"tests look up no other machine: {name!r}")
        return real(host, *rest, **more)

    return guarded


@pytest.fixture(autouse=True, scope="session")
def _stay_on_this_machine() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", _guard(socket.socket.connect))
        patch.setattr(socket.socket, "connect_ex", _guard(socket.socket.connect_ex))
        patch.setattr(socket, "getaddrinfo", _guard_names(socket.getaddrinfo))
        yield


# ---- Ctrl-C --------------------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True, scope="session")
def _ctrl_c_reaches_children() -> None:
    """Whoever runs the tests in the background lets them, and so their children, ignore Ctrl-C: here it counts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


# ---- what a test starts from -----------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Drop the developer's own settings and language, and move the default data folder away from the home folder."""
    for name in tuple(os.environ):
        if name.startswith("STEADYHAND_") or name in {"LC_MESSAGES", "LANGUAGE", "LANG"}:
            monkeypatch.delenv(name)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.getbasetemp() / "nobody"))


@pytest.fixture
def clock() -> FakeClock:
    """A clock that moves only when the test moves it."""
    return FakeClock()


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """An empty data folder."""
    folder = tmp_path / "data"
    folder.mkdir()
    return folder


# ---- the databases ---------------------------------------------------------------------------------------------------


class _Laid:
    """Lays the tables of an empty database as the migrations have laid them once in this process: by their pages, or their statements."""

    def __init__(self) -> None:
        self.lay = schema._upgrade  # the steps themselves run once, and in their own tests
        self.pages = b""
        self.statements: list[tuple[str, Any]] = []

    def __call__(self, store: Store, revision: str | None = None) -> None:
        if revision is not None or schema.version(store) is not None:
            self.lay(store, revision)
        elif store.on_sqlite:
            self._by_pages(store)
        else:
            self._by_statements(store)

    def _by_pages(self, store: Store) -> None:
        with contextlib.closing(sqlite3.connect(":memory:")) as whole:
            if self.pages:
                whole.deserialize(self.pages)
                with store.raw() as connection:
                    whole.backup(connection.connection.dbapi_connection)
                return
            self.lay(store)
            with store.raw() as connection:
                connection.connection.dbapi_connection.backup(whole)
            found = bytearray(whole.serialize())
            found[18:20] = b"\x01\x01"  # a database in memory has no write-ahead log
            self.pages = bytes(found)

    def _by_statements(self, store: Store) -> None:
        if self.statements:
            with store.raw() as connection:
                for statement, values in self.statements:
                    connection.exec_driver_sql(statement, values)
                connection.commit()
            return

        def note(_connection: Any, _cursor: Any, statement: str, values: Any, _context: Any, _many: bool) -> None:
            self.statements.append((statement, values))

        event.listen(Engine, "before_cursor_execute", note)
        try:
            self.lay(store)
        finally:
            event.remove(Engine, "before_cursor_execute", note)


@pytest.fixture(scope="session")
def _laid() -> _Laid:
    return _Laid()


@pytest.fixture(autouse=True)
def _migrated_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, _laid: _Laid) -> None:
    """A hundred milliseconds a database are saved, but in the tests that are about the migrations."""
    if "migrates" not in request.keywords:
        monkeypatch.setattr(schema, "_upgrade", _laid)


@pytest.fixture
def postgres_url() -> Iterator[str]:
    """The URL of a fresh, empty PostgreSQL database that is dropped after the test."""
    if not POSTGRES_URL:
        absent = "no PostgreSQL: STEADYHAND_TEST_POSTGRES_URL is not set (scripts/postgres.sh start)"
        if POSTGRES_REQUIRED:
            pytest.fail(absent)
        pytest.skip(absent)
    import psycopg

    server = make_url(POSTGRES_URL)
    assert is_loopback(server.host or ""), "the test server is on this machine"
    name = f"test_{secrets.token_hex(6)}"
    admin_url = server.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(admin_url, autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name} TEMPLATE template0")
    yield server.set(database=name).render_as_string(hide_password=False)
    with psycopg.connect(admin_url, autocommit=True) as admin:
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, data_dir: Path) -> str:
    """The URL of a fresh, empty database: every test that takes this runs on SQLite and again on PostgreSQL."""
    if request.param == "postgres":
        return str(request.getfixturevalue("postgres_url"))
    return f"sqlite:///{data_dir / 'steadyhand.db'}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what asks for a PostgreSQL database by name, so that `-m postgres` and the closing count miss none."""
    for item in items:
        if "postgres_url" in getattr(item, "fixturenames", ()):
            item.add_marker("postgres")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how many PostgreSQL tests of each folder passed, and how many did not run: CI reads this line."""
    counts: dict[str, Counter[str]] = {"passed": Counter(), "skipped": Counter()}
    for outcome, count in counts.items():
        for report in terminalreporter.stats.get(outcome, []):
            if "postgres" in report.keywords:
                folder = report.nodeid.split("::")[0].split("/")[1:-1]
                count["/".join(folder) or "."] += 1
    if any(counts.values()):
        passed = " ".join(f"{folder}={number}" for folder, number in sorted(counts["passed"].items()))
        terminalreporter.write_line(f"PostgreSQL tests passed: {passed or 'none'}; skipped: {counts['skipped'].total()}")
