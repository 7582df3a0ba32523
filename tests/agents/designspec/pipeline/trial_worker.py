"""A worker whose stages sleep, allocate or fail as the document's features say: the process around them is on trial."""

import ctypes
import os
import sys
from collections.abc import Callable

import numpy as np

from loopwright.agents.designspec.network import Opening
from loopwright.agents.designspec.pipeline import recipes
from loopwright.agents.designspec.pipeline.reports import PIPELINE_STAGES, Step
from loopwright.agents.designspec.pipeline.results import Outcome, StageFunction, Workbench
from loopwright.agents.designspec.pipeline.serving import serve
from loopwright.agents.designspec.validity.report import ValidityReport
from loopwright.kernel.errors import InvalidInput


def sleep(bench: Workbench) -> None:
    """Tell the process and wait, while native code holds the interpreter."""
    bench.progress(0.5, str(os.getpid()))
    ctypes.PyDLL(None).usleep(60_000_000)


def allocate(bench: Workbench) -> None:
    """Fill memory page by page, far beyond any limit of the tests."""
    kept = []
    for block in range(64):
        bench.progress(block / 64, "allocating")
        kept.append(np.ones(2**23))


def refuse(bench: Workbench) -> None:
    """An expected failure."""
    raise InvalidInput("/components/0/ports: no.", hint="Try others.")


def break_down(bench: Workbench) -> None:
    """A defect."""
    raise ZeroDivisionError("of the program")


def scribble(bench: Workbench) -> None:
    """Print where the answers go."""
    sys.stdout.write("words of a library\n")
    sys.stdout.flush()
    os.write(1, b"words of native code\n")


DEEDS: dict[str, Callable[[Workbench], None]] = {
    deed.__name__: deed for deed in (sleep, allocate, refuse, break_down, scribble)
}


def play(bench: Workbench, step: Step) -> Outcome:
    """Do what the document's features say of this stage, and leave something simple."""
    deed = (bench.spec.features or {}).get(step.name)
    if deed:
        DEEDS[deed](bench)
    if step.stage == "validity":
        good = deed != "scribble"
        verdict = ValidityReport(success=good, status="ok" if good else "fail")
        return Outcome(results={step.name: verdict}, errors=[] if good else ["judged"])
    if step.stage == "compile_domains":
        return Outcome(results={f"domain:{name}": name for name in bench.spec.domains})
    if step.stage in ("compile_policies", "export"):
        return Outcome()
    needs = [bench.get(name) for name in bench.recipes[step.name].needs]
    places = np.arange(3.0) + len(needs)
    return Outcome(results={step.name: [Opening(step.name, "", (1.0, 2.0, 3.0), (0.0, 0.0, 1.0), 1.0), places]})


TRIAL_STAGES: dict[str, StageFunction] = dict.fromkeys(PIPELINE_STAGES, play)

if __name__ == "__main__":
    # As in conftest.py: someone who edits the source while the tests run disturbs none of them.
    vars(recipes)["code_version"] = lambda: "trial"
    serve(TRIAL_STAGES)
