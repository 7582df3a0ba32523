"""`extract_document_text`: a document's whole text as a file, with its pages and headings."""

from pydantic import BaseModel, Field

from loopwright.agents.jobs.documents.full_text import full_text
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.tools.extracted_files import opened, write_extracted
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult

ENDING = "full_text.txt"


class ExtractDocumentTextParameters(BaseModel):
    """Parameters of `extract_document_text`."""

    path: str = Field(min_length=1, max_length=500, description="The document, such as documents/GoBD.pdf")


class ExtractDocumentText(BaseTool[ExtractDocumentTextParameters, JobServices]):
    """Writes the text to `extracted/`."""

    name = "extract_document_text"
    parameters_model = ExtractDocumentTextParameters
    effect = "idempotent"

    async def execute(self, params: ExtractDocumentTextParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Read the document and write its text; the same document gives the same file."""
        workspace, name, document = await opened(ctx, params.path)
        whole = full_text(document)
        file = await write_extracted(workspace, name, ENDING, whole.text)
        headings = sum(len(page.headings) for page in document.pages)
        size = f"{len(document.pages)} pages, {headings} headings, {len(whole.text):,} characters"
        lines = [
            f"The text of {name} is in {file}: {size}.",
            *document.remarks,
            "Pages begin with their marks, [page 1] and so on, headings with #. Read it in parts with read_file.",
        ]
        artifacts = {
            "path": name,
            "file": file,
            "pages": len(document.pages),
            "headings": headings,
            "characters": len(whole.text),
            "remarks": list(document.remarks),
        }
        return ToolResult(success=True, output="\n".join(lines), artifacts=artifacts)
