"""A file's habits: a byte order mark and line ends stay as they are when a model writes it anew."""

from loopwright.agents.ide.editing.replacing import newline_of, with_newlines

BYTE_ORDER_MARK = "\ufeff"


def in_the_style_of(before: bytes | None, content: str) -> bytes:
    """The content with the byte order mark and the line ends of what stands there, where that is text."""
    if before is None:
        return content.encode("utf-8")
    try:
        present = before.decode("utf-8")
    except UnicodeDecodeError:
        return content.encode("utf-8")
    if "\n" in present and newline_of(present) == "\r\n":
        content = with_newlines(content, "\r\n")
    if present.startswith(BYTE_ORDER_MARK) and not content.startswith(BYTE_ORDER_MARK):
        content = BYTE_ORDER_MARK + content
    return content.encode("utf-8")
