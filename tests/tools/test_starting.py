"""Putting the tools together imports nothing slow: what fetches, parses pages or speaks MCP is imported when it is first used."""

import subprocess
import sys

SLOW = ("httpx", "httpcore", "httpx2", "mcp", "mcp_types", "jsonschema", "referencing", "selectolax", "idna", "anyio")
CODE = f"""
import sys
from steadyhand.core.clock import FakeClock
from steadyhand.core.config import Settings
from steadyhand.core.mcp_settings import McpServer
from steadyhand.tools.builtin.web import web_tools
from steadyhand.tools.mcp_client.clients import McpClients
from steadyhand.tools.registry import Registry
Registry(web_tools(Settings())).specs("en")
McpClients({{"notes": McpServer(command="notes")}}, FakeClock())
print([name for name in {SLOW} if name in sys.modules])
"""


def test_the_tools_of_the_web_and_of_other_servers_cost_nothing_before_they_are_used():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
