"""Decides which server a provider speaks to, how long it waits, and where the key comes from; it must not show the key, nor send it in the clear."""

import ipaddress
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias
from urllib.parse import SplitResult, urlsplit

from steadyhand.core.canonical import Json
from steadyhand.core.errors import SettingsInvalid
from steadyhand.core.hiding import HIDDEN, hide

if TYPE_CHECKING:
    from steadyhand.core.config import Settings

ReasoningBack: TypeAlias = Literal["no", "reasoning_content", "reasoning"]
OURS = frozenset({"messages", "model", "stream", "tools", "functions", "function_call", "tool_choice", "response_format", "n"})
"""Keys of a body that only a request decides."""
LOCAL_NAMES = (".localhost", ".local", ".internal", ".home.arpa")
MAX_KEY_BYTES = 8192
CUT = "…"
"""How a text ends that was too long to be shown."""
TELLS_NOTHING = 3
"""So many marks of a key's beginning are the same for all keys of a provider."""


class Secret:
    """A text that shows itself to nobody who does not ask by name."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return HIDDEN

    def hidden_in(self, text: str) -> str:
        """Return *text* without this secret, nor its beginning where *text* was cut short in the middle of it."""
        text = text.replace(self._text, HIDDEN)
        if text.endswith(CUT):
            kept = text.removesuffix(CUT)
            for length in range(len(self._text) - 1, TELLS_NOTHING, -1):
                if kept.endswith(self._text[:length]):
                    return kept[:-length] + HIDDEN
        return text


@dataclass(frozen=True, slots=True)
class KeySource:
    """Where the key is: in the environment variable *env*, or in *file*, which only we may read. Neither means that none is needed."""

    env: str = ""
    file: Path | None = None

    def read(self) -> Secret | None:
        """Return the key as it is now; raises `SettingsInvalid` when it is named but not there, or lies open to others."""
        if self.env:
            text = os.environ.get(self.env, "").strip()
            if not text:
                raise SettingsInvalid("provider_key_missing", place=self.env)
            return _key(text, self.env)
        if self.file is not None:
            return _key(_read_private(self.file.expanduser()), str(self.file))
        return None


def _key(text: str, place: str) -> Secret:
    if not text.isascii() or not text.isprintable() or " " in text:  # it could not stand in a header, whose error would show it
        raise SettingsInvalid("provider_key_unusable", place=place)
    return Secret(text)


def _read_private(file: Path) -> str:
    try:
        handle = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise SettingsInvalid("provider_key_file", place=str(file), reason=error.strerror or type(error).__name__) from None
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077:
            raise SettingsInvalid("provider_key_file_open", place=str(file))
        text = os.read(handle, MAX_KEY_BYTES).decode("utf-8", "replace").strip()
    finally:
        os.close(handle)
    if not text:
        raise SettingsInvalid("provider_key_missing", place=str(file))
    return text


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """How many seconds are waited: for the connection, for the first byte (the connection included), between two pieces, for the whole."""

    connect: float = 10.0
    first_byte: float = 120.0
    between: float = 60.0
    total: float = 600.0


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A compatible server and what is asked of it.

    *tool_choice* is sent only where set, since not every model takes it. *reasoning_back* names the field in which the server wants
    a model's own thoughts back. *extra* is added to every body; it cannot replace what a request decides.
    """

    base_url: str
    model: str
    key: KeySource = field(default_factory=KeySource)
    limits: TimeLimits = field(default_factory=TimeLimits)
    max_tokens: int | None = None
    temperature: float | None = None
    tool_choice: Json = None
    stream_usage: bool = True
    reasoning_back: ReasoningBack = "no"
    extra: Mapping[str, Json] = field(default_factory=dict[str, Json])
    attempts: int = 4

    def __post_init__(self) -> None:
        _address(self.base_url)
        taken = sorted(OURS & set(self.extra))
        if taken:
            raise SettingsInvalid("provider_extra_refused", key=taken[0])

    @property
    def url(self) -> str:
        """Where requests go."""
        base = self.base_url.rstrip("/")
        return base if base.endswith("/chat/completions") else f"{base}/chat/completions"

    @property
    def host(self) -> str:
        return _address(self.base_url).hostname or ""

    @property
    def is_near(self) -> bool:
        """Whether the server is on this machine or in a private network: proxies are not asked then."""
        return is_near(self.host)


def is_near(host: str) -> bool:
    """Tell whether *host*, a name or an address, is this machine or in a private network. No name is looked up."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        name = host.lower().rstrip(".")
        return "." not in name or name.endswith(LOCAL_NAMES)
    mapped = getattr(address, "ipv4_mapped", None)
    address = mapped or address
    return address.is_loopback or (address.is_private and not address.is_link_local and not address.is_unspecified)


def _address(text: str) -> SplitResult:
    """Return the parts of a base address; raises `SettingsInvalid` for one that would carry the key in the clear or hold a secret."""
    try:
        parts = urlsplit(text)
        host, _port = parts.hostname, parts.port
    except ValueError:
        raise SettingsInvalid("provider_address", address=hide(text)) from None
    if parts.scheme not in {"http", "https"} or not host or "@" in parts.netloc or parts.query or parts.fragment:
        raise SettingsInvalid("provider_address", address=hide(text))
    if any(mark.isspace() or not mark.isprintable() for mark in text):
        raise SettingsInvalid("provider_address", address=hide(text))
    if parts.scheme == "http" and not is_near(host):
        raise SettingsInvalid("provider_address_in_the_clear", address=text)
    return parts


def endpoint_of(settings: "Settings") -> Endpoint | None:
    """Return the server that the settings name, or None when they name none."""
    if not settings.model_base_url:
        return None
    if not settings.model_name:
        raise SettingsInvalid("provider_model_missing")
    return Endpoint(
        settings.model_base_url,
        settings.model_name,
        KeySource(settings.model_key_env, settings.model_key_file),
        TimeLimits(total=settings.model_timeout_seconds),
        max_tokens=settings.model_max_tokens,
        temperature=settings.model_temperature,
        tool_choice=None if settings.model_tool_choice == "unset" else settings.model_tool_choice,
        reasoning_back=settings.model_reasoning_back,
        extra=settings.model_extra_body,
    )
