"""Decides what the MCP server is put together from; it must not hold behaviour of its own."""

from steadyhand.core.language import Language
from steadyhand.domains.schedule.draft.drafting import Drafting
from steadyhand.server.mcp_parts import Parts
from steadyhand.wiring.app import App


def mcp_parts(app: App, language: Language) -> Parts:
    """Return the parts of the MCP server of the local person."""
    toolbox = app.toolbox
    return Parts(
        store=app.store,
        user=app.user,
        language=language,
        controller=app.controller,
        drafting=Drafting(app.store),
        registry=toolbox.registry,
        policy=toolbox.policy,
        working=toolbox.working,
        readers=toolbox.domains.readers,
    )
