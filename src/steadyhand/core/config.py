"""Decides the settings: defaults, then the file, then the environment; an unknown key is refused. It must not open anything but that file.

The file is ``steadyhand.toml`` in the data folder, or the one that ``STEADYHAND_CONFIG`` names.
Every key can be given as ``STEADYHAND_<KEY>`` in the environment too (``STEADYHAND_LANGUAGE=en``).
"""

import os
import re
import tomllib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, ValidationInfo, field_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from steadyhand.core.clock import zone_exists
from steadyhand.core.errors import SettingsInvalid
from steadyhand.core.language import Language
from steadyhand.core.mcp_settings import McpServer, ServerName

PREFIX = "STEADYHAND_"
NOT_SETTINGS = frozenset(
    {
        "STEADYHAND_CONFIG",
        "STEADYHAND_FAULT",
        "STEADYHAND_VENV",
        "STEADYHAND_TEST_POSTGRES_URL",
        "STEADYHAND_REQUIRE_POSTGRES",
        "STEADYHAND_REQUIRE_MODEL",
        "STEADYHAND_REQUIRE_CCX",
        "STEADYHAND_REQUIRE_PYVISTA",
    }
)
"""Names with our prefix that are no settings: where the file is, where to die (crash tests), where the environment is, tests' servers."""

_DATABASE = re.compile(r"(postgresql(\+psycopg)?://|sqlite(\+pysqlite)?:///(?!:memory:)[^?])")

_HOUR = r"(?:[01]?\d|2[0-3])(?::[0-5]\d)?"
_QUIET = re.compile(rf"(?!({_HOUR})-\1$){_HOUR}-{_HOUR}")

Answer = Literal["allow", "ask", "deny"]
MIN_HISTORY_DAYS, MAX_HISTORY_DAYS = 0.1, 36_500


def _number(value: object) -> float | None:
    """Return a number, or the number that a text is."""
    try:
        return float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else None
    except ValueError:
        return None


def default_data_dir() -> Path:
    """Return the folder used when none is set: ``$XDG_DATA_HOME/steadyhand``, else ``~/.local/share/steadyhand``."""
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "steadyhand"


class Settings(BaseSettings):
    """Every setting of the program; see `docs/settings.md`."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="forbid", frozen=True)

    data_dir: Path = Field(default_factory=default_data_dir)
    workspace_dir: Path = Field(default_factory=lambda known: known["data_dir"] / "workspace")
    database_url: str = ""
    language: Language | None = None
    zone: str | None = None
    log_level: Literal["debug", "info", "warning", "error"] = "warning"
    change_expiry_hours: float = Field(default=72.0, gt=0, le=24 * 90)
    approve_sealed: Literal["ask", "within_confirmed_spec"] = "ask"
    max_operations: int = Field(default=20_000, ge=1)
    lease_seconds: float = Field(default=30.0, ge=1, le=3600)
    policy_exec: Answer = "deny"
    shell_fence: Literal["required", "when_installed", "when_possible"] = "when_installed"
    policy_external: Answer = "ask"
    policy_workspace: Answer = "allow"
    job_memory_mib: int = Field(default=768, ge=64)
    job_seconds: float = Field(default=300.0, gt=0)
    jobs_at_once: int = Field(default=2, ge=1, le=64)
    cae_memory_mib: int = Field(default=4096, ge=512)
    cae_seconds: float = Field(default=600.0, gt=0, le=24 * 3600)
    subagent_rounds: int = Field(default=12, ge=1, le=200)
    subagent_seconds: float = Field(default=240.0, gt=0, le=24 * 3600)
    subagent_tokens: int = Field(default=100_000, ge=1_000)
    search_url: str = Field(default="", pattern=r"^(https?://[^\s/?#@]+(/[^\s?#]*)?)?$")
    web_max_bytes: int = Field(default=2_000_000, ge=1_000, le=50_000_000)
    web_seconds: float = Field(default=20.0, gt=0, le=600)
    web_ports: tuple[int, ...] = (80, 443, 8080, 8443)
    web_allow_hosts: tuple[str, ...] = ()
    mcp: Mapping[ServerName, McpServer] = Field(default_factory=dict[str, McpServer])
    heartbeat_enabled: bool = True
    heartbeat_minutes: float = Field(default=30.0, ge=5, le=7 * 24 * 60)
    channel_host: str = "127.0.0.1"
    channel_port: int | None = Field(default=None, ge=0, le=65_535)
    channel_names: tuple[str, ...] = ()
    onebot_token_env: str = Field(default="", pattern=r"^\w*$")
    onebot_token_file: Path | None = None
    model_base_url: str = ""
    model_name: str = ""
    model_key_env: str = ""
    model_key_file: Path | None = None
    model_timeout_seconds: float = Field(default=600.0, ge=1, le=24 * 3600)
    model_max_tokens: int | None = Field(default=None, ge=1)
    model_temperature: float | None = Field(default=None, ge=0, le=2)
    model_tool_choice: Literal["unset", "auto", "required"] = "unset"
    model_reasoning_back: Literal["no", "reasoning_content", "reasoning"] = "no"
    model_price_read: float = Field(default=0.0, ge=0)
    model_price_written: float = Field(default=0.0, ge=0)
    model_cost_per_day: float | None = Field(default=None, gt=0)
    model_extra_body: dict[str, Any] = Field(default_factory=dict)
    telemetry: Literal["off", "otlp"] = "off"
    telemetry_content: bool = False
    turn_rounds: int = Field(default=16, ge=1, le=200)
    turn_seconds: float = Field(default=300.0, gt=0, le=24 * 3600)
    turn_tokens: int = Field(default=400_000, ge=1_000)
    answer_minutes: float = Field(default=30.0, gt=0, le=24 * 60)
    quiet_hours: str = ""
    proactive_per_day: int = Field(default=12, ge=0, le=1000)
    proactive_apart_minutes: float = Field(default=5.0, ge=0, le=24 * 60)
    memory_short_messages: int = Field(default=20, ge=1, le=1000)
    memory_short_hours: float = Field(default=2.0, gt=0, le=24 * 365)
    memory_working_hours: float = Field(default=1.0, gt=0, le=24 * 365)
    memory_history: Literal["auto", "keep"] | float = "auto"

    @field_validator("zone")
    @classmethod
    def _zone_exists(cls, value: str | None) -> str | None:
        if value is not None and not zone_exists(value):
            raise ValueError("unknown zone")
        return value

    @field_validator("quiet_hours")
    @classmethod
    def _quiet_known(cls, value: str) -> str:
        if value and not _QUIET.fullmatch(value):
            raise ValueError("neither 23-7 nor 22:30-07:00")
        return value

    @field_validator("memory_history", mode="before")
    @classmethod
    def _history_known(cls, value: object) -> object:
        if value in ("auto", "keep"):
            return value
        days = _number(value)
        if days is None or not MIN_HISTORY_DAYS <= days <= MAX_HISTORY_DAYS:
            raise ValueError(f"neither auto nor keep nor a number of days from {MIN_HISTORY_DAYS:g} to {MAX_HISTORY_DAYS}")
        return days

    @field_validator("database_url")
    @classmethod
    def _database_known(cls, value: str) -> str:
        if value and not _DATABASE.match(value):
            raise ValueError("neither postgresql:// nor sqlite:///FILE")
        return value

    @field_validator("workspace_dir", mode="before")
    @classmethod
    def _workspace_named(cls, value: object) -> object:
        if not str(value).strip():
            raise ValueError("an empty name would be the folder that the program was started in")
        return value

    @field_validator("workspace_dir")
    @classmethod
    def _workspace_beside_data(cls, value: Path, info: ValidationInfo) -> Path:
        value = cls._home_resolved(value)
        data_dir = info.data.get("data_dir")
        if data_dir is not None and data_dir.resolve().is_relative_to(value.resolve()):
            raise ValueError("the data folder lies in it, and tools could write the database")
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
