"""Each tier is set by itself; how long history is kept depends on where it lies unless it is said."""

import pytest

from steadyhand.core.config import load_settings
from steadyhand.core.errors import SettingsInvalid
from steadyhand.memory.tiers import Tiers, tiers_of

SERVER = "postgresql+psycopg://someone@127.0.0.1/name"


def test_the_defaults_are_the_same_in_the_settings_and_in_the_tiers():
    assert tiers_of(load_settings()) == Tiers(history_days=None)


@pytest.mark.parametrize(
    ("url", "wanted", "days"),
    [("", "auto", None), (SERVER, "auto", 7.0), ("", "7", 7.0), (SERVER, "keep", None), (SERVER, "0.5", 0.5), ("", "keep", None)],
)
def test_history_is_kept_as_said_or_by_where_it_lies(monkeypatch, url, wanted, days):
    monkeypatch.setenv("STEADYHAND_DATABASE_URL", url)
    monkeypatch.setenv("STEADYHAND_MEMORY_HISTORY", wanted)
    assert tiers_of(load_settings()).history_days == days


def test_a_number_in_the_file_is_a_number_of_days(monkeypatch, data_dir):
    monkeypatch.setenv("STEADYHAND_DATA_DIR", str(data_dir))
    (data_dir / "steadyhand.toml").write_text("memory_history = 3\nmemory_short_messages = 5\n", encoding="utf-8")
    assert tiers_of(load_settings()) == Tiers(short_messages=5, history_days=3.0)


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf", "for ever", "", "0.05", "true"])
def test_another_word_is_refused_by_its_key(monkeypatch, value):
    monkeypatch.setenv("STEADYHAND_MEMORY_HISTORY", value)
    with pytest.raises(SettingsInvalid) as refused:
        load_settings()
    assert refused.value.params["key"] == "memory_history"
