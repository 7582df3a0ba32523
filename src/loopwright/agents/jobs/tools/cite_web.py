"""`cite_web`: a quote of a web page as proof, checked against a copy that is kept."""

from pydantic import Field

from loopwright.agents.jobs.citations.quotes import QuotesParameters
from loopwright.agents.jobs.citations.recording import Place, record_quotes
from loopwright.agents.jobs.memory import load_job, workspace_of
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.web.pages import Fetch, fetching, open_page, plain_address
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult


class CiteWebParameters(QuotesParameters):
    """Parameters of `cite_web`."""

    url: str = Field(min_length=1, max_length=2_000, description="The page's address, as web_search gave it")


class CiteWeb(BaseTool[CiteWebParameters, JobServices]):
    """Verifies quotes in the stored copy of a page and records them."""

    name = "cite_web"
    parameters_model = CiteWebParameters
    effect = "idempotent"

    def __init__(self, fetch: Fetch | None = None) -> None:
        """`fetch` is how a page is had; by default over HTTP from public hosts."""
        self._fetch = fetch or fetching()

    async def execute(self, params: CiteWebParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Open the copy, or fetch the page, and record the quotes that stand there."""
        url = plain_address(params.url)
        state = await load_job(ctx.db, ctx.session_id)
        workspace = workspace_of(ctx.output_dir, state.config)
        opened = await open_page(url, state, ctx.db, workspace, self._fetch)
        return await record_quotes(Place("website", url), opened, params.quotes, workspace, ctx)
