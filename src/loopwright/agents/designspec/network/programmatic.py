"""Networks written down step by step: serpentines, ladders, mixers, and whatever else has a plan."""

import numpy as np
from pydantic import ValidationError

from loopwright.agents.designspec.document.backends import ProgrammaticParams
from loopwright.agents.designspec.document.components import Component
from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.network.network import Network, NodeType
from loopwright.agents.designspec.network.openings import Opening
from loopwright.agents.designspec.network.probe import DomainProbe, Progress
from loopwright.agents.designspec.network.programmatic_canvas import Canvas, Place
from loopwright.agents.designspec.network.programmatic_steps import ProgramSteps
from loopwright.kernel.errors import InvalidInput


def run_program(
    component: Component,
    openings: list[Opening],
    probe: DomainProbe,
    policies: Policies,
    seed: int,
    progress: Progress,
) -> Network:
    """Carry out the steps of `backend_params.steps`, one after the other.

    Ports are places from the start, by their names. Channels may join at nodes only: one that runs into another is an
    error, and so is one whose centre line leaves the domain.

    Args:
        component: whose program; errors point into it.
        openings: its ports, settled.
        probe: the domain.
        policies: those of the component; `growth.backend_params` holds the program.
        seed: not used: a program leaves nothing to chance.
        progress: told the step.

    Raises:
        InvalidInput: a step cannot be carried out; the message begins with its pointer.
    """
    where = f"/components/{component.id}/build/backend_params"
    try:
        params = ProgrammaticParams.model_validate(policies.growth.backend_params)
    except ValidationError as error:
        first = error.errors()[0]
        place = "/".join(str(part) for part in first["loc"])
        raise InvalidInput(f"{where}/{place}: {first['msg']}") from error
    if not params.steps:
        raise InvalidInput(f"{where}/steps: the program has no steps.", hint="Add steps, for example a route.")
    program = ProgramSteps(_canvas(openings), probe, policies, params)
    for number, step in enumerate(params.steps):
        progress(number / len(params.steps), f"step {number + 1} of {len(params.steps)}: {step.op}")
        try:
            program.carry_out(step, number)
        except InvalidInput as error:
            raise InvalidInput(f"{where}/steps/{number}: {error.message}", hint=error.hint) from error
    _check(program.canvas, f"{where}/steps")
    return program.canvas.network()


def _canvas(openings: list[Opening]) -> Canvas:
    canvas = Canvas()
    for opening in openings:
        kind: NodeType = "outlet" if opening.outlet else "inlet"
        node = canvas.node(np.asarray(opening.position), opening.vessel_type, -1, kind)
        heading = np.asarray(opening.direction, dtype=np.float64)
        canvas.places[opening.name] = Place(node, opening.radius, heading, opening)
    return canvas


def _check(canvas: Canvas, where: str) -> None:
    used = {node for pair in canvas.segments for node in pair}
    for name, place in canvas.places.items():
        if place.opening is None and place.node not in used:
            raise InvalidInput(
                f"{where}/{canvas.made_by[place.node]}: no channel leads to the node {name!r}.",
                hint="Route to it, or remove it.",
            )
    for earlier, later, (x, y, z) in canvas.short_circuits():
        raise InvalidInput(
            f"{where}/{later}: this channel runs into that of step {earlier} near ({x:g}, {y:g}, {z:g}) m.",
            hint="Lead it around (algorithm astar), make it thinner, or join the two at a node.",
        )
