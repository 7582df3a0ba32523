"""What can go wrong with a store, beyond what the kernel's errors name."""

from sqlalchemy.exc import DataError, DBAPIError, InterfaceError, OperationalError

from loopwright.kernel.errors import InvalidInput, LoopwrightError, StoreUnavailable


def passes(error: StoreUnavailable) -> bool:
    """Whether the trouble is of the passing kind (unreachable, locked, read-only, full), so that trying again helps."""
    return isinstance(error.__cause__, OperationalError | InterfaceError)


def as_own_error(error: DBAPIError | UnicodeEncodeError) -> LoopwrightError:
    """The driver's error in our terms, with the driver's as its cause."""
    own: LoopwrightError
    if isinstance(error, DBAPIError) and not isinstance(error, DataError):
        own = StoreUnavailable(f"The database refused: {error.orig}")
    else:
        own = InvalidInput("A text has characters that the database cannot hold (U+0000 or half a surrogate pair).")
    own.__cause__ = error
    return own


def storable(text: str, what: str, limit: int | None = None) -> str:
    """The text, if both databases can hold it.

    Args:
        text: to be stored.
        what: its name in the error.
        limit: its greatest length in characters.

    Raises:
        InvalidInput: it is too long or has U+0000, which PostgreSQL's text cannot hold.
    """
    if limit is not None and len(text) > limit:
        raise InvalidInput(f"The {what} has {len(text)} characters; at most {limit} are allowed.")
    if "\x00" in text:
        raise InvalidInput(f"The {what} has a zero character (U+0000).")
    return text


__all__ = ["StoreUnavailable", "as_own_error", "passes", "storable"]
