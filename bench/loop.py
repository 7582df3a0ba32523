"""What a step costs, against the loop that everybody writes first; every bar is a ratio taken in this one run.

    python bench/loop.py [--json] [--quick]

Ends with 1 and names the bars if any is missed.
"""

import argparse
import json
import sys
from dataclasses import asdict

from rig.bars import Bar, exit_code
from rig.measure import Measured, help_milliseconds, measure
from rig.side import DEEP, RUNS, SHALLOW, SIDES


def bars(measured: dict[str, Measured], help_ms: float) -> list[Bar]:
    """The bars of the project, filled with figures."""
    peer, memory, sqlite = (measured[name] for name in list(SIDES)[:3])
    return [
        Bar(f"× the loop's CPU at step {SHALLOW}", memory.shallow_ms / peer.shallow_ms, 1.5),
        Bar(f"× less CPU than the loop at step {DEEP}", peer.deep_ms / memory.deep_ms, 10, at_least=True),
        Bar(f"× growth of a step's CPU from step {SHALLOW} to {DEEP}", memory.growth, 1.5),
        Bar(f"× the loop's steps per second, {RUNS} runs at once", memory.rate_against(peer), 10, at_least=True),
        Bar(f"× the loop's CPU at step {SHALLOW}, journal on SQLite", sqlite.shallow_ms / peer.shallow_ms, 1),
        Bar(f"× less CPU at step {DEEP}, journal on SQLite", peer.deep_ms / sqlite.deep_ms, 5, at_least=True),
        Bar("ms for loopwright --help", help_ms, 300),
    ]


def table(measured: dict[str, Measured]) -> str:
    """The raw figures."""
    lines = [f"{'':28} {'CPU ms, step 10':>16} {'step 300':>10} {'growth':>8} {'steps/s':>9}"]
    for name, m in measured.items():
        lines.append(f"{name:28} {m.shallow_ms:16.2f} {m.deep_ms:10.2f} {m.growth:8.2f} {m.steps_per_second:9.0f}")
    return "\n".join(lines)


def main() -> int:
    """Measure, report, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="one round each: to see that it works, not to judge")
    options = parser.parse_args()
    rounds = 1 if options.quick else 3
    measured = measure(list(SIDES), rounds, lambda line: print(line, file=sys.stderr, flush=True))
    judged = bars(measured, help_milliseconds(2 * rounds + 1))
    if options.json:
        figures = {name: asdict(m) for name, m in measured.items()}
        print(json.dumps({"figures": figures, "bars": [{**asdict(b), "held": b.held} for b in judged]}))
    else:
        print(table(measured), *judged, sep="\n")
    return exit_code(judged)


if __name__ == "__main__":
    sys.exit(main())
