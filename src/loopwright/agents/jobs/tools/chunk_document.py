"""`chunk_document`: a document in parts that fit, as a file with one part a line."""

import asyncio
import json
from dataclasses import asdict

from pydantic import BaseModel, Field

from loopwright.agents.jobs.documents.chunking import Chunk, Strategy, chunks_of
from loopwright.agents.jobs.memory import config_of
from loopwright.agents.jobs.ports import JobServices
from loopwright.agents.jobs.tools.extracted_files import opened, write_extracted
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult

ENDING = "chunks.jsonl"


class ChunkDocumentParameters(BaseModel):
    """Parameters of `chunk_document`; what is left out is as the job's config says."""

    path: str = Field(min_length=1, max_length=500, description="The document, such as documents/GoBD.pdf")
    strategy: Strategy | None = Field(
        None, description="legal: by numbered paragraphs and sections; technical: by sections; general: by size alone"
    )
    max_chunk_size: int | None = Field(None, ge=100, le=20_000, description="Characters of a chunk")
    chunk_overlap: int | None = Field(None, ge=0, le=19_999, description="Characters repeated of the chunk before")


class ChunkDocument(BaseTool[ChunkDocumentParameters, JobServices]):
    """Writes the chunks to `extracted/`."""

    name = "chunk_document"
    parameters_model = ChunkDocumentParameters
    effect = "idempotent"

    async def execute(self, params: ChunkDocumentParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Cut the document; offsets are into what `extract_document_text` writes."""
        workspace, name, document = await opened(ctx, params.path)
        wanted = config_of(ctx.settings).document_processing
        strategy = params.strategy or wanted.chunking_strategy
        most = params.max_chunk_size or wanted.max_chunk_size
        overlap = wanted.chunk_overlap if params.chunk_overlap is None else params.chunk_overlap
        if params.chunk_overlap is None and params.max_chunk_size is not None:
            overlap = min(overlap, most // 5)
        chunks = await asyncio.to_thread(chunks_of, document, strategy, most, overlap)
        file = await write_extracted(workspace, name, ENDING, _lines(chunks))
        mean = sum(len(chunk.text) for chunk in chunks) // max(len(chunks), 1)
        output = (
            f"{name} is cut into {len(chunks)} chunks ({strategy}, at most {most} characters, {mean} on average), "
            f"in {file}: one JSON object a line with chunk_id, text, page_start, page_end, section, start and end. "
            "Read them with read_file, a few lines at a time."
        )
        artifacts = {
            "path": name,
            "file": file,
            "chunks": len(chunks),
            "strategy": strategy,
            "max": most,
            "overlap": overlap,
        }
        return ToolResult(success=True, output=output, artifacts=artifacts)


def _lines(chunks: tuple[Chunk, ...]) -> str:
    records = ({"chunk_id": f"K-{number:04d}", **asdict(chunk)} for number, chunk in enumerate(chunks, start=1))
    return "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)
