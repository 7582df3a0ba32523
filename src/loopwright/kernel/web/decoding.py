"""Bodies unpacked piece by piece, so that a few bytes on the wire never become more than is wanted in memory."""

import zlib

from loopwright.kernel.errors import InvalidInput

ACCEPTED = "gzip, deflate"
"""The value of Accept-Encoding."""

_WINDOW = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}


class Decoder:
    """Gathers a body up to a number of bytes, counted after unpacking."""

    def __init__(self, encoding: str, max_bytes: int) -> None:
        """Take the value of Content-Encoding, empty where there is none.

        Raises:
            InvalidInput: the body is packed in another way than was asked for.
        """
        name = encoding.strip().lower()
        if name not in ("", "identity", *_WINDOW):
            raise InvalidInput(f"The answer is packed as {name[:40]!r}, which was not asked for.")
        self._packed = zlib.decompressobj(_WINDOW[name]) if name in _WINDOW else None
        self._max = max_bytes
        self.data = bytearray()

    @property
    def is_over(self) -> bool:
        """Whether there is more than was allowed; `data` is then one byte longer than the limit at most."""
        return len(self.data) > self._max

    def feed(self, chunk: bytes) -> None:
        """Take a piece of the wire.

        Raises:
            InvalidInput: it is not packed as it claims to be.
        """
        room = self._max + 1 - len(self.data)
        if self._packed is None:
            self.data += chunk[:room]
            return
        try:
            self.data += self._packed.decompress(chunk, room)
        except zlib.error as error:
            raise InvalidInput(f"The answer is not packed as it says: {error}.") from error

    def finish(self) -> bytes:
        """The body after its last piece.

        Raises:
            InvalidInput: its packing breaks off.
        """
        if self._packed is not None and not self._packed.eof:
            raise InvalidInput("The answer is packed, and breaks off before its end.")
        return bytes(self.data)
