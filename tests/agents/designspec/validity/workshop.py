"""Small designs in a block of 10 × 10 × 10 mm, and ways to spoil them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from manifold3d import Manifold, OpType

from loopwright.agents.designspec.document.checking import check_document
from loopwright.agents.designspec.geometry.tubes import void_of_network
from loopwright.agents.designspec.network import Network, Opening
from loopwright.agents.designspec.validity.checking import check_design
from loopwright.agents.designspec.validity.report import Check, ValidityReport
from loopwright.agents.designspec.validity.surface import BuiltDesign

MM = 1e-3
UP, DOWN = (0.0, 0.0, 1.0), (0.0, 0.0, -1.0)


@dataclass(frozen=True)
class Drawing:
    """A component drawn by hand, in millimetres: nodes, edges, one radius (or one for each edge), ports by node."""

    nodes: Sequence[tuple[float, float, float]]
    edges: Sequence[tuple[int, int]]
    radius: float | Sequence[float] = 0.4
    ports: dict[str, int] = field(default_factory=dict)
    directions: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    inner: tuple[str, ...] = ()
    """Ports that are meant to end inside."""

    def network(self) -> Network:
        """The network in metres."""
        radii = np.broadcast_to(np.asarray(self.radius, dtype=float), (len(self.edges),)) * MM
        degree = np.bincount(np.ravel(self.edges), minlength=len(self.nodes))
        kinds = tuple("terminal" if count == 1 else "junction" for count in degree)
        return Network(
            np.array(self.nodes, dtype=float) * MM,
            np.array(self.edges, dtype=np.int64),
            np.stack([radii, radii], axis=1),
            kinds,
            ("arterial",) * len(kinds),
            self.ports,
        )

    def openings(self, component: str) -> list[Opening]:
        """The ports, looking down where nothing else is said."""
        network = self.network()
        found = []
        for name, node in self.ports.items():
            touching = np.flatnonzero((network.segments == node).any(axis=1))
            x, y, z = network.positions[node].tolist()
            radius = float(network.radii[touching].max())
            direction = self.directions.get(name, DOWN)
            found.append(Opening(name, component, (x, y, z), direction, radius, surface=name not in self.inner))
        return found


def document(components: dict[str, Drawing], policies: dict[str, Any]) -> dict[str, Any]:
    """The document, in millimetres."""
    return {
        "schema": {"name": "aog_designspec", "version": "1.0.0"},
        "meta": {"name": "workshop", "seed": 1, "input_units": "mm"},
        "policies": policies,
        "domains": {
            "block": {"type": "box", "x_min": -5, "x_max": 5, "y_min": -5, "y_max": 5, "z_min": -5, "z_max": 5}
        },
        "components": [
            {
                "id": name,
                "domain_ref": "block",
                "ports": {
                    "inlets": [
                        {
                            "name": opening.name,
                            "position": [value / MM for value in opening.position],
                            "direction": list(opening.direction),
                            "radius": opening.radius / MM,
                            "is_surface_opening": opening.surface,
                        }
                        for opening in drawing.openings(name)
                    ],
                    "outlets": [],
                },
                "build": {"type": "backend_network"},
            }
            for name, drawing in components.items()
        ],
    }


def rod(start: Sequence[float], end: Sequence[float], radius: float) -> Manifold:
    """A round rod between two points, in millimetres."""
    span = (np.array(end, dtype=float) - np.array(start, dtype=float)) * MM
    size = float(np.linalg.norm(span))
    along = span / size
    first = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    first /= np.linalg.norm(first)
    frame = np.column_stack([first, np.cross(along, first), along, np.array(start, dtype=float) * MM])
    return Manifold.cylinder(size, radius * MM, radius * MM, 24).transform(frame)


def block(size: Sequence[float], centre: Sequence[float]) -> Manifold:
    """A box, in millimetres."""
    return Manifold.cube([s * MM for s in size], True).translate([c * MM for c in centre])


BODY = (10.0, 10.0, 10.0)


def make(components: dict[str, Drawing], policies: dict[str, Any] | None = None) -> BuiltDesign:
    """Carve the drawings out of the block. The defaults: 0.3 mm channels, 0.2 mm apart."""
    settings: dict[str, Any] = {
        "resolution": {"min_channel_diameter": 0.3},
        "collision": {"collision_clearance": 0.2},
        "open_port": {"probe_length": 2.0},
        **(policies or {}),
    }
    text = document(components, settings)
    report = check_document(text)
    assert report.spec is not None, report
    body = block(BODY, (0, 0, 0))
    networks = {name: drawing.network() for name, drawing in components.items()}
    openings = [opening for name, drawing in components.items() for opening in drawing.openings(name)]
    voids = {
        name: void_of_network(
            network, report.spec.policies, openings=[opening for opening in openings if opening.component_id == name]
        )
        for name, network in networks.items()
    }
    stubs = [
        rod(np.array(o.position) / MM - np.array(o.direction) * 0.5, np.array(o.position) / MM, o.radius / MM)
        for o in openings
        if o.surface
    ]
    subject = BuiltDesign(
        spec=report.spec,
        document_units="mm",
        body=body,
        solid=None,
        void=None,
        component_voids=voids,
        networks=networks,
        openings=openings,
        policies=report.spec.policies,
        document=text,
    )
    return carve(subject, Manifold.batch_boolean([*voids.values(), *stubs], OpType.Add))


def carve(subject: BuiltDesign, cutter: Manifold) -> BuiltDesign:
    """The subject with this void carved out of its body."""
    return replace(subject, solid=subject.body - cutter, void=subject.body ^ cutter)


def add_void(subject: BuiltDesign, extra: Manifold) -> BuiltDesign:
    """More void than was designed."""
    assert subject.void is not None
    return carve(subject, subject.void + extra)


def fill(subject: BuiltDesign, plug: Manifold) -> BuiltDesign:
    """Material where a channel was designed."""
    assert subject.void is not None
    return carve(subject, subject.void - plug)


def failed(report: ValidityReport) -> dict[str, Check]:
    """The checks that failed, by name."""
    return {check.name: check for check in report.checks if not check.passed and not check.skipped}


def failures(subject: BuiltDesign) -> set[str]:
    """The names of the checks that fail."""
    return set(failed(check_design(subject)))


STRAIGHT = Drawing([(0, 0, 5), (0, 0, -5)], [(0, 1)], ports={"in": 0, "out": 1}, directions={"out": UP})
FORK = Drawing(
    [(0, 0, 5), (0, 0, 1), (-3, 0, -2), (3, 0, -2), (-3, 0, -5), (3, 0, -5)],
    [(0, 1), (1, 2), (1, 3), (2, 4), (3, 5)],
    ports={"in": 0, "left": 4, "right": 5},
    directions={"left": UP, "right": UP},
)
LADDER = Drawing(
    [(x, 0, z) for z in (5, 3, 1, -1, -3, -5) for x in (-2, 2)],
    [(i, i + 2) for i in range(10)] + [(2, 3), (4, 5), (6, 7), (8, 9)],
    ports={"in_a": 0, "in_b": 1, "out_a": 10, "out_b": 11},
    directions={"out_a": UP, "out_b": UP},
)
BLIND = Drawing([(-2, 0, 5), (-2, 0, 1), (2, 0, 5), (2, 0, 0)], [(0, 1), (2, 3)], ports={"a": 0, "b": 2})
LEFT = Drawing([(-2, 0, 5), (-2, 0, -5)], [(0, 1)], ports={"in": 0, "out": 1}, directions={"out": UP})
RIGHT = Drawing([(2, 0, 5), (2, 0, -5)], [(0, 1)], ports={"in": 0, "out": 1}, directions={"out": UP})
SUNK = Drawing([(0, 0, 2), (0, 0, -2)], [(0, 1)])
"""A cavity by design."""
