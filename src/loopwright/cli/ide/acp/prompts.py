"""A prompt's blocks as one message."""

from collections.abc import Sequence
from typing import Any

from acp.schema import EmbeddedResourceContentBlock, ResourceContentBlock, TextContentBlock, TextResourceContents

from loopwright.kernel.errors import InvalidInput


def text_of(blocks: Sequence[Any]) -> str:
    """The message: texts as they are, linked resources by name and address, embedded ones with their text.

    Raises:
        InvalidInput: a block is of a kind that was not offered.
    """
    return "\n".join(_text(block) for block in blocks).strip()


def _text(block: Any) -> str:
    match block:
        case TextContentBlock():
            return block.text
        case ResourceContentBlock():
            return f"[{block.name}]({block.uri})"
        case EmbeddedResourceContentBlock(resource=TextResourceContents() as resource):
            return f"From {resource.uri}:\n````\n{resource.text}\n````"
    raise InvalidInput(
        f"A prompt may not have a block of type {getattr(block, 'type', '?')!r}.", hint="Send text, or link the file."
    )
