"""`steady user` shows and changes the one local person, and says when a setting names another."""

import pytest

from steadyhand.core.clock import from_text, local
from steadyhand.core.language import LANGUAGES


def test_the_person_of_a_first_start_has_the_machines_language_and_zone(steady, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    data = steady("user", "show", "--json").data
    assert data == {"id": "local", "name": "", "language": "zh-CN", "zone": "Asia/Shanghai", "unheard": []}


def test_what_is_set_is_shown_and_stays(steady):
    done = steady("user", "set", "--language", "zh-CN", "--zone", "Europe/London", "--name", "小满")
    assert done.code == 0
    assert "小满" in done.out
    assert "语言" in done.out
    data = steady("user", "show", "--json").data
    assert (data["language"], data["zone"], data["name"]) == ("zh-CN", "Europe/London", "小满")


def test_only_what_is_named_is_changed(steady):
    steady("user", "set", "--name", "Ada", "--zone", "Asia/Shanghai")
    steady("user", "set", "--zone", "Europe/London")
    data = steady("user", "show", "--json").data
    assert (data["name"], data["zone"]) == ("Ada", "Europe/London")
    assert steady("user", "set", "--name", "").code == 0
    assert steady("user", "show", "--json").data["name"] == ""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--zone", "Nowhere/Land"],
        ["--zone", ""],
        ["--language", "fr"],
        ["--name", "two\nlines"],
        ["--name", "x" * 101],
        ["--name", "Ada", "--zone", "Nowhere/Land"],
        ["--colour", "red"],
        ["Ada"],
    ],
)
def test_bad_input_is_one_clear_error_and_changes_nothing(steady, language, words):
    before = steady("user", "show", "--json").data
    done = steady("--lang", language, "user", "set", *words)
    assert (done.code, done.out) == (2, "")
    assert 1 <= len(done.err.splitlines()) <= 3
    assert steady("user", "show", "--json").data == before


def test_what_is_stored_holds_over_a_setting_and_that_is_said(steady, monkeypatch):
    steady("user", "set", "--zone", "Europe/London")
    monkeypatch.setenv("STEADYHAND_ZONE", "Asia/Shanghai")
    monkeypatch.setenv("STEADYHAND_LANGUAGE", "zh-CN")
    data = steady("user", "show", "--json").data
    assert (data["zone"], data["language"], data["unheard"]) == ("Europe/London", "en", ["language", "zone"])
    assert "zone (environment)" in steady("user", "show").out
    assert "Person: language en, zone Europe/London" in steady("doctor").out
    assert steady("user", "set", "--zone", "Asia/Shanghai", "--json").data["unheard"] == ["language"]


def test_the_stored_language_is_spoken_from_then_on(steady):
    steady("user", "set", "--language", "zh-CN")
    assert "时区" in steady("user", "show").out
    assert "Zone" in steady("--lang", "en", "user", "show").out


@pytest.mark.parametrize(("stored", "setting"), [("Asia/Shanghai", "America/New_York"), ("America/New_York", "Asia/Shanghai")])
def test_the_command_line_books_and_tells_by_the_stored_zone(steady, monkeypatch, stored, setting):
    steady("user", "set", "--zone", stored)
    monkeypatch.setenv("STEADYHAND_ZONE", setting)
    done = steady("cron", "add", "look", "--cron", "0 8 * * *", "--json")
    assert local(from_text(done.data["next_at"]), stored).strftime("%H:%M") == "08:00"
    assert "08:00" in steady("cron", "list").out
