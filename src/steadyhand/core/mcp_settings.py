"""Decides how a server whose tools are used is named in the settings; it must not hold a secret, only the names of variables that do."""

import re
from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

ForeignEffect = Literal["read", "workspace", "exec", "external"]
ServerName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,19}$")]
"""No underscore: in ``mcp_<server>_<tool>`` the first one ends the server's name."""

_ON_THIS_MACHINE = re.compile(r"http://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(/|$)")


class McpServer(BaseModel):
    """One MCP server whose tools are used: a program of this machine, or an address.

    *env* names the environment variables that the program sees (no other reaches it); *headers* gives for a header of each request
    the environment variable that holds its value. *tools* names those that are offered (None: all); *effects* says for single
    tools what *effect* says for the rest.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    command: str = ""
    args: tuple[str, ...] = ()
    env: tuple[str, ...] = ("PATH", "HOME", "LANG")
    url: str = Field(default="", pattern=r"^(https?://[^\s@]+)?$")
    headers: Mapping[str, str] = Field(default_factory=dict[str, str])
    effect: ForeignEffect = "external"
    effects: Mapping[str, ForeignEffect] = Field(default_factory=dict[str, ForeignEffect])
    tools: tuple[str, ...] | None = None
    seconds: float = Field(default=60.0, gt=0, le=3600)

    @model_validator(mode="after")
    def _one_way_in(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise ValueError("either command or url")
        if self.headers and not (self.url.startswith("https://") or _ON_THIS_MACHINE.match(self.url)):
            raise ValueError("headers with secrets go over https, or to this machine")
        return self
