"""Which paragraphs tell an example: what they say happened is no demand."""

import re

from loopwright.agents.jobs.documents import Block

LABEL = re.compile(r"(?:Beispiele?|Examples?)\s*(?:\d{1,3}\s*)?(?::|$)", re.IGNORECASE)


class ExampleWatch:
    """Sees block after block.

    A label by itself (`Example 3:`) opens an example that lasts to the next heading or numbered paragraph; a label with
    text behind it opens one of that paragraph and its items.
    """

    def __init__(self) -> None:
        """No example has begun."""
        self.in_example = False
        self._one_paragraph = False

    def see(self, block: Block) -> None:
        """Take the next block in."""
        label = LABEL.match(block.text)
        if label is not None and block.kind != "heading":
            self.in_example = True
            self._one_paragraph = bool(block.text[label.end() :].strip())
        elif block.kind == "heading" or (block.kind == "paragraph" and (block.marker or self._one_paragraph)):
            self.in_example = False
