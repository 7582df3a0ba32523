"""How one attempt can fail, and which HTTP answers mean what.

AttemptFailed            worth another try: it becomes `ModelUnavailable` when tries, patience and fallback are spent
├── TookTooLong          nothing came in time: tried again once, since the server may still be at work on the first
├── StillLoading         a local server reads its weights: waited for without counting the tries
└── ConnectionDropped    closed before a word was said, as servers do with connections kept open: tried again at once

What is not worth another try is `ModelRejected` at once.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from pydantic_core import from_json

from loopwright.kernel.errors import ModelRejected
from loopwright.models.waiting import retry_after_seconds

PASSING: Final = frozenset({408, 409, 425, 429})
"""Client errors that pass by themselves; every 5xx does as well."""

HINTS: Final[Mapping[int, str]] = {
    401: "Check OPENAI_API_KEY, and that OPENAI_BASE_URL is the endpoint the key belongs to.",
    403: "The key may not use this model or this endpoint; check OPENAI_API_KEY and the MODEL_* settings.",
    404: "Check that OPENAI_BASE_URL ends where /chat/completions begins (mostly in /v1), and the MODEL_* names.",
    413: "The conversation or an image in it is too large for this endpoint.",
}
QUOTA_CODES: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
KEY_LIKE: Final = re.compile(r"\b(?:sk|pk|gsk|xai|key)-[\w*.-]{6,}|(?<=[Bb]earer )\S+")


class AttemptFailed(Exception):
    """An attempt failed for a reason that may pass.

    `retry_after` is how long the endpoint asks to wait, in seconds.
    """

    def __init__(self, reason: str, *, retry_after: float | None = None) -> None:
        """Keep the reason, free of secrets, and how long to wait."""
        super().__init__(reason)
        self.reason = reason
        self.retry_after = retry_after


class TookTooLong(AttemptFailed):
    """Not a byte, or no whole answer, came in time; the connection was closed, so that the server stops its work."""


class StillLoading(AttemptFailed):
    """The server answers, but its model is not in memory yet."""


class ConnectionDropped(AttemptFailed):
    """The other side closed the connection before it answered."""


def redact(text: str, secret: str | None) -> str:
    """The text without the key and without what looks like one: endpoints like to repeat it."""
    if secret:
        text = text.replace(secret, "***")
    return KEY_LIKE.sub("***", text)


def failure_of(
    status: int, headers: Mapping[str, str], body: bytes, *, model: str, endpoint: str, secret: str | None
) -> AttemptFailed | ModelRejected:
    """What an HTTP answer other than 200 means. `headers` have lower-case names."""
    message, code = _told(body)
    said = f": {redact(message, secret)[:1_000]}" if message else ""
    where = f"{endpoint} answered {status} to a request for {model}{said}"
    verdict = headers.get("x-should-retry", "").lower()  # OpenAI's own word on it goes before the status
    if code in QUOTA_CODES and verdict != "true":
        return ModelRejected(where, hint="The account behind OPENAI_API_KEY has no credit left.")
    if 300 <= status < 400:
        target = redact(headers.get("location", "somewhere else"), secret)
        return ModelRejected(where, hint=f"It redirects to {target}: set OPENAI_BASE_URL to its final address.")
    if status == 503 and "loading" in message.lower():
        return StillLoading(where, retry_after=retry_after_seconds(headers))
    passing = status in PASSING or status >= 500
    if verdict in {"true", "false"}:
        passing = verdict == "true"
    if passing:
        return AttemptFailed(where, retry_after=retry_after_seconds(headers))
    return ModelRejected(where, hint=_hint(status, code, message))


def _hint(status: int, code: str, message: str) -> str:
    if code == "context_length_exceeded" or "context length" in message.lower():
        return "The conversation is longer than the model's context; choose a model with a larger one."
    if status == 400 and ("tool" in message.lower() or "function" in message.lower()):
        return "If the model knows no tool calls, set MODEL_TOOLS=schema."
    return HINTS.get(status, "")


def _told(body: bytes) -> tuple[str, str]:
    """The message and the code of an error body, in OpenAI's form or in the ones seen elsewhere."""
    try:
        data: Any = from_json(body)
    except ValueError:
        return " ".join(body[:500].decode("utf-8", "replace").split()), ""
    error = data.get("error", data) if isinstance(data, dict) else data
    if not isinstance(error, dict):
        return str(error), ""
    message = error.get("message") or error.get("detail") or error
    return str(message), str(error.get("code") or error.get("type") or "")
