"""The tools of the jobs agent by phase (spec 003): one file each, beside it the text for the model."""

from loopwright.agents.jobs.tools.append_file import AppendFile
from loopwright.agents.jobs.tools.cite_document import CiteDocument
from loopwright.agents.jobs.tools.cite_web import CiteWeb
from loopwright.agents.jobs.tools.delete_file import DeleteFile
from loopwright.agents.jobs.tools.file_exists import FileExists
from loopwright.agents.jobs.tools.get_citation import GetCitation
from loopwright.agents.jobs.tools.get_workspace_summary import GetWorkspaceSummary
from loopwright.agents.jobs.tools.job_complete import JobComplete
from loopwright.agents.jobs.tools.list_files import ListFiles
from loopwright.agents.jobs.tools.list_sources import ListSources
from loopwright.agents.jobs.tools.read_file import ReadFile
from loopwright.agents.jobs.tools.search_files import SearchFiles
from loopwright.agents.jobs.tools.todo_complete import TodoComplete
from loopwright.agents.jobs.tools.todo_rewind import TodoRewind
from loopwright.agents.jobs.tools.todo_write import TodoWrite
from loopwright.agents.jobs.tools.web_search import WebSearch
from loopwright.agents.jobs.tools.write_file import WriteFile
from loopwright.kernel.registry import AnyTool

WORKSPACE_TOOLS: tuple[AnyTool, ...] = (
    ListFiles(),
    ReadFile(),
    SearchFiles(),
    FileExists(),
    GetWorkspaceSummary(),
    WriteFile(),
    AppendFile(),
    DeleteFile(),
    TodoComplete(),
)
STRATEGIC_TOOLS: tuple[AnyTool, ...] = (TodoWrite(), JobComplete())
TACTICAL_TOOLS: tuple[AnyTool, ...] = (TodoRewind(),)
DOMAIN_TOOLS: tuple[AnyTool, ...] = (
    WebSearch(),
    CiteDocument(),
    CiteWeb(),
    ListSources(),
    GetCitation(),
)

WORKSPACE, STRATEGIC, TACTICAL, DOMAIN = (
    frozenset(tool.name for tool in tools) for tools in (WORKSPACE_TOOLS, STRATEGIC_TOOLS, TACTICAL_TOOLS, DOMAIN_TOOLS)
)
"""Names by category: workspace tools in all phases, strategic and tactical ones in theirs, domain tools in tactical."""


def all_tools() -> tuple[AnyTool, ...]:
    """The tools in the order in which the model sees them."""
    return (*WORKSPACE_TOOLS, *STRATEGIC_TOOLS, *TACTICAL_TOOLS, *DOMAIN_TOOLS)
