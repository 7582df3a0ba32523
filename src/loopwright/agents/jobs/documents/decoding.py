"""Texts whose encoding nobody has written down."""

import codecs
import unicodedata

from loopwright.kernel.errors import InvalidInput

MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
SNIFFED_BYTES = 4_096
KEPT_CONTROLS = frozenset("\t\n\f")


def decoded(name: str, data: bytes, declared: str = "") -> str:
    """The text, with line feeds between lines and without control characters other than tab and form feed.

    A byte order mark decides; else the declared encoding if it fits; else UTF-8; else UTF-16 where every other byte is
    zero; else Windows-1252, in which old files of Western Europe are.

    Raises:
        InvalidInput: it is no text.
    """
    text = _decoded(name, data, declared).replace("\r\n", "\n").replace("\r", "\n").replace("\x85", "\n")
    return "".join(c for c in text if c in KEPT_CONTROLS or unicodedata.category(c) not in ("Cc", "Cs"))


def _decoded(name: str, data: bytes, declared: str) -> str:
    marked = next((encoding for mark, encoding in MARKS if data.startswith(mark)), "")
    for encoding in filter(None, (marked, declared, "utf-8", _sixteen_bits(data))):
        try:
            text = data.decode(encoding)
        except (UnicodeError, LookupError):
            continue  # the next guess
        if "\0" not in text:
            return text
    if b"\0" in data:
        raise InvalidInput(f"{name} is no text: it has zero bytes.", hint="Convert it to PDF, DOCX, HTML or text.")
    return data.decode("cp1252", errors="replace")


def _sixteen_bits(data: bytes) -> str:
    sample = data[:SNIFFED_BYTES]
    for encoding, zeros in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[0::2])):
        if len(sample) >= 4 and zeros.count(0) > 0.4 * len(zeros):
            return encoding
    return ""
