"""Decides how a failure is told over HTTP: a status, a stable code and words. It must not tell more than a person would be told."""

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from steadyhand.core.errors import ModelCanFix, OperatorRepairs, PersonDecides, SteadyhandError, ToolRefusal
from steadyhand.core.explain import explain
from steadyhand.core.language import Language
from steadyhand.core.logs import get_logger

log = get_logger(__name__)

NOT_LET_IN = (401, 403, 421)
"""Whoever is not let in holds no place either."""
STATUS = {"session_unknown": 404, "web_not_found": 404, "web_too_large": 413, "web_bad_request": 422}


def refusal(error: Exception, language: Language, status: int | None = None) -> JSONResponse:
    """Return a failure as a response."""
    told = explain(error, language)
    parts = {"code": told.code, "summary": told.summary, "detail": told.detail, "next": told.next_step}
    headers = {"Connection": "close"} if status in NOT_LET_IN else {}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse({"error": parts}, status or _status(error), headers)


def _status(error: Exception) -> int:
    if isinstance(error, SteadyhandError) and error.code in STATUS:
        return STATUS[error.code]
    match error:
        case ModelCanFix():
            return 400
        case PersonDecides():
            return 409
        case OperatorRepairs():
            return 503
        case _:
            return 500


def refuse_in_words(app: FastAPI, language: Language) -> None:
    """Let every failure of *app* be told in words."""

    async def ours(_request: Request, error: Exception) -> JSONResponse:
        return refusal(error, language)

    async def invalid(_request: Request, error: Exception) -> JSONResponse:
        first = error.errors()[0] if isinstance(error, RequestValidationError) else {"loc": (), "msg": ""}
        where = ".".join(str(part) for part in first["loc"])
        return refusal(ToolRefusal("web_bad_request", where=where, reason=str(first["msg"])), language)

    async def missing(request: Request, error: Exception) -> JSONResponse:
        status = error.status_code if isinstance(error, HTTPException) else 500
        if status in (404, 405):
            return refusal(ToolRefusal("web_not_found", what=request.url.path[:100]), language, status)
        reason = str(error.detail) if isinstance(error, HTTPException) else type(error).__name__
        return refusal(ToolRefusal("web_bad_request", where=request.url.path[:100], reason=reason), language, status)

    async def unexpected(_request: Request, error: Exception) -> JSONResponse:
        log.error("web_failed", exc_info=error)
        return refusal(error, language)

    app.add_exception_handler(SteadyhandError, ours)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(HTTPException, missing)
    app.add_exception_handler(Exception, unexpected)
