"""JSON pointers (RFC 6901)."""

from collections.abc import Sequence
from typing import Any


def escape(token: str | int) -> str:
    """The token as it stands between two slashes."""
    return str(token).replace("~", "~0").replace("/", "~1")


def join(pointer: str, *tokens: str | int) -> str:
    """The pointer, and deeper along the tokens."""
    return pointer + "".join("/" + escape(token) for token in tokens)


def tokens_of(pointer: str) -> list[str]:
    """The tokens of a pointer, unescaped."""
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def parents_of(pointer: str) -> list[str]:
    """The pointers of all that the place is in, from the outermost, the document itself, on."""
    tokens = pointer.split("/")
    return ["/".join(tokens[:count]) for count in range(1, len(tokens))]


def lookup(document: Any, pointer: str, default: Any = None) -> Any:
    """What the document has at the pointer, or the default."""
    for token in tokens_of(pointer):
        if isinstance(document, dict) and token in document:
            document = document[token]
        elif isinstance(document, list) and token.isdecimal() and int(token) < len(document):
            document = document[int(token)]
        else:
            return default
    return document


def pointer_of(document: Any, location: Sequence[str | int], *, missing: bool = False) -> str:
    """The pointer of a validation error's location, less the names of types that stand between.

    Args:
        document: what was validated.
        location: as Pydantic gives it.
        missing: whether the last token names a field that is not there.
    """
    pointer = ""
    for place, token in enumerate(location):
        if _has(document, token):
            document = document[token]
        elif not (missing and place == len(location) - 1):
            continue
        pointer = join(pointer, token)
    return pointer


def _has(document: Any, token: str | int) -> bool:
    if isinstance(document, list):
        return isinstance(token, int) and 0 <= token < len(document)
    return isinstance(document, dict) and token in document
