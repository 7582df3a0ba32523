"""Openings: ports with their place settled."""

from dataclasses import dataclass

from loopwright.agents.designspec.document.components import VesselType

Place = tuple[float, float, float]


@dataclass(frozen=True)
class Opening:
    """A port as it is built, in metres: `direction` has length 1 and points into the domain.

    `outlet` tells an outlet from an inlet. `surface` is False for a port that is meant to end inside the domain.
    `moved` is how far the ports policy moved the given position.
    """

    name: str
    component_id: str
    position: Place
    direction: Place
    radius: float
    outlet: bool = False
    vessel_type: VesselType = "arterial"
    surface: bool = True
    moved: float = 0.0
