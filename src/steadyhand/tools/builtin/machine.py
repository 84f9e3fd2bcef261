"""Decides which tools there are that speak to the person or touch this machine, in a fixed order; it must not say who may use them."""

from typing import Any

from steadyhand.jobs.here import Limits
from steadyhand.tools.base import Tool
from steadyhand.tools.builtin.ask_user import ASK_USER
from steadyhand.tools.builtin.files import file_tools
from steadyhand.tools.builtin.message import MESSAGE
from steadyhand.tools.builtin.shell import FenceRule, shell_tool
from steadyhand.tools.builtin.workspace import Workspace


def builtin_tools(
    workspace: Workspace, limits: Limits | None = None, fence: FenceRule = "when_installed"
) -> tuple[Tool[Any], ...]:
    """Return them: message, ask_user, the files of *workspace*, and the shell within *limits*, under the rule of its *fence*."""
    return (MESSAGE, ASK_USER, *file_tools(workspace), shell_tool(workspace, limits or Limits(), rule=fence))
