"""A void that stands out of the domain: its ports move in, or the domain grows."""

import numpy as np

from loopwright.agents.designspec.document.components import Component
from loopwright.agents.designspec.document.domains import BoxDomain
from loopwright.agents.designspec.document.pointers import join
from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.validity.fixes.amendment import Amendment
from loopwright.agents.designspec.validity.fixes.moves import SLACK, along_face, moved, mover_of, write_moves
from loopwright.agents.designspec.validity.gaps import find_gaps
from loopwright.agents.designspec.validity.leaks import find_leaks
from loopwright.agents.designspec.validity.measurements import Measurements
from loopwright.agents.designspec.validity.report import Check, Fix
from loopwright.agents.designspec.validity.wording import length

SIDES = (("x_max", 0, 1), ("x_min", 0, -1), ("y_max", 1, 1), ("y_min", 1, -1), ("z_max", 2, 1), ("z_min", 2, -1))
"""Fields of a box in the order of a leak's `beyond`, their axis and direction."""


def keep_inside(measured: Measurements, check: Check, amendment: Amendment) -> Fix | None:
    """Move the channel that leaks inwards by its ports; else enlarge a box, where nothing was grown into it."""
    return _move_in(measured, amendment) or _enlarge(measured, amendment)


def _move_in(measured: Measurements, amendment: Amendment) -> Fix | None:
    leaks = measured.leaks
    if not len(measured.lines.nodes) or any(leak.reach <= 0 for leak in leaks):
        return None
    segment, _ = measured.line_index.nearest(np.array([leak.place for leak in leaks]))
    lines = measured.lines
    names = sorted({(lines.components[int(lines.component[row])], int(lines.number[row])) for row in segment})
    movers = [mover_of(measured, *name) for name in names]
    first = movers[0]
    if first is None or any(each is None or each.openings != first.openings for each in movers):
        return None
    beyond = np.max([leak.beyond for leak in leaks], axis=0)
    wall = measured.subject.required_feature
    wish = np.array([-(beyond[2 * axis] - beyond[2 * axis + 1]) for axis in range(3)])
    wish += np.sign(wish) * wall
    shift = along_face(first, wish)
    after = moved(measured, first, shift) if shift is not None else None
    if shift is None or after is None or find_gaps(after) or find_leaks(after):
        return None
    if not write_moves(amendment, first, shift):
        return None
    told = ", ".join(opening.name for opening in first.openings)
    return Fix(
        explanation=f"Moving {told} inwards by {length(float(np.linalg.norm(shift)))} keeps the channel in the domain.",
        patch=amendment.operations,
    )


def _stays(component: Component, policies: Policies) -> bool:
    """Whether a component's void stays where it is when the domain grows."""
    if component.build.type == "import_void_mesh":
        return True
    paired = len(component.ports.inlets) == len(component.ports.outlets)
    return component.build.type == "primitive_channels" and (paired or policies.channels.length_mode == "explicit")


def _enlarge(measured: Measurements, amendment: Amendment) -> Fix | None:
    """A box grows on the sides that the void stands out of, where no port lies and nothing is grown anew."""
    subject = measured.subject
    refs = {component.domain_ref for component in subject.spec.components}
    name = next(iter(refs))
    domain = subject.spec.domains[name]
    stay = all(_stays(component, subject.policies_for(component.id)) for component in subject.spec.components)
    if len(refs) > 1 or not isinstance(domain, BoxDomain) or not stay or subject.policies.ridge.enabled:
        return None
    if any(leak.reach <= 0 for leak in measured.leaks):
        return None
    beyond = np.max([leak.beyond for leak in measured.leaks], axis=0)
    told = []
    for side, (field, axis, sign) in enumerate(SIDES):
        if beyond[side] <= 0:
            continue
        edge = float(getattr(domain, field))
        if any(abs(opening.position[axis] - edge) < opening.radius for opening in subject.openings if opening.surface):
            return None
        grow = SLACK * (beyond[side] + subject.required_feature)
        amendment.set(join("/domains", name, field), amendment.place([edge + sign * grow])[0])
        told.append(f"{field} by {length(grow)}")
    if not told:
        return None
    return Fix(explanation=f"Moving {', '.join(told)} makes room for the void.", patch=amendment.operations)
