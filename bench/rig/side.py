"""One side in a process of its own, so that the modules of one are not a burden on the memory of the other.

python -m rig.side NAME BASE_URL cost|rate      prints one JSON object
"""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any, Final

DEEP: Final = 300
SHALLOW: Final = 10
"""The steps at which the cost of one step is looked at."""

RUNS, RATE_STEPS, LATENCY_MS = 500, 10, 50
"""How many runs at once, of how many steps, at what model latency, for the steps per second."""

SIDES: Final[dict[str, tuple[str, dict[str, bool]]]] = {
    "openai loop": ("rig.peer", {}),
    "loopwright": ("rig.ours", {}),
    "loopwright, SQLite journal": ("rig.ours", {"sqlite": True}),
    "loopwright, streamed": ("rig.ours", {"streaming": True}),
}
"""Each side's module, which has `run`, and the options for it."""


def cost(run: Callable[..., Awaitable[Any]], base_url: str, options: dict[str, bool]) -> dict[str, float]:
    """CPU milliseconds of a step at both depths, of one run."""

    async def one() -> Any:
        (steps,) = await run(base_url, 1, DEEP, 0, **options)
        return steps

    steps = asyncio.run(one())
    return {"shallow_ms": steps.cpu(SHALLOW) * 1_000, "deep_ms": steps.cpu(DEEP) * 1_000}


def rate(run: Callable[..., Awaitable[Any]], base_url: str, options: dict[str, bool]) -> dict[str, float]:
    """Steps per second of many runs at once, from the first request to the last answer."""

    async def many() -> float:
        await run(base_url, 1, RATE_STEPS, 0, **options)  # imports and first uses are not what is asked about
        started = time.perf_counter()
        await run(base_url, RUNS, RATE_STEPS, LATENCY_MS, **options)
        return RUNS * RATE_STEPS / (time.perf_counter() - started)

    return {"steps_per_second": asyncio.run(many())}


def main(name: str, base_url: str, what: str) -> None:
    """Measure and print."""
    module, options = SIDES[name]
    measured = {"cost": cost, "rate": rate}[what](import_module(module).run, base_url, options)
    print(json.dumps(measured))


if __name__ == "__main__":
    main(*sys.argv[1:])
