"""How bytes get to an endpoint and back."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Protocol


class Reply(Protocol):
    """An HTTP answer whose body is still on its way. `headers` have lower-case names."""

    @property
    def status(self) -> int:
        """The HTTP status."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers, names in lower case."""
        ...

    def chunks(self) -> AsyncIterator[bytes]:
        """The body as it comes; it may be read once.

        Raises:
            AttemptFailed: the connection broke before the body was whole.
        """
        ...


class Transport(Protocol):
    """Sends one POST. Waiting, trying again and reading the answer are other people's business."""

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> AbstractAsyncContextManager[Reply]:
        """The answer, open for reading within the context; leaving it early drops the connection.

        Raises:
            AttemptFailed: no connection, or one that broke.
            ModelRejected: the address or its certificate can never work.
        """
        ...

    async def aclose(self) -> None:
        """Close what is open; the transport may be used again afterwards."""
        ...
