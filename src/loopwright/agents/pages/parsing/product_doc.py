"""The parser of every stage: takes the `product-doc` block out of the model's text (decision 16 of the field notes)."""

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from loopwright.agents.pages.contracts import SectionPatch
from loopwright.agents.pages.parsing.fences import fences
from loopwright.kernel.spec import Parsed

TAG = "product-doc"

FORMAT = (
    'Write it like this: ```product-doc\n{"sections": [{"name": "brand_style", "title": "Brand style", "op": "set", '
    '"content": "Warm, hand-made"}]}\n``` where op is set, append, remove or merge (with "sources").'
)


class ProductDocBlock(BaseModel):
    """The content of the block."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sections: tuple[SectionPatch, ...] = Field(min_length=1, max_length=30)


def parse_answer(text: str) -> Parsed:
    """Split a model's text into what the user reads and the patches of the product doc.

    A block that cannot be read is left out of the visible text all the same, and the complaint says what is wrong with
    it; the patches of the other blocks count.
    """
    patches: list[SectionPatch] = []
    complaints: list[str] = []
    visible: list[str] = []
    position = 0
    for fence in fences(text):
        if fence.tag != TAG:
            continue
        visible.append(text[position : fence.start].rstrip())
        position = fence.end
        block = read_block(fence.content) if fence.closed else "the block is not closed; it was cut off"
        if isinstance(block, str):
            complaints.append(block)
        else:
            patches += block.sections
    if not position:
        return Parsed(visible=text, kept=text)
    visible.append(text[position:].strip("\n"))
    shown = "\n\n".join(piece for piece in visible if piece.strip())
    complaint = None
    if complaints:
        complaint = f"Your product-doc block was not stored: {'; '.join(complaints)}. {FORMAT}"
    return Parsed(visible=shown, kept=text, records=tuple(patches), complaint=complaint)


def read_block(content: str) -> ProductDocBlock | str:
    """The block, or what is wrong with it. Line breaks inside strings are forgiven."""
    try:
        data: Any = json.loads(content, strict=False)
    except ValueError as error:
        return f"it is not valid JSON ({error})"
    try:
        return ProductDocBlock.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc'])) or 'the block'}: {first['msg']}"
