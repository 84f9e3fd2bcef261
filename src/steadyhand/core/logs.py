"""Decides how the program writes its own log (JSON lines on standard error); it must never write a secret."""

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

_SECRET = re.compile(r"(key|token|secret|password|authorization|cookie)", re.IGNORECASE)
_URL_PASSWORD = re.compile(r"(?P<head>[a-z][a-z0-9+.-]*://[^:/@\s]*:)[^@\s]+@", re.IGNORECASE)


def hide_secrets(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Blank every value whose name speaks of a secret and every password inside a URL."""
    for name, value in event.items():
        if _SECRET.search(name):
            event[name] = "[hidden]"
        elif isinstance(value, str):
            event[name] = _URL_PASSWORD.sub(r"\g<head>[hidden]@", value)
    return event


def configure(level: str) -> None:
    """Send JSON lines at *level* (debug, info, warning, error) and above to standard error."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            hide_secrets,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=False,
    )
