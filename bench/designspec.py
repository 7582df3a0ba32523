"""From a spec to validated meshes: what each stage takes, how it grows, and what the public specs take.

    python bench/designspec.py [--json] [--quick]

Growth is judged as a ratio in this one run: time per n·log n at the largest network against that at 1,000 segments.
The public specs are read from ../shared/data/designspec and left out where that folder is missing. Ends with 1 and
names the bars if any is missed.
"""

import argparse
import asyncio
import json
import math
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rig.bars import Bar, exit_code

from loopwright.agents.designspec.document.loading import load_text
from loopwright.agents.designspec.pipeline.reports import PipelineJob, RunReport
from loopwright.agents.designspec.pipeline.runner import run_pipeline

SPECS = Path(__file__).resolve().parents[2] / "shared" / "data" / "designspec"
ENDS = {"100": 24, "1,000": 200, "5,000": 1_150}
"""Ends that a network of about so many segments has, with the room that it gets here."""
ROOM = 8e-9
"""Cubic metres of tissue for each end: the same crowd at every size."""


@dataclass(frozen=True)
class Measured:
    """One run: `seconds` in all and `by_stage`, the network's and the mesh's size, the worker's memory."""

    seconds: float
    by_stage: dict[str, float]
    segments: int
    triangles: int
    memory_mb: float
    success: bool
    validity: str

    def cost(self, stage: str) -> float:
        """Seconds of a stage per n·log n of segments."""
        return self.by_stage[stage] / (self.segments * math.log(self.segments))


def network_document(ends: int) -> dict[str, Any]:
    """A box with one inlet and a grown network of so many ends in it, in metres."""
    half = (ROOM * ends) ** (1 / 3) / 2
    sides = {f"{axis}_{end}": sign * half for axis in "xyz" for end, sign in (("min", -1), ("max", 1))}
    port = {"name": "inlet", "position": [0, 0, half], "direction": [0, 0, -1], "radius": 0.06e-3 * ends ** (1 / 3)}
    growth = {
        "backend": "space_colonization",
        "target_terminals": ends,
        "terminal_tolerance": 0.5,
        "max_iterations": 2_000,
        "step_size": 4e-4,
        "min_segment_length": 2e-4,
        "max_segment_length": 1e-3,
        "min_radius": 6e-5,
        "backend_params": {"influence_radius": 4e-3, "kill_radius": 1e-3, "num_attraction_points": 8 * ends},
    }
    return {
        "schema": {"name": "aog_designspec", "version": "1.0.0"},
        "meta": {"name": f"network_{ends}", "seed": 1, "input_units": "m"},
        "policies": {
            "growth": growth,
            "radius": {"mode": "murray", "min_radius": 6e-5, "terminal_radius": 6e-5},
            "collision": {"collision_clearance": 5e-5},
            "resolution": {"min_channel_diameter": 1e-4},
            "output": {"output_units": "mm", "output_png": False, "output_3mf": False, "output_glb": False},
        },
        "domains": {"body": {"type": "box", **sides}},
        "components": [
            {
                "id": "net",
                "domain_ref": "body",
                "ports": {"inlets": [port], "outlets": []},
                "build": {"type": "backend_network"},
            }
        ],
    }


def run(document: dict[str, Any], name: str) -> tuple[RunReport, Measured]:
    """Run a document through the whole pipeline, in a project of its own: nothing is cached."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        job = PipelineJob(run_id=name, document=document, project_dir=project, run_dir=project / "run")
        job.run_dir.mkdir()
        report = asyncio.run(run_pipeline(job, lambda progress: None))
    return report, measured(report)


def measured(report: RunReport) -> Measured:
    """The figures of a report."""
    by_stage: dict[str, float] = {}
    for stage in report.stage_reports:
        kind = stage.stage.partition(":")[0]
        by_stage[kind] = by_stage.get(kind, 0.0) + stage.duration_s
    networks = [stage.metadata["network"] for stage in report.stage_reports if "network" in stage.metadata]
    meshes = {stage.stage: stage.metadata["mesh"] for stage in report.stage_reports if "mesh" in stage.metadata}
    return Measured(
        seconds=report.total_duration_s,
        by_stage=by_stage,
        segments=sum(network["segments"] for network in networks),
        triangles=max((mesh["faces"] for mesh in meshes.values()), default=0),
        memory_mb=report.peak_memory_mb,
        success=report.success,
        validity=report.validity.status if report.validity is not None else "not checked",
    )


def table(figures: dict[str, Measured]) -> str:
    """A row a run: seconds, sizes, and the share of the stages that take the most."""
    lines = [f"{'':34} {'s':>7} {'segments':>9} {'triangles':>10} {'MB':>6}  validity     share of the stages"]
    for name, each in figures.items():
        shares = sorted(each.by_stage.items(), key=lambda item: -item[1])[:4]
        share = ", ".join(f"{stage} {seconds / each.seconds:.0%}" for stage, seconds in shares)
        lines.append(
            f"{name:34} {each.seconds:7.2f} {each.segments:9,} {each.triangles:10,} {each.memory_mb:6.0f}"
            f"  {each.validity:11}  {share}"
        )
    return "\n".join(lines)


def bars(figures: dict[str, Measured], largest: str) -> list[Bar]:
    """What must hold."""
    base, top = figures["1,000"], figures[largest]
    judged = [
        Bar(f"× {stage} per n·log n, {largest} against 1,000 segments", top.cost(stage) / base.cost(stage), 1.5)
        for stage in ("component_build", "component_mesh")
    ]
    judged += [
        Bar("MB at the largest network", max(each.memory_mb for each in figures.values()), 2_048),
        Bar("runs that failed", sum(not each.success for each in figures.values()), 0),
    ]
    for name, each in figures.items():
        if name not in ENDS:
            judged += [Bar(f"s for {name}", each.seconds, 20), Bar(f"MB for {name}", each.memory_mb, 1_024)]
    return judged


def main() -> int:
    """Measure, report, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="up to 1,000 segments, no public specs")
    options = parser.parse_args()
    figures: dict[str, Measured] = {}
    sizes = list(ENDS)[:2] if options.quick else list(ENDS)
    for name in sizes:
        print(f"{name} segments …", file=sys.stderr, flush=True)
        report, figures[name] = run(network_document(ENDS[name]), name)
        for error in report.errors:
            print(f"  {error}", file=sys.stderr)
    for path in [] if options.quick else sorted(SPECS.glob("*.json")):
        print(f"{path.stem} …", file=sys.stderr, flush=True)
        report, figures[path.stem] = run(load_text(path.read_text(encoding="utf-8"), path.name), path.stem)
        for error in report.errors:
            print(f"  {error}", file=sys.stderr)
    judged = bars(figures, sizes[-1])
    if options.json:
        raw = {name: asdict(each) for name, each in figures.items()}
        print(json.dumps({"figures": raw, "bars": [{**asdict(b), "held": b.held} for b in judged]}))
    else:
        print(table(figures), *judged, sep="\n")
    return exit_code(judged)


if __name__ == "__main__":
    sys.exit(main())
