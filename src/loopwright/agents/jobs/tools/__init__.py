"""The tools of the jobs agent by phase (spec 003): one file each, beside it the text for the model."""

from loopwright.agents.jobs.tools.documents import (
    ChunkDocument,
    ExtractDocumentText,
    GetDocumentInfo,
    IdentifyRequirementCandidates,
    SearchFiles,
)
from loopwright.agents.jobs.tools.files import AppendFile, DeleteFile, FileExists, ListFiles, ReadFile, WriteFile
from loopwright.agents.jobs.tools.graph import (
    CountGraphStatistics,
    CreateEntityNode,
    CreateFulfillmentRelationship,
    CreateRelationship,
    CreateRequirementNode,
    ExecuteCypherQuery,
    GetDatabaseSchema,
    GetEntityRelationships,
    ResolveBusinessObject,
    ValidateSchemaCompliance,
)
from loopwright.agents.jobs.tools.job_tool import ResolveMessage
from loopwright.agents.jobs.tools.requirements import (
    AddRequirement,
    CheckForDuplicates,
    FindSimilarRequirements,
    GenerateRequirementId,
    GetRequirement,
    ListRequirements,
    NextRequirements,
    UpdateRequirement,
)
from loopwright.agents.jobs.tools.todos import GetWorkspaceSummary, JobComplete, TodoComplete, TodoRewind, TodoWrite
from loopwright.agents.jobs.tools.web import CiteDocument, CiteWeb, GetCitation, ListSources, WebSearch
from loopwright.kernel.tools import AnyTool

WORKSPACE_TOOLS: tuple[AnyTool, ...] = (
    ReadFile(),
    WriteFile(),
    AppendFile(),
    TodoComplete(),
    SearchFiles(),
    ListFiles(),
    FileExists(),
    GetWorkspaceSummary(),
    DeleteFile(),
)
"""First those that every phase tells of, so that the requests of all phases begin alike."""
STRATEGIC_TOOLS: tuple[AnyTool, ...] = (
    TodoWrite(),
    JobComplete(),
)
TACTICAL_TOOLS: tuple[AnyTool, ...] = (TodoRewind(),)
DOMAIN_TOOLS: tuple[AnyTool, ...] = (
    GetDocumentInfo(),
    ExtractDocumentText(),
    ChunkDocument(),
    IdentifyRequirementCandidates(),
    WebSearch(),
    CiteDocument(),
    CiteWeb(),
    ListSources(),
    GetCitation(),
    AddRequirement(),
    ListRequirements(),
    GetRequirement(),
    NextRequirements(),
    UpdateRequirement(),
    GetDatabaseSchema(),
    ExecuteCypherQuery(),
    FindSimilarRequirements(),
    CheckForDuplicates(),
    ResolveBusinessObject(),
    ResolveMessage(),
    GenerateRequirementId(),
    CreateRequirementNode(),
    CreateEntityNode(),
    CreateRelationship(),
    CreateFulfillmentRelationship(),
    GetEntityRelationships(),
    ValidateSchemaCompliance(),
    CountGraphStatistics(),
)

WORKSPACE, STRATEGIC, TACTICAL, DOMAIN = (
    frozenset(tool.name for tool in tools) for tools in (WORKSPACE_TOOLS, STRATEGIC_TOOLS, TACTICAL_TOOLS, DOMAIN_TOOLS)
)
"""Names by category: workspace tools in all phases, strategic and tactical ones in theirs, domain tools in tactical."""


def all_tools() -> tuple[AnyTool, ...]:
    """The tools in the order in which the model sees them."""
    return (*WORKSPACE_TOOLS, *STRATEGIC_TOOLS, *TACTICAL_TOOLS, *DOMAIN_TOOLS)
