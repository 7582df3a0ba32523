"""Goes through the steps of one run, in the worker: takes what is kept, makes what is not, and tells of each."""

import hashlib
import json
import resource
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from time import monotonic
from typing import Any

from loopwright.agents.designspec.document.checking import require_spec
from loopwright.agents.designspec.document.spec import DesignSpec
from loopwright.agents.designspec.network import silent
from loopwright.agents.designspec.pipeline.preview import REPORTS, OutputName, ResultCache, output_names
from loopwright.agents.designspec.pipeline.recipes import (
    DOMAIN,
    POLICIES_READ,
    build_order,
    recipes,
    row_of,
    shown,
    visible_policies,
)
from loopwright.agents.designspec.pipeline.reports import (
    RUN_REPORT,
    WORKER_LOG,
    PipelineJob,
    PipelineProgress,
    RunReport,
    StageReport,
    Step,
    chosen_components,
    plan_steps,
    skipped_steps,
    write_run_report,
)
from loopwright.agents.designspec.pipeline.results import Outcome, StageFunction, Workbench, pack, unpack
from loopwright.agents.designspec.project.changing import document_hash
from loopwright.kernel.errors import InvalidInput, LoopwrightError
from loopwright.kernel.files import write_whole

# How much memory this process has taken, and how much it may take.

STATUS = Path("/proc/self/status")


def peak_memory_mb() -> float:
    """The most resident memory that this process has had, in MB.

    Linux' own counter in `getrusage` still holds the parent's memory from before `exec`; `VmHWM` does not.
    """
    if STATUS.is_file():
        for line in STATUS.read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 1024)


def limit_memory(megabytes: int) -> None:
    """Let allocations beyond this fail, in this process and its children.

    It limits written-to private memory (`RLIMIT_DATA`), not address space: threads reserve tens of megabytes of that
    which they never touch.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = megabytes * 2**20
    resource.setrlimit(resource.RLIMIT_DATA, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))


# What every run leaves besides its geometry: figures, the verdict, its report, and the list of all its files.

MANIFEST = "artifact_manifest.json"
VALIDITY_REPORT = "validity_report.json"
MESH_STATS, NETWORK_STATS = "mesh_stats.json", "network_stats.json"
MESH_OF_STAGE = {
    "component_mesh": "component_void",
    "union_voids": "union_void",
    "mesh_domain": "domain",
    "embed": "domain_with_void",
}


def close_run(run_dir: Path, report: RunReport, names: Iterable[OutputName] = ()) -> None:
    """Write the reports of a run that has ended, and at last the manifest of all its files.

    The run's report names every file that it is written beside; the manifest has their sizes and hashes.

    Args:
        run_dir: where to.
        report: of the run; the files that are written here are added to its artifacts.
        names: where the document wants reports besides the usual places.
    """
    usual = {"run_report": RUN_REPORT, "artifact_manifest": MANIFEST}
    elsewhere = [name for name in names if name.kind in REPORTS]
    _write(run_dir, report, "mesh_stats", MESH_STATS, {"units": "m", "meshes": _meshes(report)})
    _write(run_dir, report, "network_stats", NETWORK_STATS, {"units": "m", "networks": _networks(report)})
    if report.validity is not None:
        _write(run_dir, report, "validity_report", VALIDITY_REPORT, report.validity.model_dump(mode="json"))
    report.artifacts |= usual
    write_run_report(run_dir, report)
    for name in elsewhere:
        if name.kind in report.artifacts and name.kind != "artifact_manifest":
            _copy(run_dir / report.artifacts[name.kind], run_dir / name.name)
    labels: dict[str, list[str]] = {}
    for label, place in report.artifacts.items():
        labels.setdefault(place, []).append(label)
    files = [
        {"path": place, "labels": labels.get(place, []), **_described(path)}
        for path in sorted(run_dir.rglob("*"))
        if path.is_file() and (place := path.relative_to(run_dir).as_posix()) not in (MANIFEST, WORKER_LOG)
    ]
    hashes = {"spec_hash": report.spec_hash, "document_hash": report.document_hash}
    manifest = {"run_id": report.run_id, **hashes, "files": files}
    write_whole(run_dir / MANIFEST, json.dumps(manifest, indent=2).encode() + b"\n")
    for name in elsewhere:
        if name.kind == "artifact_manifest":
            _copy(run_dir / MANIFEST, run_dir / name.name)


def _copy(source: Path, target: Path) -> None:
    if source != target:
        write_whole(target, source.read_bytes())


def _write(run_dir: Path, report: RunReport, label: str, name: str, content: dict[str, Any]) -> None:
    write_whole(run_dir / name, json.dumps(content, indent=2).encode() + b"\n")
    report.artifacts[label] = name


def _meshes(report: RunReport) -> dict[str, Any]:
    """The figures of each mesh, by what it is and of which component."""
    found: dict[str, Any] = {}
    for stage in report.stage_reports:
        name, _, component = stage.stage.partition(":")
        mesh = stage.metadata.get("mesh")
        if mesh is not None and name in MESH_OF_STAGE:
            label = MESH_OF_STAGE[name]
            found[f"{label}:{component}" if component else label] = mesh
    return found


def _networks(report: RunReport) -> dict[str, Any]:
    """The figures of each network, by its component."""
    return {
        stage.stage.partition(":")[2]: stage.metadata["network"]
        for stage in report.stage_reports
        if "network" in stage.metadata
    }


def _described(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"size": path.stat().st_size, "sha256": digest}


Say = Callable[[PipelineProgress], None]
Leave = Callable[[Workbench, list[Step]], dict[str, str]]
PROGRESS_EVERY_S = 0.1
NEVER_KEPT = ("export",)
"""Stages that run every time: what they make lies in the run's own folder."""
CONTENT_WITH_LESS = ("validity", "export")
"""Stages that judge and write what there is. A bad verdict fails the run, but its results are still written."""


class Conductor:
    """One run, from the document to its report."""

    def __init__(
        self, job: PipelineJob, stages: Mapping[str, StageFunction], say: Say, leave: Leave | None = None
    ) -> None:
        """Make ready to run the job with these stages; nothing is read yet.

        Args:
            job: what to run.
            stages: by the stage's name.
            say: told of every step.
            leave: writes what a run that ends before its export has made, and answers the files by what they are.
        """
        self.job, self.stages, self.say, self.leave = job, stages, say, leave
        self.started = monotonic()
        self.names: list[OutputName] = []
        self.report = RunReport(
            run_id=job.run_id,
            success=False,
            spec_hash="",
            document_hash=document_hash(job.document),
            plan=job.plan,
            output_dir=str(job.run_dir),
        )

    def run(self) -> RunReport:
        """Do what the plan says, stop at the first stage that fails, and leave `run_report.json` in any case."""
        try:
            bench, steps = self._open()
        except LoopwrightError as error:
            self._failed("compile_policies", [_told(error)])
        else:
            for step in steps:
                if not self._step(bench, step):
                    break
            self._leave(bench, steps)
        report = self.report
        report.success = report.stage_failed is None
        report.total_duration_s = monotonic() - self.started
        report.peak_memory_mb = peak_memory_mb()
        close_run(self.job.run_dir, report, self.names)
        return report

    def _open(self) -> tuple[Workbench, tuple[Step, ...]]:
        """Check the document and the plan, and whether everything is at hand that the plan does not make.

        Raises:
            LoopwrightError: it cannot begin.
        """
        job, checked = self.job, require_spec(self.job.document)
        whole = checked.spec
        if whole is None:
            raise InvalidInput("The document has no spec.")
        self.report.spec_hash, self.report.spec_name = checked.spec_hash, whole.meta.name
        ids = build_order(whole)
        steps = plan_steps(ids, job.plan)
        chosen = chosen_components(ids, job.plan)
        spec = whole.model_copy(update={"components": [whole.component(name) for name in chosen]})
        bench = Workbench(
            checked=checked,
            run_id=job.run_id,
            spec=spec,
            whole=whole,
            document=job.document,
            project_dir=job.project_dir,
            run_dir=job.run_dir,
            recipes=recipes(spec, job.project_dir),
            cache=ResultCache(job.project_dir, job.limits.cache_mb * 2**20),
            progress=silent,
            report=self.report,
        )
        self.names = output_names(spec)
        if len(chosen) < len(ids):
            left_out = [name for name in ids if name not in chosen]
            self.report.warnings.append(f"The components {', '.join(left_out)} are left out of this run.")
        self.report.stages_skipped = [step.name for step in skipped_steps(ids, job.plan)]
        missing_inputs(bench, steps)
        return bench, steps

    def _step(self, bench: Workbench, step: Step) -> bool:
        """Do one step; whether the run may go on."""
        began = monotonic()
        self.say(PipelineProgress(kind="stage_started", stage=step.name))
        report = self._kept(bench, step)
        if report is None:
            bench.progress = self._progress_of(step)
            report = self._made(bench, step)
        report.duration_s = monotonic() - began
        self.report.stage_reports.append(report)
        self.report.warnings += [f"{step.name}: {warning}" for warning in report.warnings]
        self.say(PipelineProgress(kind="stage_finished", stage=step.name, share=1.0, report=report))
        if report.success:
            self.report.stages_completed.append(step.name)
        else:
            self.report.stage_failed = self.report.stage_failed or step.name
            self.report.errors += report.errors
        return report.success or step.stage in CONTENT_WITH_LESS

    def _kept(self, bench: Workbench, step: Step) -> StageReport | None:
        """The report of an earlier run, when that and all that the step makes are still there, whole."""
        if step.stage in NEVER_KEPT:
            return None
        kept = bench.cache.get(bench.recipes[step.name].report_key)
        if kept is None or not all(bench.cache.has(bench.recipes[name].key) for name in results_of(bench.spec, step)):
            return None
        return StageReport.model_validate_json(kept).model_copy(update={"cached": True})

    def _made(self, bench: Workbench, step: Step) -> StageReport:
        """Run the stage and keep what it makes."""
        report = StageReport(stage=step.name, success=False, **_policies(bench.spec, step))
        try:
            outcome = self.stages[step.stage](bench, step)
        except MemoryError:
            report.errors = [f"{step.name} needs more memory than the {self.job.limits.memory_mb} MB that it may have."]
            return report
        except LoopwrightError as error:
            report.errors = [_told(error)]
            return report
        except Exception as error:
            # A defect of ours, or of a library, on this input: the run says so instead of vanishing.
            traceback.print_exc(file=sys.stderr)
            report.errors = [f"{step.name} broke down: {type(error).__name__}: {error}"]
            return report
        report.metadata, report.warnings, report.errors = outcome.metadata, outcome.warnings, outcome.errors
        report.success = not outcome.errors
        self._keep(bench, step, outcome, report)
        self.report.artifacts |= outcome.artifacts
        return report

    def _keep(self, bench: Workbench, step: Step, outcome: Outcome, report: StageReport) -> None:
        for name, result in outcome.results.items():
            content = pack(result)
            # What later stages get is what the store holds, so that a run from kept results gives the same bytes.
            bench.results[name] = unpack(content)
            bench.cache.put(bench.recipes[name].key, content)
        if step.stage not in NEVER_KEPT and all(bench.has(need) for need in bench.recipes[step.name].needs):
            bench.cache.put(bench.recipes[step.name].report_key, report.model_dump_json().encode())

    def _leave(self, bench: Workbench, steps: tuple[Step, ...]) -> None:
        """Keep the verdict in the report, and write what a run without an export stage has made."""
        done = [step for step in steps if step.name in self.report.stages_completed]
        if any(step.stage == "validity" for step in steps):
            self.report.validity = bench.find("validity")
        if self.leave is not None and done and done[-1].stage != "export":
            self.report.artifacts |= self.leave(bench, done)

    def _failed(self, stage: str, errors: list[str]) -> None:
        report = StageReport(stage=stage, success=False, errors=errors)
        self.report.stage_reports.append(report)
        self.report.stage_failed, self.report.errors = stage, errors
        self.say(PipelineProgress(kind="stage_finished", stage=stage, share=1.0, report=report))

    def _progress_of(self, step: Step) -> Callable[[float, str], None]:
        last = 0.0

        def progress(share: float, message: str) -> None:
            nonlocal last
            if monotonic() - last >= PROGRESS_EVERY_S:
                last = monotonic()
                self.say(PipelineProgress(kind="progress", stage=step.name, share=share, message=message))

        return progress


def results_of(spec: DesignSpec, step: Step) -> tuple[str, ...]:
    """The names of the results that a step makes."""
    if step.stage in ("compile_policies", "export"):
        return ()
    if step.stage == "compile_domains":
        return tuple(f"{DOMAIN}:{name}" for name in spec.domains)
    return (step.name,)


def missing_inputs(bench: Workbench, steps: Iterable[Step]) -> None:
    """Make sure that every result which the steps need is made by one of them or kept from an earlier run.

    Raises:
        InvalidInput: one is not; the message says which stage must run first.
    """
    made: set[str] = set()
    for step in steps:
        made.update(results_of(bench.spec, step))
        for need in bench.recipes[step.name].needs if step.stage not in CONTENT_WITH_LESS else ():
            if need not in made and not bench.has(need):
                first = "compile_domains" if need.startswith(f"{DOMAIN}:") else need
                raise InvalidInput(
                    f"{step.name} needs the result of {first}, which the plan leaves out and no earlier run has left.",
                    hint=f"Run {first} first, or with it.",
                )


def _policies(spec: DesignSpec, step: Step) -> dict[str, dict[str, Any]]:
    stage = DOMAIN if step.stage == "compile_domains" else step.stage
    component = spec.component(step.component) if step.component else None
    policies = visible_policies(spec, stage, component)
    names = POLICIES_READ[row_of(stage, component)]
    return {"requested_policy": shown(names, policies, only_given=True), "effective_policy": shown(names, policies)}


def _told(error: LoopwrightError) -> str:
    return f"{error.message} {error.hint}".strip()
