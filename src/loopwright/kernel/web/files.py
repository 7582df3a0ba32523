"""What is asked for on the web, and what came."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Wanted:
    """What is asked for: its noun for messages, the beginnings of the content types that will do, its greatest size."""

    noun: str
    content_types: tuple[str, ...]
    max_bytes: int


@dataclass(frozen=True)
class Fetched:
    """What came, and from which address after all redirects; `charset` is as the host says, if it does."""

    url: str
    content_type: str
    charset: str | None
    data: bytes
