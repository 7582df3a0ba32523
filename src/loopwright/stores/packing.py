"""How a payload lies on disk: JSON as it is, or deflated against a dictionary of what payloads are made of.

Each payload is packed alone, so that any event can be read without the others; the dictionary makes up for that: most
of a payload is the names of its fields. The first byte tells how it was packed.
"""

import zlib
from functools import cache
from importlib import resources

_DICTIONARY_1 = b"\x01"
"""Deflated against `journal_dictionary_1.txt`, which must never change; a better dictionary gets the next number."""

_WORTH_IT = 48
"""Bytes; what is shorter is left as it is."""


@cache
def _dictionary() -> bytes:
    return resources.files("loopwright.stores").joinpath("journal_dictionary_1.txt").read_bytes()


def pack(text: bytes) -> bytes:
    """The JSON text of an object, packed where that makes it shorter."""
    if len(text) < _WORTH_IT:
        return text
    deflate = zlib.compressobj(6, zlib.DEFLATED, -15, 8, zlib.Z_DEFAULT_STRATEGY, _dictionary())
    packed = _DICTIONARY_1 + deflate.compress(text) + deflate.flush()
    return packed if len(packed) < len(text) else text


def unpack(stored: bytes) -> bytes:
    """The JSON text again.

    Raises:
        ValueError: it was packed in a way that this version does not know.
        zlib.error: it is damaged.
    """
    if stored[:1] == b"{":
        return stored
    if stored[:1] != _DICTIONARY_1:
        raise ValueError(f"This version of Loopwright cannot read a payload that begins with {stored[:1]!r}.")
    inflate = zlib.decompressobj(-15, _dictionary())
    return inflate.decompress(stored[1:]) + inflate.flush()
