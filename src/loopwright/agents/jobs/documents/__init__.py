"""Reading documents: pages, headings and paragraphs of PDF, DOCX, HTML, Markdown and text; quoting them exactly."""

from loopwright.agents.jobs.documents.document import Block, Document, Page
from loopwright.agents.jobs.documents.reading import find_on_page, read_document, stands_on_page

__all__ = ["Block", "Document", "Page", "find_on_page", "read_document", "stands_on_page"]
