"""The output of a command: its beginning and its end, whatever it writes."""

from dataclasses import dataclass, field

KEPT_HEAD, KEPT_TAIL = 8_000, 16_000
"""Bytes that are kept: of the beginning, and of the end, where errors stand."""


@dataclass
class Output:
    """Takes pieces in, and holds a bounded part of them."""

    total: int = 0
    _head: bytearray = field(default_factory=bytearray)
    _tail: bytearray = field(default_factory=bytearray)

    def add(self, data: bytes) -> None:
        """Take a piece."""
        self.total += len(data)
        room = max(0, KEPT_HEAD - len(self._head))
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > 2 * KEPT_TAIL:  # not at every piece: what is kept is moved each time
            del self._tail[:-KEPT_TAIL]

    @property
    def cut_bytes(self) -> int:
        """How much was left out."""
        return self.total - len(self._head) - min(len(self._tail), KEPT_TAIL)

    def text(self) -> str:
        """What was kept, with a line that says what was left out."""
        if not self.cut_bytes:
            return (self._head + self._tail).decode("utf-8", "replace")
        head, tail = self._head.decode("utf-8", "replace"), self._tail[-KEPT_TAIL:].decode("utf-8", "replace")
        return f"{head}\n… {self.cut_bytes:,} bytes left out …\n{tail}"
