"""What several checks measure on the same design, each thing once."""

from functools import cached_property

from manifold3d import Manifold

from loopwright.agents.designspec.validity.centre_lines import CentreLines
from loopwright.agents.designspec.validity.contacts import Parts, find_contacts
from loopwright.agents.designspec.validity.designed import Contact, Designed, expect
from loopwright.agents.designspec.validity.gaps import Gap, find_gaps
from loopwright.agents.designspec.validity.leaks import Leak, find_leaks
from loopwright.agents.designspec.validity.line_index import LineIndex
from loopwright.agents.designspec.validity.plugs import Plug, find_plugs
from loopwright.agents.designspec.validity.port_probes import PortProbe, probe_ports
from loopwright.agents.designspec.validity.rays import RayScene
from loopwright.agents.designspec.validity.subject import Subject
from loopwright.agents.designspec.validity.surface import Surface


class Measurements:
    """The subject with its surfaces, centre lines and expected topology, made when they are first asked for."""

    def __init__(self, subject: Subject) -> None:
        """Keep the subject; measure nothing yet."""
        self.subject = subject

    @cached_property
    def lines(self) -> CentreLines:
        """All centre lines."""
        return CentreLines.of(self.subject)

    @cached_property
    def solid(self) -> Surface | None:
        """The solid's surface; None where there is no solid or nothing is left of it."""
        return _surface(self.subject.solid)

    @cached_property
    def void(self) -> Surface | None:
        """The united void's surface."""
        return _surface(self.subject.void)

    @cached_property
    def body(self) -> Surface:
        """The surface of the domain with its ridge."""
        return Surface.of(self.subject.body)

    @cached_property
    def solid_scene(self) -> RayScene | None:
        """Rays against the solid."""
        return RayScene(self.solid) if self.solid is not None else None

    @cached_property
    def void_scene(self) -> RayScene | None:
        """Rays against the void."""
        return RayScene(self.void) if self.void is not None else None

    @cached_property
    def body_scene(self) -> RayScene:
        """Rays against the body."""
        return RayScene(self.body)

    @cached_property
    def parts(self) -> Parts:
        """The connected parts of all components."""
        return Parts(self.subject, self.lines)

    @cached_property
    def contacts(self) -> list[Contact]:
        """Where components overlap."""
        return find_contacts(self.subject, self.parts)

    @cached_property
    def designed(self) -> Designed:
        """The topology that the design asks for."""
        met = {}
        for opening in self.subject.openings:
            part = self.parts.of_opening(opening, self.subject)
            if opening.surface and part is not None:
                met[opening.component_id, opening.name] = part
        return expect(self.subject, met, self.parts.all, self.contacts)

    @cached_property
    def line_index(self) -> LineIndex:
        """Which channel a point belongs to."""
        return LineIndex(self.lines)

    @cached_property
    def gaps(self) -> list[Gap]:
        """Where channels come too near to each other."""
        return find_gaps(self.subject)

    @cached_property
    def leaks(self) -> list[Leak]:
        """Where the voids stand out of the domain."""
        return find_leaks(self.subject)

    @cached_property
    def plugs(self) -> list[Plug]:
        """Where centre lines run into the material."""
        walls = self.walls
        return find_plugs(self.lines, walls, self.body_scene) if walls and len(self.lines.nodes) else []

    @cached_property
    def port_probes(self) -> list[PortProbe]:
        """What was found at each port that opens at the surface."""
        return probe_ports(self)

    @property
    def walls(self) -> tuple[RayScene, bool] | None:
        """The walls of the channels for rays, and whether the channels are the *inner* side of that surface.

        The solid where there is one, since that is what will be made; else the void.
        """
        if self.solid_scene is not None:
            return self.solid_scene, False
        return (self.void_scene, True) if self.void_scene is not None else None


def _surface(manifold: Manifold | None) -> Surface | None:
    if manifold is None or manifold.is_empty():
        return None
    return Surface.of(manifold)
