"""Settings come from defaults, the file and the environment, in that order; what is unknown or unusable is refused by name."""

import os
from pathlib import Path

import pytest
from pydantic import ValidationError

from steadyhand.core.config import NOT_SETTINGS, Settings, default_data_dir, load_settings, place_of, settings_file
from steadyhand.core.errors import SettingsInvalid
from steadyhand.core.explain import explain
from steadyhand.core.language import LANGUAGES


@pytest.fixture
def write(data_dir, monkeypatch):
    """Write the settings file of the data folder."""
    monkeypatch.setenv("STEADYHAND_DATA_DIR", str(data_dir))

    def to_file(text):
        (data_dir / "steadyhand.toml").write_text(text, encoding="utf-8")

    return to_file


def refused():
    with pytest.raises(SettingsInvalid) as caught:
        load_settings()
    for language in LANGUAGES:
        told = explain(caught.value, language)
        assert told.code == caught.value.code
        assert all((told.summary, told.detail, told.next_step))
    return caught.value


def test_without_a_file_and_environment_the_defaults_hold():
    settings = load_settings()
    assert settings.data_dir == default_data_dir()
    assert settings.url == f"sqlite:///{default_data_dir() / 'steadyhand.db'}"
    assert (settings.on_sqlite, settings.language, settings.policy_exec) == (True, None, "deny")


def test_the_file_holds_over_defaults_and_the_environment_over_the_file(write, monkeypatch):
    write('language = "zh-CN"\nmax_operations = 7\n')
    monkeypatch.setenv("STEADYHAND_LANGUAGE", "en")
    settings = load_settings()
    assert (settings.language, settings.max_operations, settings.lease_seconds) == ("en", 7, 30.0)
    assert [place_of(key) for key in ("language", "max_operations", "lease_seconds")] == ["environment", "file", "default"]


def test_every_setting_can_be_given_in_the_environment(monkeypatch, tmp_path):
    given = {
        "data_dir": str(tmp_path),
        "workspace_dir": str(tmp_path / "files"),
        "database_url": "postgresql+psycopg://someone@127.0.0.1/name",
        "language": "en",
        "zone": "Asia/Shanghai",
        "log_level": "debug",
        "change_expiry_hours": "1.5",
        "approve_sealed": "within_confirmed_spec",
        "max_operations": "5",
        "lease_seconds": "2",
        "policy_exec": "ask",
        "shell_fence": "required",
        "answer_minutes": "5",
        "policy_external": "deny",
        "policy_workspace": "ask",
        "job_memory_mib": "100",
        "job_seconds": "9",
        "jobs_at_once": "3",
        "cae_memory_mib": "2048",
        "cae_seconds": "60",
        "subagent_rounds": "5",
        "subagent_seconds": "60",
        "subagent_tokens": "5000",
        "heartbeat_enabled": "false",
        "heartbeat_minutes": "5",
        "quiet_hours": "23-7",
        "proactive_per_day": "3",
        "proactive_apart_minutes": "10",
        "channel_host": "::1",
        "channel_port": "8720",
        "channel_names": '["desk.example"]',
        "onebot_token_env": "ONEBOT_TOKEN",
        "onebot_token_file": str(tmp_path / "onebot"),
        "model_base_url": "http://127.0.0.1:8080/v1",
        "model_name": "one",
        "model_key_env": "MODEL_KEY",
        "model_key_file": str(tmp_path / "key"),
        "model_timeout_seconds": "30",
        "model_max_tokens": "1000",
        "model_temperature": "0.1",
        "model_tool_choice": "auto",
        "model_reasoning_back": "reasoning",
        "model_extra_body": '{"enable_thinking": false}',
        "model_price_read": "0.5",
        "model_price_written": "2",
        "model_cost_per_day": "1.5",
        "telemetry": "otlp",
        "telemetry_content": "true",
        "turn_rounds": "3",
        "turn_seconds": "60",
        "turn_tokens": "9000",
        "memory_short_messages": "5",
        "memory_short_hours": "1",
        "memory_working_hours": "0.5",
        "memory_history": "keep",
        "search_url": "http://127.0.0.1:8888",
        "web_max_bytes": "1000",
        "web_seconds": "3",
        "web_ports": "[80]",
        "web_allow_hosts": '["wiki.example"]',
        "mcp": '{"notes": {"command": "notes-server", "effects": {"find": "read"}}}',
    }
    assert set(given) == set(Settings.model_fields)
    for key, value in given.items():
        monkeypatch.setenv(f"STEADYHAND_{key.upper()}", value)
    settings = load_settings()
    assert {key: place_of(key) for key in given} == dict.fromkeys(given, "environment")
    assert [key for key in given if getattr(settings, key) == Settings.model_fields[key].default] == []
    assert not settings.on_sqlite


def test_an_unknown_name_in_the_environment_is_refused(monkeypatch):
    monkeypatch.setenv("STEADYHAND_LANGUAG", "en")
    error = refused()
    assert (error.code, error.params["key"]) == ("setting_unknown", "STEADYHAND_LANGUAG")


@pytest.mark.parametrize("name", sorted(NOT_SETTINGS - {"STEADYHAND_CONFIG"}))
def test_names_that_are_no_settings_are_let_pass(monkeypatch, name):
    monkeypatch.setenv(name, "x")
    load_settings()


@pytest.mark.parametrize("text", ['languag = "en"', '[database]\nurl = "x"', 'STEADYHAND_LANGUAGE = "en"'])
def test_an_unknown_key_in_the_file_is_refused(write, data_dir, text):
    write(text)
    error = refused()
    assert (error.code, error.params["place"]) == ("setting_unknown", str(data_dir / "steadyhand.toml"))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("language", "fr"),
        ("zone", "Nowhere/Land"),
        ("log_level", "loud"),
        ("change_expiry_hours", "0"),
        ("change_expiry_hours", "2161"),
        ("change_expiry_hours", "nan"),
        ("max_operations", "0"),
        ("lease_seconds", "0.5"),
        ("policy_exec", "perhaps"),
        ("job_memory_mib", "1"),
        ("job_seconds", "0"),
        ("jobs_at_once", "0"),
        ("subagent_rounds", "0"),
        ("subagent_seconds", "0"),
        ("subagent_tokens", "1"),
        ("search_url", "file:///x"),
        ("search_url", "https://person@search.example"),
        ("web_max_bytes", "0"),
        ("web_seconds", "0"),
        ("database_url", "mysql://someone@127.0.0.1/name"),
        ("database_url", "steadyhand.db"),
        ("database_url", "sqlite://"),
        ("database_url", "sqlite:///:memory:"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_by_its_key(monkeypatch, key, value):
    monkeypatch.setenv(f"STEADYHAND_{key.upper()}", value)
    error = refused()
    assert (error.code, error.params["key"]) == ("setting_bad_value", key)


def test_a_bad_value_is_not_repeated_since_it_may_be_a_secret(monkeypatch):
    monkeypatch.setenv("STEADYHAND_DATABASE_URL", "mysql://someone:hush@127.0.0.1/name")
    assert "hush" not in str(refused())


@pytest.mark.parametrize(
    "url",
    [
        "sqlite:///some.db",
        "sqlite:////var/lib/some.db",
        "postgresql://u@h/n",
        "postgresql+psycopg://u:p@h:5432/n?sslmode=require",
    ],
)
def test_the_two_kinds_of_databases_are_taken(monkeypatch, url):
    monkeypatch.setenv("STEADYHAND_DATABASE_URL", url)
    assert load_settings().url == url


def test_a_file_that_is_no_toml_is_refused_with_its_place(write, data_dir):
    write("language = en\n")
    error = refused()
    assert (error.code, error.params["file"]) == ("settings_file_unreadable", str(data_dir / "steadyhand.toml"))
    assert "line 1" in error.params["reason"]


def test_a_file_that_is_no_text_is_refused(write, data_dir):
    (data_dir / "steadyhand.toml").write_bytes(b"\xff\xfe\x00")
    assert refused().code == "settings_file_unreadable"


def test_a_named_file_is_read_instead(tmp_path, write, monkeypatch):
    write('language = "zh-CN"')
    named = tmp_path / "mine.toml"
    named.write_text('language = "en"', encoding="utf-8")
    monkeypatch.setenv("STEADYHAND_CONFIG", str(named))
    assert settings_file() == named
    assert load_settings().language == "en"


def test_a_named_file_that_is_not_there_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("STEADYHAND_CONFIG", str(tmp_path / "none.toml"))
    assert refused().code == "settings_file_missing"


def test_the_home_folder_may_be_written_with_a_tilde(monkeypatch):
    monkeypatch.setenv("STEADYHAND_DATA_DIR", "~/data")
    assert load_settings().data_dir == Path.home() / "data"


def test_the_workspace_lies_in_the_data_folder_or_where_it_is_told(data_dir, monkeypatch, tmp_path):
    monkeypatch.setenv("STEADYHAND_DATA_DIR", str(data_dir))
    assert load_settings().workspace_dir == data_dir / "workspace"
    monkeypatch.setenv("STEADYHAND_WORKSPACE_DIR", str(tmp_path / "files"))
    assert load_settings().workspace_dir == tmp_path / "files"


@pytest.mark.parametrize("place", ["", " ", "{data}", "{data}/..", "{link}", "~nobody-of-that-name/files"])
def test_a_workspace_from_which_the_database_could_be_written_is_refused(data_dir, monkeypatch, tmp_path, place):
    (tmp_path / "link").symlink_to(data_dir)
    monkeypatch.setenv("STEADYHAND_DATA_DIR", str(data_dir))
    monkeypatch.setenv("STEADYHAND_WORKSPACE_DIR", place.format(data=data_dir, link=tmp_path / "link"))
    assert refused().params["key"] == "workspace_dir"


def test_settings_do_not_change_once_read():
    settings = load_settings()
    with pytest.raises(ValidationError):
        settings.language = "en"


def test_every_key_and_every_other_name_is_documented():
    text = (Path(__file__).parents[2] / "docs" / "settings.md").read_text(encoding="utf-8")
    wanted = [*Settings.model_fields, *NOT_SETTINGS]
    assert [name for name in wanted if f"| `{name}` |" not in text] == []


def test_no_dotenv_file_is_read(tmp_path, monkeypatch):
    (tmp_path / ".env").write_text("STEADYHAND_LANGUAGE=en\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert load_settings().language is None
    assert "STEADYHAND_LANGUAGE" not in os.environ
