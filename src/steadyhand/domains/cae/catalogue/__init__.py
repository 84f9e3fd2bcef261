"""What a model is told and asked for: the manuals of the wire tools, the briefs of both stages, and the route that a spec gives."""

from steadyhand.domains.cae.catalogue.briefing import brief
from steadyhand.domains.cae.catalogue.routing import route

__all__ = ["brief", "route"]
