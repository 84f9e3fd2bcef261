"""Decides what a server reported when it reports a failure, in whatever form; it must not take a page of HTML for words."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from steadyhand.core.canonical import Json
from steadyhand.core.hiding import hide
from steadyhand.llm.endpoint import CUT
from steadyhand.llm.provider import ProviderError
from steadyhand.llm.strict import Object, load

MAX_SAID = 300
MESSAGES = ("message", "msg", "error_msg", "error_message", "errmsg", "status_msg", "detail")
CODES = ("code", "error_code", "status_code", "errcode")
FINE = frozenset({"", "0", "200", "ok", "success", "none"})
AGAIN = ("rate_limit", "ratelimit", "too_many_requests", "overloaded", "throttl", "server_error", "internal_error", "unavailable")
NEVER = ("insufficient_quota", "insufficient_balance", "billing", "arrearage", "exceeded_current_quota")
MINIMAX_BUSY = 1002


def reported(chunk: Object) -> ProviderError | None:
    """Return the failure that an event or a body inside a good response reports, or None when it reports none."""
    for key in ("error", "errors"):
        if chunk.get(key):
            return _failure(chunk[key], chunk)
    base = chunk.get("base_resp")
    if isinstance(base, Mapping):
        return _failure(base, chunk) if base.get("status_code") != 0 else None
    header = chunk.get("header")
    if isinstance(header, Mapping) and _code(header):
        return _failure(header, chunk)
    if chunk.get("object") == "error" or chunk.get("type") == "error" or chunk.get("success") is False:
        return _failure(chunk, chunk)
    if chunk.get("choices"):
        return None
    coded, worded = bool(_code(chunk) or _status(chunk)), bool(_message(chunk))
    tells = (coded and worded) if chunk.get("usage") else (coded or worded)
    return _failure(chunk, chunk) if tells else None


def refused(status: int, headers: Mapping[str, str], body: bytes, now: datetime) -> ProviderError:
    """Return the failure that a response with another status than 200 is; *headers* have small letters."""
    try:
        told = load(body.decode())
    except ValueError:
        told = None
    node = _inner(told)
    said = _message(node) or (told if isinstance(told, str) else "")
    kind = _kind(node)
    after = retry_after(headers, now)
    again = may_retry(status) and not any(word in kind for word in NEVER)
    return ProviderError(
        "provider", "http_status", about=_shown(f"{status} {said}"), retryable=again, retry_after=after, status=status
    )


def may_retry(status: int) -> bool:
    """Tell whether the same request may succeed a little later."""
    return status in {408, 425, 429} or status >= 500


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that a server asks to wait, given as such or as a date; None when it does not, or not so that it is sure."""
    text = headers.get("retry-after", "").strip()
    try:
        if "retry-after-ms" in headers:
            return _seconds(float(headers["retry-after-ms"]) / 1000)
        if not text:
            return None
        if text[0].isdigit():
            return _seconds(float(text))
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max((moment - now).total_seconds(), 0.0)


def _seconds(value: float) -> float | None:
    return value if 0 <= value < 10**9 else None


def _failure(told: Json, chunk: Object) -> ProviderError:
    node = _inner(told) or chunk
    status = _status(node) or _status(chunk)
    kind = _kind(node)
    busy = (status is not None and may_retry(status)) or any(word in kind for word in AGAIN) or _code(node) == str(MINIMAX_BUSY)
    again = busy and not any(word in kind for word in NEVER)
    said = told if isinstance(told, str) else _message(node) or _message(chunk) or _code(node)
    return ProviderError("provider", "server_error", about=_shown(said), retryable=again, status=status)


def _inner(told: Json) -> Object:
    """Return the object that tells of the failure: often the one under ``error``, sometimes the first of a list."""
    if isinstance(told, list) and told:
        return _inner(told[0])  # type: ignore[reportUnknownArgumentType]  # a list of JSON
    if not isinstance(told, Mapping):
        return {}
    inner = told.get("error") or told.get("errors")
    if isinstance(inner, str) and not _message(told):
        return {"message": inner}
    return _inner(inner) if isinstance(inner, Mapping | list) else told


def _message(node: Object) -> str:
    for key in MESSAGES:
        value = node.get(key)
        if isinstance(value, str) and value.strip():
            return value
    return ""


def _code(node: Object) -> str:
    for key in CODES:
        value = node.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip().lower() not in FINE:
            return str(value).strip()
    return ""


def _kind(node: Object) -> str:
    return " ".join(str(node.get(key, "")).lower().replace(" ", "_") for key in ("type", "code", "status", "message"))


def _status(node: Object) -> int | None:
    for key in (*CODES, "status"):
        value = node.get(key)
        text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
        if text.isascii() and text.isdigit() and len(text) == 3 and 400 <= int(text) <= 599:
            return int(text)
    return None


def _shown(said: str) -> str:
    """Return a server's words on one line, bounded, without marks that a terminal obeys and without passwords."""
    line = " ".join("".join(mark if mark.isprintable() else " " for mark in said[: 4 * MAX_SAID]).split())
    return hide(line if len(line) <= MAX_SAID else line[:MAX_SAID] + CUT)
