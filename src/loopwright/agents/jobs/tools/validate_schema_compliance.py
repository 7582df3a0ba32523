"""`validate_schema_compliance`: whether the graph keeps its schema."""

from collections import Counter
from typing import Literal

from pydantic import BaseModel, Field

from loopwright.agents.jobs.answering import records_answer
from loopwright.agents.jobs.graph.compliance import Group, check_compliance
from loopwright.agents.jobs.ports import JobServices
from loopwright.kernel.tools import BaseTool, ToolContext, ToolResult

SHOWN = 100
GROUPS: dict[str, tuple[Group, ...]] = {"all": ("A", "B", "C"), "A": ("A",), "B": ("B",), "C": ("C",)}


class ValidateSchemaComplianceParameters(BaseModel):
    """Parameters of `validate_schema_compliance`."""

    checks: Literal["all", "A", "B", "C"] = Field(
        "all", description="A: nodes; B: relationships; C: completeness and status"
    )


class ValidateSchemaCompliance(BaseTool[ValidateSchemaComplianceParameters, JobServices]):
    """Runs the checks."""

    name = "validate_schema_compliance"
    parameters_model = ValidateSchemaComplianceParameters
    effect = "idempotent"

    async def execute(self, params: ValidateSchemaComplianceParameters, ctx: ToolContext[JobServices]) -> ToolResult:
        """Check, and tell each violation with its rule."""
        report = await check_compliance(ctx.db.graph, GROUPS[params.checks])
        counts = Counter(violation.severity for violation in report.violations)
        verdict = "The graph keeps its schema" if report.compliant else "The graph breaks its schema"
        head = (
            f"{verdict}: {counts['error']} errors, {counts['warning']} warnings "
            f"(checks {', '.join(report.checked)}).{' There is more than was looked at.' if report.truncated else ''}"
        )
        records = [
            {
                "check": violation.check_id,
                "severity": violation.severity,
                "rule": violation.rule,
                "what": violation.what,
                **({"detail": violation.detail} if violation.detail else {}),
            }
            for violation in sorted(report.violations, key=lambda each: each.severity)[:SHOWN]
        ]
        artifacts = {"compliant": report.compliant, "errors": counts["error"], "warnings": counts["warning"]}
        return await records_answer(head, records, "graph", ctx, **artifacts)
