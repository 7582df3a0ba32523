"""From a plan to the concrete steps of one run."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from loopwright.agents.designspec.pipeline.reports import RunPlan
from loopwright.agents.designspec.pipeline.stages import COMPONENT_STAGES, PIPELINE_STAGES, resolve_stage
from loopwright.kernel.errors import InvalidInput


@dataclass(frozen=True)
class Step:
    """One stage, for one component where the stage runs once for each."""

    stage: str
    component: str = ""

    @property
    def name(self) -> str:
        """As reports and plans write it: `component_build:net_1`."""
        return f"{self.stage}:{self.component}" if self.component else self.stage


def all_steps(component_ids: Sequence[str]) -> tuple[Step, ...]:
    """Every step of a document with these components, in order: a stage is done for all before the next begins."""
    return tuple(
        Step(stage, component)
        for stage in PIPELINE_STAGES
        for component in (component_ids if stage in COMPONENT_STAGES else ("",))
    )


def chosen_components(component_ids: Sequence[str], plan: RunPlan) -> tuple[str, ...]:
    """The components of the run, in the document's order; an empty subset is no subset.

    Raises:
        InvalidInput: the subset names a component that the document does not have.
    """
    subset = plan.components_subset or component_ids
    for component in subset:
        _known_component(component, component_ids, "components_subset")
    return tuple(component for component in component_ids if component in subset)


def plan_steps(component_ids: Sequence[str], plan: RunPlan) -> tuple[Step, ...]:
    """The steps that the plan asks for, in order.

    `run_until` is inclusive; where it names a component, the steps end with that one's. All filters apply together.

    Raises:
        InvalidInput: the plan names an unknown stage or component, or it leaves nothing to do.
    """
    chosen = chosen_components(component_ids, plan)
    only = _named_steps(plan.run_only, chosen)
    skipped = _named_steps(plan.skip, chosen)
    steps = tuple(step for step in _until(plan.run_until, chosen) if (not only or step in only) and step not in skipped)
    if not steps:
        raise InvalidInput(
            "The plan leaves nothing to run.",
            hint=f"run_until={plan.run_until!r}, run_only={plan.run_only}, skip={plan.skip}: let one stage remain.",
        )
    return steps


def skipped_steps(component_ids: Sequence[str], plan: RunPlan) -> tuple[Step, ...]:
    """The steps up to `run_until` that the plan leaves out on purpose.

    Raises:
        InvalidInput: as `plan_steps`.
    """
    kept = plan_steps(component_ids, plan)
    whole = plan_steps(component_ids, plan.model_copy(update={"run_only": [], "skip": [], "components_subset": None}))
    return tuple(step for step in whole if step not in kept)


def _until(name: str, component_ids: Sequence[str]) -> tuple[Step, ...]:
    """The steps up to the named one; a component stage without a component ends with its last."""
    stage, component = _resolve(name, component_ids)
    steps = all_steps(component_ids)
    last = max(
        (k for k, step in enumerate(steps) if step.stage == stage and component in (None, step.component)), default=None
    )
    if last is None:
        # There are no components: what comes before their stages is all there is.
        reached = PIPELINE_STAGES.index(stage)
        return tuple(step for step in steps if PIPELINE_STAGES.index(step.stage) < reached)
    return steps[: last + 1]


def _named_steps(names: Iterable[str], component_ids: Sequence[str]) -> frozenset[Step]:
    """The steps of these names; a component stage without a component means all components."""
    found: set[Step] = set()
    for name in names:
        stage, component = _resolve(name, component_ids)
        found |= {
            step for step in all_steps(component_ids) if step.stage == stage and component in (None, step.component)
        }
    return frozenset(found)


def _resolve(name: str, component_ids: Sequence[str]) -> tuple[str, str | None]:
    stage, component = resolve_stage(name)
    if component is not None:
        _known_component(component, component_ids, f"stage {name!r}")
    return stage, component


def _known_component(component: str, component_ids: Sequence[str], where: str) -> None:
    if component not in component_ids:
        raise InvalidInput(
            f"There is no component {component!r} ({where}).",
            hint=f"The components are: {', '.join(component_ids) or 'none'}.",
        )
