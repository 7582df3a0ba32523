"""Which fix belongs to which check."""

from collections.abc import Callable
from typing import TypeVar

from loopwright.agents.designspec.validity.fixes.amendment import Amendment
from loopwright.agents.designspec.validity.fixes.breakouts import keep_inside
from loopwright.agents.designspec.validity.fixes.clearances import move_apart
from loopwright.agents.designspec.validity.fixes.diameters import thicken
from loopwright.agents.designspec.validity.fixes.ports import put_on_face
from loopwright.agents.designspec.validity.fixes.thin_walls import thicken_wall
from loopwright.agents.designspec.validity.measurements import Measurements
from loopwright.agents.designspec.validity.report import Check, Fix

Known = TypeVar("Known")
Proposer = Callable[[Measurements, Check, Amendment], Fix | None]

PROPOSERS: tuple[tuple[str, Proposer], ...] = (
    ("min_diameter", thicken),
    ("clearance", move_apart),
    ("void_inside_domain", keep_inside),
    ("open_port", put_on_face),
    ("min_feature", thicken_wall),
)

HINTS = {
    "void_min_diameter": "Rounder tubes need more policies.mesh_synthesis.radial_sections; an imported void must be"
    " wider in its file.",
    "min_diameter": "Give the steps of a program, or the ports, larger radii.",
    "clearance": "Fewer or thinner branches, or a larger domain, give them room.",
    "void_inside_domain": "Keep the channels farther from the wall, or make the domain larger.",
    "min_feature": "Keep the channels farther apart and from the wall; policies.validity.min_feature_size says what can"
    " be made.",
    "open_port": "A ridge may stand over the port, or its channel may begin elsewhere: see the notes of embedding.",
    "sealed_cavities": "Give the component a port at the surface.",
    "void_components": "Components that share a port become one void; policies.validity.max_components says how many"
    " may be separate.",
}
"""What to think of where no patch is certain."""


def with_fix(measured: Measurements, check: Check) -> Check:
    """The check with a fix, or with a hint, where it failed."""
    if check.passed or check.skipped:
        return check
    document, fix = measured.subject.document, None
    propose = _named(dict(PROPOSERS), check.name)
    if document is not None and propose is not None:
        fix = propose(measured, check, Amendment(measured.subject, document))
    hint = _named(HINTS, check.name)
    if fix is not None or hint is None:
        return check.model_copy(update={"fix": fix})
    return check.model_copy(update={"message": f"{check.message} {hint}", "details": {**check.details, "hint": hint}})


def _named(table: dict[str, Known], name: str) -> Known | None:
    return next((value for key, value in table.items() if name == key or name.startswith(key + "_")), None)
