"""`grammar_validator`: what is wrong with the draft, and how it is mended."""

from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from loopwright.agents.planner.contracts.plan import AdaptationLogEntry
from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.grammar import GrammarReport, repair_outline, validate_grammar
from loopwright.agents.planner.ports import PlannerServices
from loopwright.agents.planner.states import INVALID, RETRYABLE, VALID
from loopwright.agents.planner.tools.executor import Done, PlannerTool
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.tools import ToolContext


class GrammarValidatorParameters(BaseModel):
    """Parameters of `grammar_validator`."""

    artifact: Literal["outline", "roadmap"] = "outline"
    apply_fixes: bool = Field(default=False, description="Apply the suggested fixes, all of them")


class GrammarValidator(PlannerTool[GrammarValidatorParameters]):
    """Holds the outline or the roadmap against the grammar."""

    name = "grammar_validator"
    parameters_model = GrammarValidatorParameters
    prerequisites = ("outline",)
    reads = ("plan_outline", "roadmap", "selected_pattern")

    async def work(
        self, params: GrammarValidatorParameters, state: PlanningState, ctx: ToolContext[PlannerServices]
    ) -> Done:
        """Validate, after the mends where they are wished for."""
        field = "plan_outline" if params.artifact == "outline" else "roadmap"
        draft = state.plan_outline if params.artifact == "outline" else state.roadmap
        if draft is None:
            raise InvalidInput("There is no roadmap yet.", hint="Call roadmap_builder first.")
        changes: dict[str, Any] = {}
        adaptations: tuple[AdaptationLogEntry, ...] = ()
        notes: list[str] = []
        if params.apply_fixes:
            draft, fixes = repair_outline(draft, state.selected_pattern)
            if fixes:
                entry = AdaptationLogEntry(
                    timestamp=datetime.now(UTC),
                    node_ids=[],
                    action=f"mend_{params.artifact}",
                    reason=", ".join(sorted({str(fix["op"]) for fix in fixes})),
                    origin="ai_adaptation",
                )
                adaptations = (entry,)
                notes.append(f"{len(fixes)} fixes were applied.")
                changes[field] = draft
        report = validate_grammar(draft, state.selected_pattern)
        changes["validation"] = state.validation | {params.artifact: report.model_dump(mode="json")}
        data = {
            "valid": report.valid,
            "outcome": outcome_of(report),
            "violations": [violation.model_dump(mode="json") for violation in report.violations[:50]],
            "suggested_fixes": report.suggested_fixes[:50],
            "rules": [violation.rule for violation in report.violations],
        }
        notes += [violation.message for violation in report.violations[:12]]
        return Done(data, tuple(notes), report.score, changes=changes, adaptations=adaptations)


def outcome_of(report: GrammarReport) -> str:
    """What the controller would hear."""
    if report.valid:
        return VALID
    return INVALID if report.fatal else RETRYABLE
