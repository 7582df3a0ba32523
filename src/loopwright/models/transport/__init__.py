"""How bytes get to an endpoint and back."""

from collections.abc import Mapping
from typing import Protocol


class Reply(Protocol):
    """An HTTP answer whose body is still on its way."""

    @property
    def status(self) -> int:
        """The HTTP status."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers, names in lower case."""
        ...

    async def next_chunk(self) -> bytes:
        """The next piece of the body, as soon as there is one; empty at its end.

        Raises:
            AttemptFailed: the connection broke before the body was whole.
        """
        ...

    async def close(self) -> None:
        """Done with it: a body that was read to its end leaves the connection to others, any other one drops it."""
        ...


class Transport(Protocol):
    """Sends one POST. Waiting, trying again and reading the answer are other people's business."""

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Reply:
        """The answer, which the caller closes.

        Raises:
            AttemptFailed: no connection, or one that broke.
            ModelRejected: the address or its certificate can never work.
            Misconfigured: there is no way to that address.
        """
        ...

    async def aclose(self) -> None:
        """Close what is open; the transport may be used again afterwards."""
        ...


class ReadingTransport(Transport, Protocol):
    """A transport that also reads what an endpoint tells of itself."""

    async def get(self, url: str, headers: Mapping[str, str]) -> Reply:
        """The answer, which the caller closes; raises as `post`."""
        ...
