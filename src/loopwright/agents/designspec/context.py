"""What the model is told: context packs and prompts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic_core import to_json

from loopwright.agents.designspec.contracts import ContextRequest
from loopwright.agents.designspec.document.checking import check_document
from loopwright.agents.designspec.document.validation import published_fields
from loopwright.agents.designspec.events import ContextExpanded
from loopwright.agents.designspec.operations.forms import lengths_of
from loopwright.agents.designspec.operations.paths import tell_design
from loopwright.agents.designspec.pipeline.reports import RunReport, StageReport
from loopwright.agents.designspec.project.changing import document_hash
from loopwright.agents.designspec.project.folder import ProjectFolder
from loopwright.agents.designspec.project.index import ArtifactIndexer
from loopwright.agents.designspec.validity.report import Check
from loopwright.agents.designspec.workflow.trace import current_directive, is_first_design, open_project
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.ports import Profile
from loopwright.kernel.prompts import PromptRepository, split_task
from loopwright.kernel.run import AgentRun

# Files of a run as the model may see them: text only, cut to size, never outside the project.

MAX_CHARACTERS = 20_000
LONGEST_NAME = 255
"""Bytes of a file's name on the usual file systems; asking for a longer one is an error of theirs."""
TEXT_SUFFIXES = frozenset({".json", ".txt", ".log", ".md", ".csv", ".graphml", ".jsonl"})


def read_artifact(project: ProjectFolder, report: RunReport | None, name: str) -> dict[str, Any]:
    """The text of a file that the model asked for, by its path in the project or in the last run's folder."""
    if any(len(part.encode()) > LONGEST_NAME for part in Path(name).parts):
        return {"error": f"There is no file {name[:80]!r}… in the project."}
    folders = ["", "artifacts/"] if report is None else ["", "artifacts/", f"artifacts/{Path(report.output_dir).name}/"]
    try:
        places = [project.resolve_artifact(folder + name) for folder in folders]
    except InvalidInput as error:
        return {"error": error.message}
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        return {"error": f"There is no file {name!r} in the project."}
    if path.suffix.lower() not in TEXT_SUFFIXES:
        return {
            "error": f"{name} is not a text file; its figures stand in the run's report.",
            "bytes": path.stat().st_size,
        }
    with path.open(encoding="utf-8", errors="replace") as file:
        text = file.read(MAX_CHARACTERS + 1)
    return {"text": text[:MAX_CHARACTERS], "cut": len(text) > MAX_CHARACTERS}


# A context pack: what the model is shown of a project, as data.

ContextMode = Literal["compact", "debug_compact", "full"]


@dataclass(frozen=True)
class ContextPack:
    """The pack, how much it shows, and which of the model's intents it grants."""

    mode: ContextMode
    data: dict[str, Any]
    units: str = "m"
    granted: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The pack as JSON; a closing mark that stands within the data cannot end it."""
        return to_json(self.data | {"mode": self.mode}).decode().replace("</context_pack", "<\\/context_pack")


# Short forms of a run and of the checks that failed.

MAX_CHECKS = 12


def summarise_run(report: RunReport) -> dict[str, Any]:
    """How a run went: its end, its failed checks with what would repair them, the size of what came out."""
    return {
        "run_id": report.run_id,
        "success": report.success,
        "run_until": report.plan.run_until,
        "document_hash": report.document_hash,
        "spec_hash": report.spec_hash,
        "stage_failed": report.stage_failed,
        "stages_completed": report.stages_completed,
        "errors": report.errors[:8],
        "warnings": report.warnings[:8],
        "validity": report.validity.status if report.validity is not None else None,
        "failed_checks": [_check(check) for check in failed_checks(report)[:MAX_CHECKS]],
        "duration_s": round(report.total_duration_s, 2),
        "artifacts": sorted(report.artifacts),
    }


def summarise_details(report: RunReport) -> dict[str, Any]:
    """What helps to find out why a run failed: the figures of meshes and networks, stage by stage."""
    return {
        "meshes": {stage.stage: mesh for stage in report.stage_reports if (mesh := _metadata(stage, "mesh"))},
        "networks": {stage.stage: net for stage in report.stage_reports if (net := _metadata(stage, "network"))},
        "stage_warnings": {stage.stage: stage.warnings[:6] for stage in report.stage_reports if stage.warnings},
    }


def failed_checks(report: RunReport) -> list[Check]:
    """The checks that failed, in the report's order."""
    checks = report.validity.checks if report.validity is not None else []
    return [check for check in checks if not check.passed and not check.skipped]


def has_trouble(report: RunReport | None) -> bool:
    """Whether the last run failed, or a check of it did."""
    return report is not None and (not report.success or bool(failed_checks(report)))


def _check(check: Check) -> dict[str, Any]:
    keys = {"name", "message", "measured", "required", "unit", "location", "subject", "fix"}
    return check.model_dump(mode="json", include=keys, exclude_none=True)


def _metadata(stage: StageReport, key: str) -> dict[str, Any]:
    found = stage.metadata.get(key)
    return found if isinstance(found, dict) else {}


# Assembles what the model is shown: compact by default, more when the last run failed or the model asks.

HISTORY, MORE_HISTORY = 5, 50
RECENT_RUNS = 3
MAX_ISSUES = 20


class ContextBuilder:
    """Packs the context of one project: the document, its last runs, its history."""

    def __init__(self, project: ProjectFolder) -> None:
        """Keep the project; nothing is read before a pack is built."""
        self._project = project

    def build_compact(self) -> ContextPack:
        """What the state is told from; `debug_compact` by itself when the last run failed or a check of it did."""
        report = self._project.last_report()
        data = {
            "spec_hash": document_hash(self._project.document()),
            "last_run": summarise_run(report) if report is not None else None,
            "history": self._history(HISTORY),
        }
        return ContextPack("debug_compact" if has_trouble(report) else "compact", data, self._units())

    def build_full(self, request: ContextRequest) -> ContextPack:
        """What the model asked for and nothing else, for the state tells the rest; what cannot be shown says why."""
        report = self._project.last_report()
        data: dict[str, Any] = {}
        granted = []
        if request.need_full_spec:
            granted.append("full_spec")
            data["spec"] = self._project.document()
            issues = check_document(self._project.document()).issues[:MAX_ISSUES]
            data |= {"issues": [issue.model_dump(mode="json") for issue in issues]} if issues else {}
        if report is not None and (has_trouble(report) or request.need_last_run_report):
            data["last_run"] = summarise_run(report)
        if report is not None and has_trouble(report):
            data["last_run_details"] = summarise_details(report)
        if request.need_last_run_report:
            granted.append("last_run_report")
            data["last_run_report"] = report.model_dump(mode="json", exclude={"validity"}) if report else None
        if request.need_validity_report:
            granted.append("validity_report")
            validity = report.validity if report else None
            data["validity_report"] = validity.model_dump(mode="json") if validity else None
        if request.need_fields:
            granted.append("fields")
            data["fields"] = published_fields()
        if request.need_more_history:
            granted.append("more_history")
            data["history"] = self._history(MORE_HISTORY, whole=True)
            runs = ArtifactIndexer(self._project).select_relevant_runs(RECENT_RUNS)
            data |= {"runs": runs} if runs else {}
        files = list(request.need_specific_files)
        if request.need_network_artifact:
            granted.append("network_artifact")
            files += [path for name, path in (report.artifacts if report else {}).items() if "network" in name][:1]
        if files:
            granted.append("files")
            data["files"] = {name: read_artifact(self._project, report, name) for name in dict.fromkeys(files)}
        return ContextPack("full", data, self._units(), granted)

    def _history(self, limit: int, *, whole: bool = False) -> list[dict[str, Any]]:
        """The newest changes in words; whole: with what takes them back. What they made stands in the document."""
        return [
            {"author": record.author, "at": record.timestamp, "summary": record.note}
            | ({"inverse": record.inverse} if whole else {})
            for record in self._project.history()[:limit]
        ]

    def _units(self) -> str:
        meta = self._project.document().get("meta")
        return str(meta.get("input_units") or "m") if isinstance(meta, dict) else "m"


# The last run and the last changes in a few lines, out of a context pack.

MOST_CHECKS, MOST_CHANGES = 5, 3
LONGEST = 240
"""Characters of a line that comes from a report or a user."""


def tell_last_run(data: Mapping[str, Any]) -> str:
    """How the last run ended, on which version of the design, and what failed, with the figures."""
    run = data.get("last_run")
    if not run:
        return "Nothing has been built yet."
    stale = "" if run.get("document_hash") in (None, data.get("spec_hash")) else " The design has changed since."
    failed = run.get("failed_checks") or []
    end = "succeeded" if run.get("success") else f"failed at {run.get('stage_failed') or 'its checks'}"
    lines = [f"Last run ({run.get('run_until')}): {end}, checks: {run.get('validity') or 'not made'}.{stale}"]
    lines += [f"- {check.get('name')}: {_line(check.get('message'))}{_fix(check)}" for check in failed[:MOST_CHECKS]]
    if not failed:
        lines += [f"- {_line(error)}" for error in (run.get("errors") or [])[:MOST_CHECKS]]
    return "\n".join(lines)


def tell_changes(data: Mapping[str, Any]) -> str:
    """The newest changes, the last one first."""
    summaries = [_line(each.get("summary")) for each in (data.get("history") or [])[:MOST_CHANGES]]
    return "\n".join(["Last changes:", *(f"- {each}" for each in summaries)]) if summaries else ""


def _fix(check: Mapping[str, Any]) -> str:
    fix = check.get("fix")
    return f" Would correct it: {_line(fix.get('explanation'))}" if isinstance(fix, Mapping) else ""


def _line(text: Any) -> str:
    said = " ".join(str(text or "").split())
    return said if len(said) <= LONGEST else said[:LONGEST] + " ..."


EXPANDED = "processing_expanded"
PROMPTS = {EXPANDED: "designspec/turn_expanded"}


class PromptBuilder:
    """Renders the prompts of one installation."""

    def __init__(self, prompts: PromptRepository) -> None:
        """Take the installation's prompts."""
        self._prompts = prompts

    def rules(self, profile: Profile) -> str:
        """Role, operations and rules: the same for every run; a small model is not told of the expert's operations."""
        if profile == "small":
            return self._prompts.render("designspec/rules_small")
        return self._prompts.render("designspec/rules", expert=_text(self._prompts.render("designspec/expert")))

    def state(self, project: ProjectFolder, *, changes: bool = True) -> str:
        """The design as it is stored, the last run and, where they are not told elsewhere, the last changes."""
        pack = ContextBuilder(project).build_compact()
        rendered = self._prompts.render(
            "designspec/state",
            design=tell_design(project.document()),
            last_run=tell_last_run(pack.data),
            changes=tell_changes(pack.data) if changes else "",
        )
        # What users and reports say must not look like the marks around data.
        return _text(rendered).replace("context_pack>", "context_pack\\>").replace("</state", "<\\/state")

    def context(self, pack: ContextPack) -> str:
        """What was asked for, as data."""
        return _text(self._prompts.render("designspec/context", units=pack.units, pack=pack.text))


async def build_system_prompt(run: AgentRun) -> str:
    """The rules; for a small model's first design how to describe a part, which is all that it is asked for then."""
    if is_first_design(run):
        return run.toolbox.prompts.render("designspec/first_small")
    return PromptBuilder(run.toolbox.prompts).rules(run.profile)


async def build_stage_prompt(run: AgentRun) -> str:
    """What a stage is for; the one with more context grants what the last directive asked for."""
    if run.state.stage == EXPANDED:
        request = _asked_for(run)
        pack = ContextBuilder(open_project(run)).build_full(request)
        run.defer(ContextExpanded(granted=pack.granted, why=request.why))
    return run.toolbox.prompts.render(PROMPTS.get(run.state.stage, "designspec/turn"))


async def build_state_block(run: AgentRun) -> str:
    """How the design stands, and behind it what was asked for: told in this request only."""
    project, builder = open_project(run), PromptBuilder(run.toolbox.prompts)
    if is_first_design(run):
        return _lengths("\n".join(run.state.said))
    asked_for = _asked_for(run) if run.state.stage == EXPANDED else None
    state = builder.state(project, changes=asked_for is None or not asked_for.need_more_history)
    if run.profile == "small" and run.state.said:
        state += f"\n\n{_lengths(run.state.said[-1])}"
    if asked_for is None:
        return state
    return f"{state}\n\n{builder.context(ContextBuilder(project).build_full(asked_for))}"


def _lengths(message: str) -> str:
    """The lengths of a message in mm: a small model does not have to read units."""
    found = ", ".join(f"{each:g}" for each in lengths_of(message))
    return f"Lengths in my last message, in mm: {found or 'none'}."


def _asked_for(run: AgentRun) -> ContextRequest:
    """What the newest directive that asked to see more wants; the whole document where none is found."""
    directive = current_directive(run)
    request = directive.context_requests if directive is not None else None
    return request or ContextRequest(need_full_spec=True, need_more_history=True)


def _text(rendered: str) -> str:
    return split_task(rendered)[1].strip()
