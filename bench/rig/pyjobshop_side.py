"""The same instances for PyJobShop with CP-SAT."""

from dataclasses import dataclass
from time import monotonic

import pyjobshop
from rig.patterson import Instance


@dataclass(frozen=True)
class Judged:
    """What a solver says about an instance, and how long it took."""

    status: str
    gap: float | None
    seconds: float
    makespan: int | None = None
    named: bool = False


def solve_with_pyjobshop(instance: Instance, seconds: float, workers: int) -> Judged:
    """Build and solve the model; the time counts both, as it does on our side."""
    started = monotonic()
    model = pyjobshop.Model()
    job = model.add_job()
    resources = [model.add_renewable(capacity=capacity) for capacity in instance.capacities]
    tasks = [model.add_task(job=job) for _ in instance.durations]
    for task, duration, needs in zip(tasks, instance.durations, instance.needs, strict=True):
        model.add_mode(task, resources, duration, list(needs))
    for before, after, lag in instance.lags:
        if lag == instance.durations[before]:
            model.add_end_before_start(tasks[before], tasks[after])
        else:
            model.add_start_before_start(tasks[before], tasks[after], lag)
    result = model.solve(time_limit=seconds, num_workers=workers, display=False)
    status = result.status.value.lower().replace(" ", "_")
    if status not in {"optimal", "feasible"}:
        return Judged(status, None, monotonic() - started)
    gap = (result.objective - result.lower_bound) / max(1, result.objective)
    return Judged(status, gap, monotonic() - started, int(result.objective))
