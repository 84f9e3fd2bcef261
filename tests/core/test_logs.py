"""The program's log is JSON lines on standard error, at the level asked for, and never holds a secret."""

import io
import json
import sys

import pytest

from steadyhand.core import logs
from steadyhand.core.hiding import HIDDEN, hide, hide_in


@pytest.fixture(autouse=True)
def _as_it_was():
    yield
    logs.reset()


def written(capsys):
    captured = capsys.readouterr()
    assert captured.out == ""
    return [json.loads(line) for line in captured.err.splitlines()]


def test_a_line_goes_to_the_standard_error_of_its_moment(monkeypatch):
    first, second = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stderr", first)
    logs.get_logger("a").warning("one")
    first.close()
    monkeypatch.setattr(sys, "stderr", second)
    logs.get_logger("a").warning("two")
    assert '"event": "two"' in second.getvalue()


def test_a_line_is_one_json_object_with_event_level_and_time(capsys):
    logs.configure("info")
    logs.get_logger("test").info("opened", change=42, 名="课")
    (line,) = written(capsys)
    assert (line["event"], line["level"], line["change"], line["名"]) == ("opened", "info", 42, "课")
    assert line["timestamp"].endswith("Z")


@pytest.mark.parametrize(("level", "events"), [("debug", 4), ("info", 3), ("warning", 2), ("error", 1)])
def test_below_the_level_nothing_is_written(capsys, level, events):
    logs.configure(level)
    log = logs.get_logger("test")
    for method in (log.debug, log.info, log.warning, log.error):
        method("event")
    assert len(written(capsys)) == events


def test_an_exception_is_written_whole_but_for_its_secrets(capsys):
    logs.configure("error")

    def unreachable():
        raise RuntimeError("cannot reach postgresql://me:hush@box/db")

    try:
        unreachable()
    except RuntimeError as error:
        logs.get_logger("test").error("failed", exc_info=error)
    (line,) = written(capsys)
    assert "RuntimeError" in line["exception"]
    assert "hush" not in json.dumps(line)


@pytest.mark.parametrize(
    "values",
    [
        {"api_key": "hush"},
        {"Authorization": "Bearer hush"},
        {"access_token": "hush"},
        {"cookie": ["hush"]},
        {"url": "postgresql+psycopg://me:hush@127.0.0.1/db"},
        {"url": "postgresql://me:hu@hush@127.0.0.1/db"},
        {"url": "postgresql://127.0.0.1/db?user=me&password=hush&sslmode=require"},
        {"url": "postgresql://adm@srv:hush@127.0.0.1:1/x"},
        {"url": "postgresql://u:a b hush@host/x"},
        {"url": "postgresql://127.0.0.1/db?passwrd=hush"},
        {"url": "postgresql://127.0.0.1/db?options=-chush"},
        {"text": "tried https://me:hush@box.example/a and gave up"},
        {"settings": {"database": {"password": "hush"}}},
        {"tried": [{"url": "ftp://me:hush@box.example"}]},
        {"error": ValueError("redis://:hush@box.example/0")},
    ],
)
def test_no_secret_is_written_however_deep_it_lies(capsys, values):
    logs.configure("info")
    logs.get_logger("test").info("event", **values)
    (line,) = written(capsys)
    assert "hush" not in json.dumps(line)
    assert HIDDEN in json.dumps(line)


@pytest.mark.parametrize(
    "text",
    [
        "C-42 moved on",
        "see http://127.0.0.1:8080/a",
        "a@b.example",
        "postgresql://me@box/db",
        "11:30-12:00 @ room 3",
        "课表：高等数学",
    ],
)
def test_what_is_no_secret_stays_as_it_is(text):
    assert hide(text) == text


def test_numbers_and_nothing_stay_what_they_are():
    assert hide_in("values", {"a": 1, "b": None, "c": [True, 2.5]}) == {"a": 1, "b": None, "c": [True, 2.5]}
