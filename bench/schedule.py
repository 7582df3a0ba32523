"""The planner's solver beside PyJobShop with CP-SAT: both solve the same instances in this one run, in turn.

    python bench/schedule.py [--json] [--quick] [--all] [--seconds 5] [--instances 300]

First PSPLIB's j30 (every eighth, or all of them) from ../shared/data/psplib: who proves more optima, whose gap is
smaller. Then instances with minimal and maximal time lags whose infeasibility is known by construction, and their
feasible twins: who proves what, who finds something, in which time. Ends with 1 and names the bars if any is missed.
"""

import argparse
import json
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from rig.bars import Bar, exit_code
from rig.lag_instances import Pair, lag_pairs
from rig.patterson import Instance, read_patterson
from rig.pyjobshop_side import Judged, solve_with_pyjobshop
from rig.rcpsp import solve_rcpsp

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data" / "psplib" / "j30"
WORKERS = 2
LAG_SECONDS = 1.0
"""For one instance with time lags, on either side."""
TWIN_SECONDS = 0.25
"""For a feasible twin, on either side: it is asked whether it is refused or found, not how short it can be."""


def ours(instance: Instance, seconds: float) -> Judged:
    """What our solver says."""
    found = solve_rcpsp(instance, seconds, workers=WORKERS)
    named = found.cause is not None and found.cause.found_before_solver
    return Judged(found.status, found.gap, found.seconds, found.makespan, named)


def said(line: str) -> None:
    """Progress."""
    print(line, file=sys.stderr, flush=True)


def run_j30(step: int, seconds: float) -> dict[str, list[Judged]]:
    """Both sides on the j30 set."""
    sides: dict[str, list[Judged]] = {"ours": [], "pyjobshop": []}
    for path in sorted(FOLDER.glob("*.rcp"))[::step]:
        instance = read_patterson(path)
        a, b = ours(instance, seconds), solve_with_pyjobshop(instance, seconds, WORKERS)
        if a.status == b.status == "optimal" and a.makespan != b.makespan:
            raise SystemExit(f"{path.name}: two different optima, {a.makespan} and {b.makespan}")
        sides["ours"].append(a)
        sides["pyjobshop"].append(b)
        told = [f"{side} {j.status} {j.makespan} {j.seconds:.2f} s" for side, j in (("ours", a), ("peer", b))]
        said(f"{path.stem:10} {', '.join(told)}")
    return sides


def run_lags(pairs: list[Pair]) -> dict[str, list[Judged]]:
    """Both sides on infeasible instances, and on the feasible twins."""
    sides: dict[str, list[Judged]] = {"ours": [], "pyjobshop": [], "twins": [], "twins_pyjobshop": []}
    for number, pair in enumerate(pairs):
        sides["ours"].append(ours(pair.infeasible, LAG_SECONDS))
        sides["pyjobshop"].append(solve_with_pyjobshop(pair.infeasible, LAG_SECONDS, WORKERS))
        sides["twins"].append(ours(pair.feasible, TWIN_SECONDS))
        sides["twins_pyjobshop"].append(solve_with_pyjobshop(pair.feasible, TWIN_SECONDS, WORKERS))
        a, b = sides["ours"][-1], sides["pyjobshop"][-1]
        said(f"{number:4} {pair.kind:7} ours {a.status} {a.seconds:.3f} s, peer {b.status} {b.seconds:.3f} s")
    return sides


def count(answers: Iterable[Judged], status: str) -> int:
    """How many answers have the status."""
    return sum(answer.status == status for answer in answers)


def only_theirs(mine: Iterable[Judged], peer: Iterable[Judged]) -> int:
    """On how many instances we find no schedule and PyJobShop does."""
    return sum(a.makespan is None and b.makespan is not None for a, b in zip(mine, peer, strict=True))


def mean_gap(answers: list[Judged]) -> float:
    """The mean gap; an instance without any schedule counts as 1."""
    return sum(1.0 if answer.gap is None else answer.gap for answer in answers) / len(answers)


def j30_bars(sides: dict[str, list[Judged]]) -> list[Bar]:
    """The bars of the j30 set."""
    mine, peer = sides["ours"], sides["pyjobshop"]
    ratio = count(mine, "optimal") / max(1, count(peer, "optimal"))
    return [
        Bar("× the optima that PyJobShop proves on j30", ratio, 1, at_least=True),
        Bar("percent mean gap on j30 above PyJobShop's", 100 * (mean_gap(mine) - mean_gap(peer)), 0),
        Bar("instances of j30 where PyJobShop alone finds a schedule", only_theirs(mine, peer), 0),
    ]


def lag_bars(sides: dict[str, list[Judged]]) -> list[Bar]:
    """The bars of the instances with time lags."""
    mine, peer = sides["ours"], sides["pyjobshop"]
    spent = sum(answer.seconds for answer in mine) / sum(answer.seconds for answer in peer)
    return [
        Bar("of the infeasible instances proved so", count(mine, "infeasible") / len(mine), 1, at_least=True),
        Bar("of them with a cause before the solver", sum(a.named for a in mine) / len(mine), 0.85, at_least=True),
        Bar("× the time of PyJobShop, in sum", spent, 1),
        Bar("feasible twins refused", count(sides["twins"], "infeasible"), 0),
        Bar("twins where PyJobShop alone finds a schedule", only_theirs(sides["twins"], sides["twins_pyjobshop"]), 0),
    ]


def main() -> int:
    """Measure, report, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="a tenth of everything: to see that it works")
    parser.add_argument("--all", action="store_true", help="all 480 instances of j30, not every eighth")
    parser.add_argument("--seconds", type=float, default=5.0, help="for one j30 instance, on either side")
    parser.add_argument("--instances", type=int, default=300, help="with time lags")
    options = parser.parse_args()
    step = 80 if options.quick else 1 if options.all else 8
    figures: dict[str, dict[str, list[Judged]]] = {}
    judged: list[Bar] = []
    if FOLDER.is_dir():
        figures["j30"] = run_j30(step, options.seconds)
        judged += j30_bars(figures["j30"])
    figures["lags"] = run_lags(lag_pairs(options.instances // (10 if options.quick else 1)))
    judged += lag_bars(figures["lags"])
    if options.json:
        answers = {
            name: {side: [asdict(a) for a in row] for side, row in sides.items()} for name, sides in figures.items()
        }
        print(json.dumps({"figures": answers, "bars": [{**asdict(b), "held": b.held} for b in judged]}))
    else:
        for name, sides in figures.items():
            for side, row in sides.items():
                tally = {status: count(row, status) for status in sorted({answer.status for answer in row})}
                print(f"{name:5} {side:10} {sum(answer.seconds for answer in row):8.1f} s  {tally}")
        print(*judged, sep="\n")
    return exit_code(judged)


if __name__ == "__main__":
    sys.exit(main())
