"""How long an answer is waited for: as the settings say, and longer where prompt and speed demand it."""

from typing import Final, NamedTuple

from loopwright.models.discovery.endpoint import Speed
from loopwright.models.settings import ModelSettings

SLACK: Final = 3.0
"""So many times the expected time is no sign of trouble: the machine may be busy, and others may be served first."""


class Patience(NamedTuple):
    """Seconds: until the first byte, for one attempt, and for all attempts with one model."""

    first_byte: float
    attempt: float
    deadline: float


def patience_for(
    settings: ModelSettings, speed: Speed | None, *, prompt_tokens: int, answer_tokens: int, stream: bool
) -> Patience:
    """The patience for one request; without a known speed it is what the settings say."""
    if speed is None:
        return Patience(settings.silence_seconds, settings.attempt_seconds, settings.deadline_seconds)
    reading, writing = SLACK * prompt_tokens / speed.prompt, SLACK * answer_tokens / speed.answer
    first_byte = max(settings.silence_seconds, reading if stream else reading + writing)
    attempt = max(settings.attempt_seconds, reading + writing)
    return Patience(first_byte, attempt, max(settings.deadline_seconds, 2 * (reading + writing)))
