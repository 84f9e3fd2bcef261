"""The migrations build the tables that the program uses, once, whoever asks; data is copied before, and a newer database is left alone."""

import sqlite3
from contextlib import closing

import pytest
from sqlalchemy import MetaData, inspect, text

from steadyhand.core.errors import SchemaMismatch, StoreUnavailable
from steadyhand.store import Store
from steadyhand.store.database.metadata import metadata
from steadyhand.store.people import people
from steadyhand.store.upkeep import schema
from store.ground import LATER, ME, NEWEST, person
from store.racing import race

pytestmark = pytest.mark.migrates


@pytest.fixture
def empty(database_url, clock):
    """A database without a table of ours."""
    opened = Store(database_url, clock)
    schema.make_place(opened)
    yield opened
    opened.close()


def set_version(store, found):
    store.write_now(lambda tx: tx.execute(text("UPDATE alembic_version SET version_num = :found"), {"found": found}))


# ---- the tables ------------------------------------------------------------------------------------------------------


def test_the_migrations_end_at_the_tables_of_the_program(store):
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    with store.raw() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, metadata) == []
        connection.rollback()


def picture(inspector, table, schema_name=None):
    """Return what the database says of a table, partial indexes and checks included."""
    indexes = {}
    for one in inspector.get_indexes(table, schema_name):
        only_where = {name: str(value) for name, value in one.get("dialect_options", {}).items()}
        indexes[one["name"]] = (one["column_names"], bool(one["unique"]), only_where)
    columns = [
        (one["name"], str(one["type"]), one["nullable"], one["default"]) for one in inspector.get_columns(table, schema_name)
    ]
    foreign = sorted(
        (one["name"] or "", tuple(one["constrained_columns"]), one["referred_table"], tuple(one["referred_columns"]))
        for one in inspector.get_foreign_keys(table, schema_name)
    )
    checks = sorted((one["name"] or "", one["sqltext"]) for one in inspector.get_check_constraints(table, schema_name))
    unique = sorted(
        (one["name"] or "", tuple(one["column_names"])) for one in inspector.get_unique_constraints(table, schema_name)
    )
    return columns, inspector.get_pk_constraint(table, schema_name)["constrained_columns"], indexes, foreign, checks, unique


def test_indexes_and_checks_are_the_same_too(store, tmp_path):
    if store.on_sqlite:
        other = Store(f"sqlite:///{tmp_path / 'plain.db'}")
        with other.raw() as connection:
            metadata.create_all(connection)
            connection.commit()
        plain, plain_schema = other, None
    else:
        store.write_now(lambda tx: tx.execute(text("CREATE SCHEMA plain")))
        copy = MetaData(schema="plain", naming_convention=metadata.naming_convention)
        for table in metadata.sorted_tables:
            table.to_metadata(copy, schema="plain")
        store.write_now(lambda tx: copy.create_all(tx.connection))
        plain, plain_schema = store, "plain"
    with store.raw() as ours, plain.raw() as theirs:
        migrated, made = inspect(ours), inspect(theirs)
        for table in metadata.tables:
            assert picture(migrated, table) == picture(made, table, plain_schema), table
        assert set(migrated.get_table_names()) == {*metadata.tables, "alembic_version"}
    if store.on_sqlite:
        plain.close()


# ---- the way there ---------------------------------------------------------------------------------------------------


def test_nothing_becomes_the_newest_version_without_a_copy(empty):
    assert schema.version(empty) is None
    assert schema.migrate(empty) is None
    assert schema.version(empty) == schema.HEAD


def test_migrating_again_does_nothing(store):
    assert schema.migrate(store) is None
    assert schema.version(store) == schema.HEAD
    schema.ensure(store)


@pytest.mark.parametrize("ask", [schema.ensure, schema.migrate])
def test_a_newer_database_is_refused_and_left_alone(store, ask):
    set_version(store, "9999")
    with pytest.raises(SchemaMismatch) as refused:
        ask(store)
    assert (refused.value.code, refused.value.params) == ("schema_newer", {"found": "9999", "known": schema.HEAD})
    assert schema.version(store) == "9999"


def test_a_start_on_a_server_does_not_migrate(postgres_url):
    store = Store(postgres_url)
    with pytest.raises(SchemaMismatch) as refused:
        schema.ensure(store)
    assert refused.value.code == "schema_behind"
    assert schema.version(store) is None
    schema.migrate(store)
    schema.ensure(store)
    store.close()


def test_processes_that_migrate_at_once_make_the_tables_once(empty, database_url, tmp_path):
    race(database_url, tmp_path / "race", "migrate")
    assert schema.version(empty) == schema.HEAD
    empty.write_now(lambda tx: people.add_user(tx, person(ME)))


def test_a_start_does_not_wait_for_somebody_who_is_writing(data_dir):
    store = Store(f"sqlite:///{data_dir / 'steadyhand.db'}")
    schema.ensure(store)
    with closing(sqlite3.connect(store.file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        schema.ensure(store)
    store.close()


def test_a_start_at_the_right_version_imports_no_migration_tool(data_dir, monkeypatch):
    store = Store(f"sqlite:///{data_dir / 'steadyhand.db'}")
    schema.ensure(store)
    monkeypatch.setattr(schema, "_upgrade", None)
    schema.ensure(store)
    store.close()


# ---- from an older version, with data in it --------------------------------------------------------------------------


def names(file, column="name"):
    with closing(sqlite3.connect(file)) as connection:
        return [row[0] for row in connection.execute(f"SELECT {column} FROM users ORDER BY id")]


@pytest.fixture
def old_file(data_dir, clock):
    store = Store(f"sqlite:///{data_dir / 'steadyhand.db'}", clock)
    schema.ensure(store)
    store.write_now(lambda tx: people.add_user(tx, person(ME, "Ada")))
    yield store
    store.close()


def test_a_start_on_an_older_file_copies_it_and_migrates(old_file, later):
    later()
    schema.ensure(old_file)
    assert schema.version(old_file) == LATER
    assert names(old_file.file, "nickname") == ["Ada"]
    (copy,) = old_file.file.parent.glob(f"*.before-{LATER}-from-{NEWEST}")
    assert names(copy) == ["Ada"]
    assert copy.stat().st_mode & 0o777 == 0o600
    with pytest.raises(sqlite3.OperationalError, match="nickname"):
        names(copy, "nickname")


def test_migrating_an_older_server_is_asked_for_and_keeps_its_data(postgres_url, later):
    store = Store(postgres_url)
    schema.migrate(store)
    store.write_now(lambda tx: people.add_user(tx, person(ME, "Ada")))
    later()
    with pytest.raises(SchemaMismatch, match="schema_behind"):
        schema.ensure(store)
    assert schema.migrate(store) is None
    assert store.read_now(lambda tx: tx.execute(text("SELECT nickname FROM users")).scalar()) == "Ada"
    store.close()


def test_a_migration_that_breaks_off_leaves_the_old_tables_and_the_copy(old_file, later):
    later('op.execute("INSERT INTO nowhere VALUES (1)")')
    with pytest.raises(StoreUnavailable) as refused:
        schema.ensure(old_file)
    assert refused.value.code == "store_failed"
    assert (schema.version(old_file), names(old_file.file)) == (NEWEST, ["Ada"])
    with pytest.raises(sqlite3.OperationalError, match="nickname"):
        names(old_file.file, "nickname")
    (copy,) = old_file.file.parent.glob(f"*.before-{LATER}-from-{NEWEST}")
    assert names(copy) == ["Ada"]


def test_a_server_whose_migration_breaks_off_keeps_its_old_tables(postgres_url, later):
    store = Store(postgres_url)
    schema.migrate(store)
    later('op.execute("INSERT INTO nowhere VALUES (1)")')
    with pytest.raises(StoreUnavailable, match="store_failed"):
        schema.migrate(store)
    assert schema.version(store) == NEWEST
    store.close()


def test_a_migration_that_leaves_a_row_without_its_parent_is_told(old_file, later):
    later("op.execute(\"INSERT INTO decisions VALUES ('d', 'x', 'nowhere', 's', 'k', NULL, 'd', 'p', 'w', 'a')\")")
    with old_file.raw() as connection:  # as a migration that rebuilds tables has it
        connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
        connection.rollback()
        connection.connection.driver_connection.execute("PRAGMA foreign_keys = OFF")
    with pytest.raises(SchemaMismatch) as refused:
        schema.migrate(old_file)
    assert refused.value.code == "schema_migration_failed"
    assert "decisions" in refused.value.params["reason"]


def test_a_copy_of_an_earlier_try_is_replaced(old_file, later):
    stale = old_file.file.with_name(f"{old_file.file.name}.before-{LATER}-from-{NEWEST}")
    stale.write_bytes(b"stale")
    later()
    assert schema.migrate(old_file) == stale
    assert names(stale) == ["Ada"]


def test_a_lock_that_stays_taken_is_told(old_file, later, monkeypatch):
    from steadyhand.store.database.locks import exclusive

    later()
    monkeypatch.setattr(schema, "LOCK_WAIT", 0.01)
    with exclusive(old_file, "migrate") as got:
        assert got
        with pytest.raises(StoreUnavailable, match="store_busy"):
            schema.migrate(old_file)
    assert schema.version(old_file) == NEWEST


# ---- from the first version to the second -----------------------------------------------------------------------------

CHECKED = {
    "schedule_events": {"kind": "course"},
    "schedules": {"layer": 1},
    "calendar_facts": {"kind": "works_as", "held": '[["mine",1]]'},
}
"""Values that only some words satisfy."""


def a_row(table, inspector):
    """A row of *table* with a value in every column that fits its type and the checks."""
    found = {}
    for column in inspector.get_columns(table):
        kind = str(column["type"])
        by_kind = 1 if "INT" in kind else False if "BOOL" in kind else 0.5 if kind in {"FLOAT", "DOUBLE PRECISION"} else None
        by_kind = b"\x00\xff" if kind in {"BLOB", "BYTEA"} else "mine" if by_kind is None else by_kind
        found[column["name"]] = by_kind
    return found | CHECKED.get(table, {})


def fill(store):
    """Put a row into every table, parents before children."""
    with store.raw() as connection:
        inspector = inspect(connection)
        names = [name for name, _ in inspector.get_sorted_table_and_fkc_names() if name and name != "alembic_version"]
        connection.rollback()
        rows = {name: a_row(name, inspector) for name in names}
        connection.rollback()
    for name, row in rows.items():
        columns, values = ", ".join(row), ", ".join(f":{column}" for column in row)
        statement = text(f"INSERT INTO {name} ({columns}) VALUES ({values})")
        store.write_now(lambda tx, statement=statement, row=row: tx.execute(statement, row))
    return rows


def test_a_database_of_the_first_version_with_a_row_in_every_table_loses_nothing(empty, monkeypatch):
    with monkeypatch.context() as first:
        first.setattr(schema, "HEAD", "0001")
        schema.migrate(empty)
    rows = fill(empty)
    assert {"users", "sessions", "changes", "schedules"} <= set(rows)
    schema.migrate(empty)
    moved = {"schedule_events": {"location", "teacher"}, "calendar_facts": {"held"}}
    for name, row in rows.items():
        (found,) = empty.read_now(lambda tx, name=name: tx.execute(text(f"SELECT * FROM {name}")).mappings().all())
        stays = {column: value for column, value in row.items() if column not in moved.get(name, set())}
        assert {column: found[column] for column in stays} == stays, name
    # places and teachers were the event's and are its meetings' now; nobody knew their exact times
    (meeting,) = empty.read_now(lambda tx: tx.execute(text("SELECT * FROM schedules")).mappings().all())
    assert [meeting[name] for name in ("begins", "ends", "location", "teacher")] == [None, None, "mine", "mine"]
    held = empty.read_now(lambda tx: tx.execute(text("SELECT held FROM calendar_facts")).scalar())
    assert held == '[["mine",1,null,null,"mine","mine"]]'
    (session,) = empty.read_now(lambda tx: tx.execute(text("SELECT * FROM sessions")).mappings().all())
    assert (session["name"], session["address"], session["next_seq"], session["updated_at"]) == ("", None, 1, "")
    assert empty.write_now(lambda tx: people.take_seq(tx, "mine", "mine", 2)) == 1
