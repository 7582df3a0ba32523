"""`get_document_info`: what a document is, before it is read."""

from pydantic import BaseModel, Field

from loopwright.agents.jobs.candidates.vocabulary import vocabulary
from loopwright.agents.jobs.documents import Document
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.tools.extracted_files import opened
from loopwright.agents.jobs.tools.file_guards import shown_to_model
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult

MAX_HEADINGS = 80
LANGUAGES = {"de": "German", "en": "English"}
SAMPLE = 200_000
"""Characters by which the language is told."""


class GetDocumentInfoParameters(BaseModel):
    """Parameters of `get_document_info`."""

    path: str = Field(min_length=1, max_length=500, description="The document, such as documents/GoBD.pdf")


class GetDocumentInfo(BaseTool[GetDocumentInfoParameters, JobServices]):
    """Tells a document's format, size, language and headings."""

    name = "get_document_info"
    parameters_model = GetDocumentInfoParameters
    effect = "pure"

    async def execute(self, params: GetDocumentInfoParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Read the document and describe it."""
        workspace, name, document = await opened(ctx, params.path)
        characters = sum(len(page.text) for page in document.pages)
        sample = "\n".join(page.text for page in document.pages)[:SAMPLE]
        language = vocabulary().language_of(sample)
        headings = _headings(document)
        outline = [f"p. {page}: {text}" for page, text in headings[:MAX_HEADINGS]]
        shown = "\n".join([f"Title: {document.title}", *outline])
        lines = [
            f"{name}: {document.kind}, {_pages(document)}, {characters:,} characters, {LANGUAGES[language]}.",
            *document.remarks,
            f"Its title, and {len(outline)} of its {len(headings)} headings:",
            await shown_to_model(workspace, name, shown),
        ]
        artifacts = {
            "path": name,
            "kind": document.kind,
            "title": document.title,
            "pages": len(document.pages),
            "characters": characters,
            "language": language,
            "headings": [{"page": page, "text": text} for page, text in headings[:MAX_HEADINGS]],
            "remarks": list(document.remarks),
        }
        return ToolResult(success=True, output="\n".join(lines), artifacts=artifacts)


def _headings(document: Document) -> list[tuple[int, str]]:
    return [(page.number, heading.line) for page in document.pages for heading in page.headings]


def _pages(document: Document) -> str:
    return "1 page" if len(document.pages) == 1 else f"{len(document.pages)} pages"
