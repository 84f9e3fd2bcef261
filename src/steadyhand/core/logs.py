"""Decides how the program writes its own log (JSON lines on standard error); it must never write a secret.

structlog is imported when the first line is written: it takes a tenth of a second, and most commands write none.
"""

import logging
import sys
from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any, cast

from steadyhand.core.hiding import hide_in

if TYPE_CHECKING:
    from structlog.typing import FilteringBoundLogger

_LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}
_level: str | None = None
"""What `configure` was told last; before that everything is written."""


def hide_secrets(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Blank every secret of a line, however deep it lies."""
    for name, value in event.items():
        event[name] = hide_in(name, value)
    return event


def configure(level: str) -> None:
    """Send JSON lines at *level* (debug, info, warning, error) and above to standard error."""
    global _level  # noqa: PLW0603  # one process has one log
    _level = level
    if "structlog" in sys.modules:
        _configure_structlog()


def reset() -> None:
    """Forget what `configure` was told: for programs that run several set-ups in one process, as tests do."""
    global _level  # noqa: PLW0603  # one process has one log
    _level = None
    if "structlog" in sys.modules:
        import structlog  # noqa: PLC0415  # see the module's docstring

        structlog.reset_defaults()


def _configure_structlog() -> None:
    import structlog  # noqa: PLC0415  # see the module's docstring

    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            hide_secrets,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[(_level or "debug").upper()]),
        logger_factory=lambda *_: structlog.PrintLogger(
            sys.stderr
        ),  # asked for each line: standard error may be exchanged meanwhile
        cache_logger_on_first_use=False,
    )


class _Lazy:
    """A logger that becomes a real one when a line passes the level."""

    def __init__(self, name: str, bound: dict[str, Any]) -> None:
        self._name = name
        self._bound = bound

    def bind(self, **values: Any) -> "_Lazy":
        return _Lazy(self._name, {**self._bound, **values})

    def _write(self, method: str, event: str, values: dict[str, Any]) -> None:
        if _level is not None and _LEVELS[method] < _LEVELS[_level]:
            return
        import structlog  # noqa: PLC0415  # see the module's docstring

        if not structlog.is_configured():  # its own default prints the values of local variables, secrets among them
            _configure_structlog()
        getattr(structlog.get_logger(self._name), method)(event, **self._bound, **values)

    def debug(self, event: str, **values: Any) -> None:
        self._write("debug", event, values)

    def info(self, event: str, **values: Any) -> None:
        self._write("info", event, values)

    def warning(self, event: str, **values: Any) -> None:
        self._write("warning", event, values)

    def error(self, event: str, **values: Any) -> None:
        self._write("error", event, values)

    def exception(self, event: str, **values: Any) -> None:
        self._write("error", event, {"exc_info": True, **values})


def get_logger(name: str) -> "FilteringBoundLogger":
    """Return the logger of a module; it takes an event name and values, which become one JSON line."""
    return cast("FilteringBoundLogger", _Lazy(name, {}))
