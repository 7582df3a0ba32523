"""Taking the HTML document out of a model's answer."""

import re
from dataclasses import dataclass
from typing import Literal

from loopwright.agents.pages.compliance.markup import scan

DOCUMENT_START = re.compile(r"<!doctype\s+html|<html(?=[\s>])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ExtractedHtml:
    """The HTML document found in a model's answer."""

    status: Literal["complete", "truncated", "absent"]
    """`truncated`: a document begins and its `</html>` never comes, so the answer was cut off."""
    html: str | None = None
    """The document; only a complete one is given."""


def extract_html(model_text: str) -> ExtractedHtml:
    """Take one whole HTML document out of a model's answer.

    Chatter before and after, code fences (closed or not) and a leading block of thoughts are left behind.  When the
    answer holds several whole documents, the longest is taken.
    """
    answer = model_text.rpartition("</think>")[2]
    starts = [match.start() for match in DOCUMENT_START.finditer(answer)]
    documents = []
    for position, start in enumerate(starts):
        following = starts[position + 1 :]
        document = _document_at(answer, start)
        if document is not None and not _holds_a_second_document(document, start, following, answer):
            documents.append(document)
    if documents:
        return ExtractedHtml("complete", max(documents, key=len))
    return ExtractedHtml("truncated" if starts else "absent")


def _document_at(answer: str, start: int) -> str | None:
    """The document from `start` to the `</html>` that is markup, not part of a script or comment."""
    rest = answer[start:]
    for token in scan(rest):
        if token.kind == "end" and token.name == "html":
            return rest[: token.end]
    return None


def _holds_a_second_document(document: str, start: int, following: list[int], answer: str) -> bool:
    """Whether another document begins inside: the first start was then only mentioned in the chatter."""
    inside = [answer[later : later + 5].lower() for later in following if later < start + len(document)]
    own_html_tag = 1 if document[:9].lower() == "<!doctype" else 0
    return "<!doc" in inside or inside.count("<html") > own_html_tag
