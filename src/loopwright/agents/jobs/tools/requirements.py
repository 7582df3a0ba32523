"""The tools for stored requirements."""

from typing import Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from loopwright.agents.jobs.contracts import Names, Priority, RequirementDraft, RequirementType
from loopwright.agents.jobs.graph import assign_rid, has_node, remove_requirement
from loopwright.agents.jobs.memory import config_of
from loopwright.agents.jobs.ports import JobServices, Requirement
from loopwright.agents.jobs.requirements import (
    SOURCE,
    ComparisonParameters,
    cited,
    compare,
    require_citations,
    require_held,
    summary,
)
from loopwright.agents.jobs.taint import current_phase, records_answer
from loopwright.agents.jobs.tools.job_tool import Arguments, JobTool
from loopwright.kernel.errors import Conflict, InvalidInput
from loopwright.kernel.tools import ToolContext, ToolResult

# `add_requirement`: a requirement, or many at once, into the store, each borne by its citations.

MAX_BATCH = 50


class AddRequirementParameters(RequirementDraft):
    """One requirement by its fields, or many as `requirements`."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field("", max_length=10_000, description="The requirement, so that it is understood alone")
    requirements: list[RequirementDraft] = Field(default_factory=list, max_length=MAX_BATCH)

    @model_validator(mode="after")
    def _one_or_many(self) -> Self:
        if bool(self.text.strip()) == bool(self.requirements):
            raise ValueError("give either text (and its other fields) or requirements")
        return self

    @property
    def drafts(self) -> list[RequirementDraft]:
        """All that is to be added."""
        if self.requirements:
            return self.requirements
        return [RequirementDraft.model_validate(self.model_dump(exclude={"requirements"}))]


class AddRequirement(JobTool[AddRequirementParameters, JobServices]):
    """Adds requirements, all or none."""

    name = "add_requirement"
    parameters_model = AddRequirementParameters
    told = ("requirements", "requirements.req_type", "requirements.priority", "requirements.citations")
    effect = "idempotent"

    async def execute(self, params: AddRequirementParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Check what bears them, and store them under the call's key."""
        drafts = params.drafts
        await require_citations(ctx.db, ctx.session_id, config_of(ctx.settings), [draft.citations for draft in drafts])
        added = await ctx.db.requirements.add(
            ctx.session_id,
            [draft.fields() for draft in drafts],
            phase=await current_phase(ctx),
            key=ctx.idempotency_key,
        )
        ids = [row.requirement_id for row in added]
        artifacts: dict[str, Any] = {"requirement_ids": ids}
        return ToolResult(success=True, output="\n".join(f"ok: {each}" for each in ids), artifacts=artifacts)


# `get_requirement`: one requirement whole, with the quotes that bear it.

INTERNAL = {"position", "claimed_until"}


class GetRequirementParameters(Arguments):
    """Parameters of `get_requirement`."""

    requirement_id: str = Field(min_length=1, max_length=64)


class GetRequirement(JobTool[GetRequirementParameters, JobServices]):
    """Shows a requirement."""

    name = "get_requirement"
    parameters_model = GetRequirementParameters
    effect = "idempotent"

    async def execute(self, params: GetRequirementParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Read it, and the citations of the job that added it."""
        found = await ctx.db.requirements.get(params.requirement_id)
        fields = {name: value for name, value in found.model_dump(mode="json").items() if name not in INTERNAL}
        fields["citations"] = await cited(found, ctx.db)
        held = " It is held by this job." if found.claimed_by == ctx.session_id else ""
        head = f"Requirement {found.requirement_id} is {found.status}.{held}"
        return await records_answer(head, [fields], SOURCE, ctx, status=found.status)


# `list_requirements`: what is stored, by status, type, priority or words.


class ListRequirementsParameters(Arguments):
    """Parameters of `list_requirements`."""

    scope: Literal["added", "settled", "all"] | None = Field(
        None, description="Of this job (added or settled by it), or of all jobs; without it: added, if there are any"
    )
    status: Literal["pending", "validating", "integrated", "rejected", "failed"] | None = None
    req_type: RequirementType | None = None
    priority: Priority | None = None
    containing: str | None = Field(None, max_length=200, description="Words that stand in the text or the name")
    limit: int = Field(20, ge=1, le=100)
    offset: int = Field(0, ge=0)


class ListRequirements(JobTool[ListRequirementsParameters, JobServices]):
    """Shows requirements in the order of adding."""

    name = "list_requirements"
    parameters_model = ListRequirementsParameters
    told = ("status", "containing", "offset")
    effect = "idempotent"

    async def execute(self, params: ListRequirementsParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Find and count them."""
        store, job = ctx.db.requirements, ctx.session_id
        scope = params.scope or ("added" if any((await store.counts(job_id=job)).values()) else "all")
        added, settled = (job if scope == name else None for name in ("added", "settled"))
        counts = await store.counts(job_id=added, settled_by=settled)
        rows = await store.find(
            job_id=added,
            settled_by=settled,
            status=params.status,
            type=params.req_type,
            priority=params.priority,
            containing=params.containing,
            limit=params.limit,
            offset=params.offset,
        )
        told = ", ".join(f"{number} {status}" for status, number in counts.items() if number) or "none"
        head = f"Requirements ({scope}): {told}. Shown: {len(rows)} from number {params.offset + 1} on."
        return await records_answer(head, [summary(row) for row in rows], SOURCE, ctx, counts=counts)


# `next_requirements`: requirements to work on, for this job alone, until it settles them or its time runs out.


class NextRequirementsParameters(Arguments):
    """Parameters of `next_requirements`."""

    limit: int | None = Field(None, ge=1, le=100, description="At most so many; without it the config's batch size")
    job_ids: Names | None = Field(None, description="Only what these jobs have added")


class NextRequirements(JobTool[NextRequirementsParameters, JobServices]):
    """Claims requirements."""

    name = "next_requirements"
    parameters_model = NextRequirementsParameters
    effect = "idempotent"

    async def execute(self, params: NextRequirementsParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Hold them, those that are held already first."""
        validation = config_of(ctx.settings).validation
        rows = await ctx.db.requirements.claim(
            ctx.session_id,
            min(params.limit or validation.batch_size, 100),
            validation.lease_seconds,
            phase=await current_phase(ctx),
            key=ctx.idempotency_key,
            jobs=params.job_ids,
        )
        counts = await ctx.db.requirements.counts()
        if rows:
            head = (
                f"{len(rows)} requirements are held by this job for {validation.lease_seconds:g} s; "
                f"{counts['pending']} more are pending."
            )
        else:
            head = f"Nothing is left to take: 0 pending, {counts['validating']} held by others."
        artifacts = {"requirement_ids": [row.requirement_id for row in rows], "pending": counts["pending"]}
        records = [await _with_proof(row, ctx.db) for row in rows]
        return await records_answer(head, records, SOURCE, ctx, **artifacts)


async def _with_proof(row: Requirement, services: JobServices) -> dict[str, Any]:
    """The requirement, and whether its citations have been verified; `get_requirement` shows them."""
    proofs = [each["verification_status"] for each in await cited(row, services)]
    verified = bool(proofs) and all(proof == "verified" for proof in proofs)
    return {**summary(row, whole_text=True), "citations_verified": verified}


VERDICT_FIELDS = {"requirement_id", "status", "reason", "validation_result"}


class UpdateRequirementParameters(Arguments):
    """Parameters of `update_requirement`: fields that are not given stay as they are."""

    requirement_id: str = Field(min_length=1, max_length=64)
    status: Literal["integrated", "rejected", "failed", "pending"] | None = Field(
        None, description="The verdict; pending: try a failed one again"
    )
    reason: str = Field("", max_length=10_000, description="Why it is rejected or has failed")
    validation_result: dict[str, Any] | None = Field(None, description="What the validation found")
    text: str | None = Field(None, min_length=1, max_length=10_000)
    name: str | None = Field(None, max_length=200)
    req_type: RequirementType | None = None
    priority: Priority | None = None
    gobd_relevant: bool | None = None
    gdpr_relevant: bool | None = None
    citations: Names | None = None
    mentioned_objects: Names | None = None
    mentioned_messages: Names | None = None
    research_notes: str | None = Field(None, max_length=10_000)
    confidence: float | None = Field(None, ge=0, le=1)
    tags: Names | None = None

    @property
    def changes(self) -> dict[str, Any]:
        """The fields that are to change, as the store names them."""
        given = self.model_dump(exclude=VERDICT_FIELDS, exclude_none=True)
        if "req_type" in given:
            given["type"] = given.pop("req_type")
        return given


class UpdateRequirement(JobTool[UpdateRequirementParameters, JobServices]):
    """Changes a requirement and settles it."""

    name = "update_requirement"
    parameters_model = UpdateRequirementParameters
    told = ("status", "reason", "citations")
    effect = "idempotent"

    async def execute(self, params: UpdateRequirementParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Change the fields first, then pass the verdict."""
        if not params.changes and params.status is None:
            raise InvalidInput("Nothing is to be changed.", hint="Give fields, or a status.")
        found = await ctx.db.requirements.get(params.requirement_id)
        if params.citations is not None:
            await require_citations(ctx.db, found.job_id, config_of(ctx.settings), [params.citations])
        if params.changes:
            found = await ctx.db.requirements.update(
                found.requirement_id,
                params.changes,
                job_id=ctx.session_id,
                phase=await current_phase(ctx),
                key=ctx.idempotency_key,
            )
        if params.status == "pending" and found.status != "pending":
            found = await ctx.db.requirements.retry(found.requirement_id)
        elif params.status not in (None, "pending"):
            found = await _settle(params, found, ctx)
        return ToolResult(
            success=True,
            output=f"ok: {found.requirement_id} is {found.status}",
            artifacts={"requirement_id": found.requirement_id, "status": found.status},
        )


async def _settle(
    params: UpdateRequirementParameters, found: Requirement, ctx: ToolContext[JobServices]
) -> Requirement:
    """Pass the verdict; what is integrated stands in the graph, and what is not leaves nothing there."""
    graph = ctx.db.graph
    placed = found.graph_id is not None and await has_node(graph, "Requirement", found.graph_id)
    if params.status == "integrated" and not placed:
        raise Conflict(
            f"Requirement {found.requirement_id} is not in the graph yet.",
            hint="Call create_requirement_node for it first.",
        )
    settled = await ctx.db.requirements.settle(
        found.requirement_id,
        ctx.session_id,
        str(params.status),
        reason=params.reason,
        validation_result=params.validation_result,
        phase=await current_phase(ctx),
        key=ctx.idempotency_key,
    )
    if settled.status != "integrated" and settled.graph_id is not None:
        await remove_requirement(graph, settled.graph_id)
    return settled


# `generate_requirement_id`: the `rid` under which a requirement stands in the graph.


class GenerateRequirementIdParameters(Arguments):
    """Parameters of `generate_requirement_id`."""

    requirement_id: str = Field(min_length=1, max_length=64, description="As next_requirements gave it")


class GenerateRequirementId(JobTool[GenerateRequirementIdParameters, JobServices]):
    """Gives the next number, once for each requirement."""

    name = "generate_requirement_id"
    parameters_model = GenerateRequirementIdParameters
    effect = "idempotent"

    async def execute(self, params: GenerateRequirementIdParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Assign it."""
        found = await require_held(ctx, params.requirement_id)
        rid = await assign_rid(ctx.db, found.requirement_id)
        return ToolResult(success=True, output=rid, artifacts={"rid": rid})


# `find_similar_requirements`: what is like a requirement, down to the threshold of relatedness.


class FindSimilarRequirementsParameters(ComparisonParameters):
    """Parameters of `find_similar_requirements`."""

    threshold: float | None = Field(None, ge=0.3, le=1, description="Without it, the config's (0.70)")
    limit: int = Field(10, ge=1, le=50)


class FindSimilarRequirements(JobTool[FindSimilarRequirementsParameters, JobServices]):
    """Compares with the graph and the store."""

    name = "find_similar_requirements"
    parameters_model = FindSimilarRequirementsParameters
    told = ("requirement_ids", "requirement_texts")
    effect = "idempotent"

    async def execute(self, params: FindSimilarRequirementsParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Compare."""
        validation = config_of(ctx.settings).validation
        least = params.threshold if params.threshold is not None else validation.related_threshold
        return await compare(ctx, params, least, params.limit, f"Similar at {least:g} or above")


# `check_for_duplicates`: whether a requirement says what another one says already.

LIMIT = 5


class CheckForDuplicatesParameters(ComparisonParameters):
    """Parameters of `check_for_duplicates`."""


class CheckForDuplicates(JobTool[CheckForDuplicatesParameters, JobServices]):
    """Compares at the duplicate threshold."""

    name = "check_for_duplicates"
    parameters_model = CheckForDuplicatesParameters
    told = ("requirement_ids", "requirement_texts")
    effect = "idempotent"

    async def execute(self, params: CheckForDuplicatesParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Compare."""
        least = config_of(ctx.settings).validation.duplicate_threshold
        return await compare(ctx, params, least, LIMIT, f"Duplicates at {least:g} or above")
