"""Decides the settings: defaults, then the file, then the environment; an unknown key is refused. It must not open anything but that file.

The file is ``steadyhand.toml`` in the data folder, or the one that ``STEADYHAND_CONFIG`` names.
Every key can be given as ``STEADYHAND_<KEY>`` in the environment too (``STEADYHAND_LANGUAGE=en``).
"""

import os
import re
import tomllib
from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from steadyhand.core.clock import zone_exists
from steadyhand.core.errors import SettingsInvalid
from steadyhand.core.language import Language

PREFIX = "STEADYHAND_"
NOT_SETTINGS = frozenset(
    {"STEADYHAND_CONFIG", "STEADYHAND_FAULT", "STEADYHAND_VENV", "STEADYHAND_TEST_POSTGRES_URL", "STEADYHAND_REQUIRE_POSTGRES"}
)
"""Names with our prefix that are no settings: where the file is, where to die (crash tests), where the environment is, tests' server."""

_DATABASE = re.compile(r"(postgresql(\+psycopg)?://|sqlite(\+pysqlite)?:///(?!:memory:)[^?])")

Answer = Literal["allow", "ask", "deny"]


def default_data_dir() -> Path:
    """Return the folder used when none is set: ``$XDG_DATA_HOME/steadyhand``, else ``~/.local/share/steadyhand``."""
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "steadyhand"


class Settings(BaseSettings):
    """Every setting of the program; see `docs/settings.md`."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="forbid", frozen=True)

    data_dir: Path = Field(default_factory=default_data_dir)
    database_url: str = ""
    language: Language | None = None
    zone: str | None = None
    log_level: Literal["debug", "info", "warning", "error"] = "warning"
    change_expiry_hours: float = Field(default=72.0, gt=0, le=24 * 90)
    approve_sealed: Literal["ask", "within_confirmed_spec"] = "ask"
    max_operations: int = Field(default=20_000, ge=1)
    lease_seconds: float = Field(default=30.0, ge=1, le=3600)
    policy_exec: Answer = "deny"
    policy_external: Answer = "ask"
    policy_workspace: Answer = "allow"
    job_memory_mib: int = Field(default=768, ge=64)
    job_seconds: float = Field(default=300.0, gt=0)

    @field_validator("zone")
    @classmethod
    def _zone_exists(cls, value: str | None) -> str | None:
        if value is not None and not zone_exists(value):
            raise ValueError("unknown zone")
        return value

    @field_validator("database_url")
    @classmethod
    def _database_known(cls, value: str) -> str:
        if value and not _DATABASE.match(value):
            raise ValueError("neither postgresql:// nor sqlite:///FILE")
        return value

    @field_validator("data_dir")
    @classmethod
    def _home_resolved(cls, value: Path) -> Path:
        try:
            return value.expanduser().absolute()
        except RuntimeError as error:  # a home folder of somebody who is not there
            raise ValueError("no such home folder") from error

    @cached_property
    def url(self) -> str:
        """The SQLAlchemy URL of the one database."""
        return self.database_url or f"sqlite:///{self.data_dir / 'steadyhand.db'}"

    @property
    def on_sqlite(self) -> bool:
        """Whether the one database is the default SQLite file."""
        return self.url.startswith("sqlite")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        del dotenv_settings, file_secret_settings
        file = settings_file()
        if file.is_file():
            return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, file)
        return init_settings, env_settings


def settings_file() -> Path:
    """Return where the settings file is looked for; it need not exist."""
    named = os.environ.get("STEADYHAND_CONFIG")
    if named:
        return Path(named).expanduser()
    folder = os.environ.get("STEADYHAND_DATA_DIR")
    return (Path(folder).expanduser() if folder else default_data_dir()) / "steadyhand.toml"


def place_of(key: str) -> Literal["environment", "file", "default"]:
    """Return where the value in force of the setting *key* comes from."""
    if any(name.upper() == f"{PREFIX}{key.upper()}" for name in os.environ):
        return "environment"
    file = settings_file()
    if file.is_file() and key in tomllib.loads(file.read_text(encoding="utf-8")):
        return "file"
    return "default"


def load_settings() -> Settings:
    """Read the settings; an unknown key or a bad value raises `SettingsInvalid`, naming the key and its place."""
    known = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields} | NOT_SETTINGS
    for name in sorted(os.environ):
        if name.startswith(PREFIX) and name not in known:
            raise SettingsInvalid("setting_unknown", key=name, place="environment")
    file = _file_or_refuse()
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        code = "setting_unknown" if first["type"] == "extra_forbidden" else "setting_bad_value"
        raise SettingsInvalid(code, key=key, place=str(file), reason=first["msg"]) from None
    except (ValueError, OSError, RecursionError) as error:  # the file is no TOML, cannot be read, or is nested without end
        reason = str(error) if isinstance(error, ValueError) else type(error).__name__
        raise SettingsInvalid("settings_file_unreadable", file=str(file), reason=reason) from None


def _file_or_refuse() -> Path:
    named = os.environ.get("STEADYHAND_CONFIG")
    try:
        file = settings_file()
    except RuntimeError:  # a home folder of somebody who is not there
        folder = named or os.environ.get("STEADYHAND_DATA_DIR", "~")
        raise SettingsInvalid("settings_file_missing", file=folder) from None
    if named and not file.is_file():
        raise SettingsInvalid("settings_file_missing", file=named)
    return file
