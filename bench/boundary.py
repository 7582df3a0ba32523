"""What the layer under a command costs, beside a bare bubblewrap and a plain look at all files, in this one run.

    python bench/boundary.py [--files 1500 50000] [--landed 10000] [--rounds 3] [--json]

For each size of project: bubblewrap alone, the layer with it, the survey, what precedes a command for the first time
and later, and landing a command that has written many files, beside copying as many. Seconds are of the processors,
other programs included; those of landing are of the clock too, since it waits for the disk. Ends with 1 and names the
bars if any is missed.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from rig.bars import Bar, exit_code

from loopwright.agents.ide.editing.landing import Before
from loopwright.agents.ide.project import Project, Projects
from loopwright.agents.ide.sandbox import Layer, isolation, new_layer, survey
from loopwright.agents.ide.sandbox.isolation import Isolation

CONTENT = "value = {}\n" * 40
IN_FOLDER = 25


def lay_out(root: Path, files: int) -> None:
    """So many small files, in folders of two levels."""
    for number in range(files):
        place = root / f"d{number // 500}" / f"e{number // IN_FOLDER % 20}" / f"f{number}.py"
        if number % IN_FOLDER == 0:
            place.parent.mkdir(parents=True)
        place.write_text(CONTENT.replace("{}", str(number)))


def seconds(work: Callable[[], object]) -> float:
    """Of the processors, other programs that the work starts included."""
    begin = os.times()
    work()
    end = os.times()
    return sum(end[:4]) - sum(begin[:4])


def run_true(how: Isolation, layer: Layer | None) -> None:
    """The least command, in bubblewrap alone or on a layer."""
    line = [str(how.bubblewrap), *how.flags, "--ro-bind", "/", "/", "--", "/bin/true"]
    subprocess.run(layer.wrap(line) if layer else line, cwd=layer.folder if layer else None, check=True)


def before(project: Project) -> Before:
    """What precedes a command."""
    found = project.checkpoints.before_command()
    found.saves.close()
    return found


def with_layer(project: Project, how: Isolation, found: Before) -> None:
    """Make a layer, run the least command on it, read it, drop it."""
    layer = new_layer(project.root, project.state_folder, how, found.survey)
    layer.make()
    try:
        run_true(how, layer)
        if layer.entries():
            raise AssertionError("nothing was changed")
    finally:
        layer.drop()


def land(project: Project, how: Isolation, files: int) -> tuple[float, float]:
    """Processor's and clock's seconds of landing what lies in a layer."""
    found = before(project)
    layer = new_layer(project.root, project.state_folder, how, found.survey)
    layer.make()
    lay_out(layer.folder / "upper" / "new", files)
    begun = time.monotonic()

    def work() -> None:
        with project.checkpoints.landing(layer.entries(), found, layer.replaced) as landing:
            if len(landing.targets) != files:
                raise AssertionError(f"{len(landing.targets)} of {files} files are landed")
            project.checkpoints.write("run", landing.targets, key=layer.folder.name, account={})

    try:
        return seconds(work), time.monotonic() - begun
    finally:
        layer.drop()


def copy_to_disk(source: Path, target: Path) -> None:
    """The least that writing files can cost."""
    shutil.copytree(source, target)
    os.sync()


def measured(folder: Path, files: int, landed: int, rounds: int) -> dict[str, float]:
    """The figures of one size."""
    root = folder / f"project-{files}"
    root.mkdir()
    lay_out(root, files)
    project = Projects(folder / f"home-{files}").at(root)
    project.state_folder.mkdir(parents=True)
    how = isolation(root, project.state_folder)
    if how is None:
        raise SystemExit("Commands cannot be confined on this machine: there is nothing to measure.")
    time.sleep(2.1)  # files that were written a moment ago are read twice
    figures = {"before, first": seconds(lambda: before(project))}
    found = before(project)
    works: dict[str, Callable[[], object]] = {
        "bubblewrap": lambda: run_true(how, None),
        "layer": lambda: with_layer(project, how, found),
        "find": lambda: subprocess.run(["find", str(root), "-printf", "%s"], stdout=subprocess.DEVNULL, check=True),
        "survey": lambda: survey(root),
        "before, again": lambda: before(project),
    }
    taken = [{name: seconds(work) for name, work in works.items()} for _ in range(rounds)]
    figures |= {name: median(each[name] for each in taken) for name in works}
    figures["landing"], figures["landing, by the clock"] = land(project, how, landed)
    begun = time.monotonic()
    figures["copy"] = seconds(lambda: copy_to_disk(root / "new", folder / f"copy-{files}"))
    figures["copy, by the clock"] = time.monotonic() - begun
    return figures


def bars(files: int, landed: int, figures: dict[str, float]) -> list[Bar]:
    """What must hold."""
    of = f"at {files:,} files"
    return [
        Bar(f"seconds for the layer beyond bubblewrap, {of}", figures["layer"] - figures["bubblewrap"], 0.3),
        Bar(f"× the time of find for the survey, {of}", figures["survey"] / max(figures["find"], 0.01), 12),
        Bar(f"µs a file before a command, {of}", figures["before, again"] / files * 1e6, 150),
        Bar(
            f"of the first time, before a later command, {of}", figures["before, again"] / figures["before, first"], 0.6
        ),
        Bar(f"× the time of copying {landed:,} files to land them, {of}", figures["landing"] / figures["copy"], 6),
        Bar(
            f"× the same by the clock, {of}",
            figures["landing, by the clock"] / max(figures["copy, by the clock"], 0.1),
            12,
        ),
    ]


def main() -> int:
    """Measure, report, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, nargs="+", default=[1_500, 50_000])
    parser.add_argument("--landed", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    with TemporaryDirectory() as name:
        figures = {
            files: measured(Path(name).resolve(), files, options.landed, options.rounds) for files in options.files
        }
    judged = [bar for files, each in figures.items() for bar in bars(files, options.landed, each)]
    if options.json:
        print(json.dumps({"figures": figures, "bars": [{**asdict(bar), "held": bar.held} for bar in judged]}))
    else:
        for files, each in figures.items():
            print(f"{files:,} files", *(f"  {key:22} {value:8.3f}" for key, value in each.items()), sep="\n")
        print(*judged, sep="\n")
    return exit_code(judged)


if __name__ == "__main__":
    sys.exit(main())
