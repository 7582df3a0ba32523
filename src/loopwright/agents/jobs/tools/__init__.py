"""The tools of the jobs agent by phase (spec 003): one file each, beside it the text for the model."""

from loopwright.agents.jobs.tools.add_requirement import AddRequirement
from loopwright.agents.jobs.tools.append_file import AppendFile
from loopwright.agents.jobs.tools.check_for_duplicates import CheckForDuplicates
from loopwright.agents.jobs.tools.chunk_document import ChunkDocument
from loopwright.agents.jobs.tools.cite_document import CiteDocument
from loopwright.agents.jobs.tools.cite_web import CiteWeb
from loopwright.agents.jobs.tools.count_graph_statistics import CountGraphStatistics
from loopwright.agents.jobs.tools.create_entity_node import CreateEntityNode
from loopwright.agents.jobs.tools.create_fulfillment_relationship import CreateFulfillmentRelationship
from loopwright.agents.jobs.tools.create_relationship import CreateRelationship
from loopwright.agents.jobs.tools.create_requirement_node import CreateRequirementNode
from loopwright.agents.jobs.tools.delete_file import DeleteFile
from loopwright.agents.jobs.tools.execute_cypher_query import ExecuteCypherQuery
from loopwright.agents.jobs.tools.extract_document_text import ExtractDocumentText
from loopwright.agents.jobs.tools.file_exists import FileExists
from loopwright.agents.jobs.tools.find_similar_requirements import FindSimilarRequirements
from loopwright.agents.jobs.tools.generate_requirement_id import GenerateRequirementId
from loopwright.agents.jobs.tools.get_citation import GetCitation
from loopwright.agents.jobs.tools.get_database_schema import GetDatabaseSchema
from loopwright.agents.jobs.tools.get_document_info import GetDocumentInfo
from loopwright.agents.jobs.tools.get_entity_relationships import GetEntityRelationships
from loopwright.agents.jobs.tools.get_requirement import GetRequirement
from loopwright.agents.jobs.tools.get_workspace_summary import GetWorkspaceSummary
from loopwright.agents.jobs.tools.identify_requirement_candidates import IdentifyRequirementCandidates
from loopwright.agents.jobs.tools.job_complete import JobComplete
from loopwright.agents.jobs.tools.list_files import ListFiles
from loopwright.agents.jobs.tools.list_requirements import ListRequirements
from loopwright.agents.jobs.tools.list_sources import ListSources
from loopwright.agents.jobs.tools.next_requirements import NextRequirements
from loopwright.agents.jobs.tools.read_file import ReadFile
from loopwright.agents.jobs.tools.resolve_business_object import ResolveBusinessObject
from loopwright.agents.jobs.tools.resolve_message import ResolveMessage
from loopwright.agents.jobs.tools.search_files import SearchFiles
from loopwright.agents.jobs.tools.todo_complete import TodoComplete
from loopwright.agents.jobs.tools.todo_rewind import TodoRewind
from loopwright.agents.jobs.tools.todo_write import TodoWrite
from loopwright.agents.jobs.tools.update_requirement import UpdateRequirement
from loopwright.agents.jobs.tools.validate_schema_compliance import ValidateSchemaCompliance
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
