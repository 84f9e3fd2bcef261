"""Tests what tests/conftest.py promises to every other test."""

import os
import socket
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url


def test_a_test_cannot_reach_another_machine() -> None:
    with socket.socket() as client, pytest.raises(AssertionError, match="stay on this machine"):
        client.connect(("192.0.2.1", 80))


def test_a_test_cannot_look_up_another_machine() -> None:
    with pytest.raises(AssertionError, match="look up no other machine"):
        socket.getaddrinfo("registry.example", 443)


def test_a_test_can_reach_this_machine() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert client.getpeername() == server.getsockname()


def test_the_developers_settings_do_not_reach_a_test() -> None:
    assert [name for name in os.environ if name.startswith("STEADYHAND_")] == []


def test_the_default_data_folder_is_not_the_developers() -> None:
    assert not Path(os.environ["XDG_DATA_HOME"]).is_relative_to(Path.home())


@pytest.mark.parametrize("again", [1, 2])
def test_each_test_gets_an_empty_database_of_its_own(database_url: str, again: int) -> None:
    engine = create_engine(database_url)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE only_once (number INTEGER)"))
        connection.execute(text("INSERT INTO only_once VALUES (:number)"), {"number": again})
        assert connection.execute(text("SELECT number FROM only_once")).scalars().all() == [again]
    engine.dispose()


def test_a_postgres_database_is_on_this_machine(postgres_url: str) -> None:
    assert make_url(postgres_url).host == "127.0.0.1"
