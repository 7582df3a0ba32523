"""The ide agent's index beside ctags and ripgrep, on the same files in this one run, in turn.

    python bench/index.py [FOLDER] [--json] [--rounds 3]

Builds the index anew and brings it up to date without a change, beside what `ctags -R` takes for its tags; searches a
definition beside grep in the tags file, and a text beside ripgrep alone. FOLDER is copied first; without one the
installed libraries of this environment serve. Ends with 1 and names the bars if any is missed.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from rig.bars import Bar, exit_code

from loopwright.agents.ide.index import CodebaseIndex
from loopwright.agents.ide.index.codebase_index import ripgrep
from loopwright.agents.ide.project_files import ProjectFiles

MOST_FILES = 1_500
SUFFIXES = (".py", ".js", ".ts", ".c", ".h")
NAME, TEXT = "Session", "raise ValueError"


def copy_sources(source: Path, target: Path) -> int:
    """Copy source files, at most so many; gives how many."""
    found = sorted(path for path in source.rglob("*") if path.suffix in SUFFIXES and path.is_file())[:MOST_FILES]
    for path in found:
        place = target / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
    return len(found)


def seconds(work: Callable[[], object]) -> float:
    """Of the processors, other programs that the work starts included: what else runs here does not count."""
    begin = os.times()
    work()
    end = os.times()
    return sum(end[:4]) - sum(begin[:4])


def command(folder: Path, *arguments: str) -> float:
    """The seconds of another program, its start included; finding nothing is no failure."""
    return seconds(lambda: subprocess.run(arguments, cwd=folder, stdout=subprocess.DEVNULL, check=False))


def one_round(folder: Path, tags: Path) -> dict[str, float]:
    """Both sides, in turn."""
    state = folder.parent / "state"
    shutil.rmtree(state, ignore_errors=True)
    index = CodebaseIndex(ProjectFiles(folder), state)
    figures = {
        "build": seconds(index.refresh),
        "refresh": seconds(index.refresh),
        "symbol": seconds(lambda: index.search_symbols(NAME)),
        "text": seconds(lambda: index.search_text(TEXT)),
        "map": seconds(lambda: index.map(1_500, NAME)),
        "ripgrep text": command(folder, ripgrep(folder), "--fixed-strings", "--max-count=100", TEXT, "./"),
    }
    if shutil.which("ctags"):
        figures["ctags build"] = command(folder, "ctags", "-R", "-f", str(tags), ".")
        figures["ctags symbol"] = command(folder, "grep", "-c", f"^{NAME}", str(tags))
    return figures


def bars(figures: dict[str, float]) -> list[Bar]:
    """What must hold."""
    judged = [
        Bar("of the build's time for a refresh without changes", figures["refresh"] / max(figures["build"], 0.01), 0.2),
        Bar("seconds for a symbol", figures["symbol"], 0.5),
        Bar("seconds for a text, beyond ripgrep's own", figures["text"] - figures["ripgrep text"], 1),
        Bar("× the size of the sources that the index has", figures["index MB"] / figures["source MB"], 1),
    ]
    if "ctags build" in figures:
        judged.append(Bar("× the time of ctags to build", figures["build"] / max(figures["ctags build"], 0.01), 15))
    return judged


def main() -> int:
    """Measure, report, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(sysconfig.get_path("purelib")))
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with TemporaryDirectory() as name:
        folder, tags = Path(name, "sources"), Path(name, "tags")
        files = copy_sources(options.folder, folder)
        rounds = [one_round(folder, tags) for _ in range(options.rounds)]
        figures = {key: median(each[key] for each in rounds) for key in rounds[0]}
        figures["index MB"] = (folder.parent / "state" / "index.db").stat().st_size / 1e6
        figures["source MB"] = sum(path.stat().st_size for path in folder.rglob("*") if path.suffix in SUFFIXES) / 1e6
        if tags.exists():
            figures["ctags MB"] = tags.stat().st_size / 1e6
    judged = bars(figures)
    if options.json:
        print(json.dumps({"files": files, "figures": figures, "bars": [{**asdict(b), "held": b.held} for b in judged]}))
    else:
        print(f"{files:,} files", *(f"{key:14} {value:8.3f}" for key, value in figures.items()), *judged, sep="\n")
    return exit_code(judged)


if __name__ == "__main__":
    sys.exit(main())
