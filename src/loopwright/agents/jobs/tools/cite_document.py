"""`cite_document`: a quote of a document as proof, recorded only if it really stands there."""

from pydantic import Field

from loopwright.agents.jobs.citations.opening import open_document
from loopwright.agents.jobs.citations.quotes import QuotesParameters
from loopwright.agents.jobs.citations.recording import Place, record_quotes
from loopwright.agents.jobs.memory import config_of, workspace_of
from loopwright.agents.jobs.ports import JobServices
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult

DOCUMENTS = "documents"


class CiteDocumentParameters(QuotesParameters):
    """Parameters of `cite_document`."""

    path: str = Field(min_length=1, max_length=500, description="The document, such as documents/GoBD.pdf")


class CiteDocument(BaseTool[CiteDocumentParameters, JobServices]):
    """Verifies quotes in a document and records them."""

    name = "cite_document"
    parameters_model = CiteDocumentParameters
    effect = "idempotent"

    async def execute(self, params: CiteDocumentParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Look the quotes up and record those that stand there."""
        config = config_of(ctx.settings)
        workspace = workspace_of(ctx.output_dir, config)
        opened = await open_document(workspace, params.path)
        if not opened.path.startswith((f"{DOCUMENTS}/", f"{config.research.folder.strip('/')}/")):
            raise InvalidInput(
                f"{opened.path} is no document that was given to this job, so it proves nothing.",
                hint=f"Cite the document itself, in {DOCUMENTS}/.",
            )
        return await record_quotes(Place("document", opened.path), opened, params.quotes, workspace, ctx)
