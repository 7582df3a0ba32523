"""Errors as JSON: what happened, and what to do next, in one shape."""

import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException

from loopwright.kernel import errors
from loopwright.stores.errors import StoreUnavailable

log = logging.getLogger(__name__)

STATUS: dict[type[errors.LoopwrightError], int] = {
    errors.NotFound: 404,
    errors.Conflict: 409,
    errors.InvalidInput: 400,
    errors.Refused: 422,
    errors.ModelError: 502,
    errors.JournalUnavailable: 503,
    StoreUnavailable: 503,
    errors.Forbidden: 403,
}

RETRY_SECONDS = 5
"""After which a client may ask again when something is away or too much is going on."""


def error_response(status: int, code: str, message: str, hint: str = "", **extra: Any) -> JSONResponse:
    """The one shape of an error: `{"error": {"code", "message", "hint"}}`."""
    return JSONResponse({"error": {"code": code, "message": message, "hint": hint, **extra}}, status_code=status)


def busy_response(message: str, code: str = "busy", hint: str = "Try again in some seconds.") -> JSONResponse:
    """A 503 that says when to ask again."""
    response = error_response(503, code, message, hint)
    response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


def status_of(error: errors.LoopwrightError) -> int:
    """The HTTP status of an error, by its nearest class in the table."""
    return next((STATUS[cls] for cls in type(error).__mro__ if cls in STATUS), 500)


def store_is_away() -> JSONResponse:
    """The database cannot be asked now. What it said is for the log: it may name hosts and files."""
    return busy_response("The database cannot be used now.", StoreUnavailable.code)


def add_error_handlers(app: FastAPI) -> None:
    """Answer every error in the one shape."""

    @app.exception_handler(errors.LoopwrightError)
    async def expected(request: Request, error: errors.LoopwrightError) -> JSONResponse:
        if status_of(error) == 503:
            log.error("%s %s: %s", request.method, request.scope["path"], error.message)
            return store_is_away()
        return error_response(status_of(error), error.code, error.message, error.hint)

    @app.exception_handler(PoolTimeout)
    async def no_connection(request: Request, error: PoolTimeout) -> JSONResponse:
        log.error("%s %s: %s", request.method, request.scope["path"], error)
        return store_is_away()

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        problems = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()[:10]]
        return error_response(422, "invalid_input", "; ".join(problems), "See /docs for the request's fields.")

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> JSONResponse:
        code = {404: "not_found", 405: "method_not_allowed"}.get(error.status_code, "error")
        message = f"There is no {request.method} {request.scope['path']}." if code != "error" else str(error.detail)
        return error_response(error.status_code, code, message, "See /docs." if code != "error" else "")

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> JSONResponse:
        log.error("%s %s broke", request.method, request.scope["path"], exc_info=error)
        return error_response(500, "internal", f"The server broke on {type(error).__name__}.", "The log has more.")
