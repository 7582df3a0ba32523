"""What a change of the document, or a run of it, will mean: told within milliseconds, without making anything."""

from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from loopwright.agents.designspec.document.checking import check_document, require_spec
from loopwright.agents.designspec.document.report import DocumentReport, Issue
from loopwright.agents.designspec.document.spec import DesignSpec
from loopwright.agents.designspec.pipeline.cache import ResultCache
from loopwright.agents.designspec.pipeline.costs import Estimate, estimate_steps
from loopwright.agents.designspec.pipeline.dependencies import build_order
from loopwright.agents.designspec.pipeline.plan import Step, all_steps, chosen_components, plan_steps
from loopwright.agents.designspec.pipeline.recipes import Recipe, recipes
from loopwright.agents.designspec.pipeline.reports import RunPlan
from loopwright.kernel.errors import InvalidInput


class ChangePreview(BaseModel):
    """What a change of the document means.

    `affected_stages` are those whose results depend on what has changed, in order; what they need besides is kept.
    `issues` are all that the check has to say of the changed document; `new_issues` those that it did not have before.
    `estimate` is about a run of the affected stages.
    """

    valid: bool
    complete: bool
    affected_stages: list[str] = Field(default_factory=list)
    removed_stages: list[str] = Field(default_factory=list)
    issues: list[Issue] = Field(default_factory=list)
    new_issues: list[Issue] = Field(default_factory=list)
    solved_issues: list[Issue] = Field(default_factory=list)
    estimate: Estimate = Estimate()
    inverse_summary: str = ""
    """How to undo it, in words; who knows the patch fills it in."""


class RunEstimate(BaseModel):
    """What a run means: its stages, which of them are kept from earlier runs, and about what the others take."""

    stages: list[str]
    kept: list[str] = Field(default_factory=list)
    estimate: Estimate = Estimate()


def preview_change(before: dict[str, Any], after: dict[str, Any], project_dir: Path) -> ChangePreview:
    """What it means to go from one document to the other.

    Args:
        before: the document as it is.
        after: the document as it would be.
        project_dir: where the files that the documents name lie.
    """
    was, now = check_document(before), check_document(after)
    known = {_same(issue) for issue in was.issues}
    left = {_same(issue) for issue in now.issues}
    old, new = _recipes(was, project_dir), _recipes(now, project_dir)
    steps = _steps_of(now.spec) if new else ()
    affected = [step for step in steps if step.name not in old or old[step.name].key != new[step.name].key]
    return ChangePreview(
        valid=now.ok,
        complete=now.complete,
        affected_stages=[step.name for step in affected],
        removed_stages=[step.name for step in _steps_of(was.spec) if step.name in old and step.name not in new],
        issues=now.issues,
        new_issues=[issue for issue in now.issues if _same(issue) not in known],
        solved_issues=[issue for issue in was.issues if _same(issue) not in left],
        estimate=estimate_steps(now.spec, affected) if now.spec is not None and affected else Estimate(),
    )


def estimate_run(document: dict[str, Any], plan: RunPlan, project_dir: Path | None = None) -> RunEstimate:
    """What a run of the document after this plan will do.

    Args:
        document: valid and complete.
        plan: which stages.
        project_dir: where kept results and the document's files lie; without it every stage counts as to be made.

    Raises:
        InvalidInput: the document or the plan cannot be run; the message says why.
    """
    whole = require_spec(document).spec
    if whole is None:
        raise InvalidInput("The document has no spec.")
    ids = build_order(whole)
    steps, chosen = plan_steps(ids, plan), chosen_components(ids, plan)
    spec = whole.model_copy(update={"components": [whole.component(name) for name in chosen]})
    kept: list[Step] = []
    if project_dir is not None:
        cache, book = ResultCache(project_dir, 0), recipes(spec, project_dir)
        kept = [step for step in steps if step.stage != "export" and cache.holds(book[step.name].report_key)]
    return RunEstimate(
        stages=[step.name for step in steps],
        kept=[step.name for step in kept],
        estimate=estimate_steps(spec, [step for step in steps if step not in kept]),
    )


def _recipes(report: DocumentReport, project_dir: Path) -> dict[str, Recipe]:
    """The recipes of a document that could run; none of one that could not."""
    return recipes(report.spec, project_dir) if report.spec is not None and report.complete else {}


def _steps_of(spec: DesignSpec | None) -> tuple[Step, ...]:
    return all_steps(build_order(spec)) if spec is not None else ()


def _same(issue: Issue) -> tuple[str, str, str]:
    return issue.code, issue.pointer, issue.message
