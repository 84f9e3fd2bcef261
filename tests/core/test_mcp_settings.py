"""A server whose tools are used is a table of the settings file; what makes no sense in it is refused by its place."""

import pytest

from steadyhand.core.config import load_settings
from steadyhand.core.errors import SettingsInvalid


@pytest.fixture
def load(data_dir, monkeypatch):
    monkeypatch.setenv("STEADYHAND_DATA_DIR", str(data_dir))

    def read(text):
        (data_dir / "steadyhand.toml").write_text(text, encoding="utf-8")
        return load_settings()

    return read


def test_servers_are_tables_of_the_file(load):
    settings = load(
        '[mcp.notes]\ncommand = "notes"\nargs = ["-x"]\nenv = ["PATH"]\ntools = ["find"]\neffects = { find = "read" }\n[mcp.tickets]\nurl = "https://tickets.example/mcp"\nheaders = { Authorization = "AUTH" }\n'
    )
    notes, tickets = settings.mcp["notes"], settings.mcp["tickets"]
    assert (notes.command, notes.args, notes.env, notes.tools, notes.effects) == (
        "notes",
        ("-x",),
        ("PATH",),
        ("find",),
        {"find": "read"},
    )
    assert (tickets.effect, tickets.seconds, dict(tickets.headers)) == ("external", 60.0, {"Authorization": "AUTH"})
    assert tickets.tools is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('[mcp.notes]\ncommand = "x"\ncolour = "red"\n', "setting_unknown"),
        ("[mcp.notes]\n", "setting_bad_value"),
        ('[mcp.my_notes]\ncommand = "x"\n', "setting_bad_value"),
        ('[mcp.Notes]\ncommand = "x"\n', "setting_bad_value"),
        ('[mcp.notes]\ncommand = "x"\neffect = "own"\n', "setting_bad_value"),
        ('[mcp.notes]\nurl = "http://tickets.example/"\nheaders = { Authorization = "AUTH" }\n', "setting_bad_value"),
        ('mcp = "notes"\n', "setting_bad_value"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_by_its_place(load, text, code):
    with pytest.raises(SettingsInvalid) as caught:
        load(text)
    assert caught.value.code == code
    assert caught.value.params["key"].startswith("mcp")
