"""What several checks measure on the same design, each thing once."""

from functools import cached_property

import numpy as np
from manifold3d import Error, Manifold
from numpy.typing import NDArray

from loopwright.agents.designspec.document.spec import METRES, Units
from loopwright.agents.designspec.export.printable import WELD, NotPrintable, printable
from loopwright.agents.designspec.network import Floats, Ints
from loopwright.agents.designspec.validity.contacts import (
    Gap,
    Parts,
    Plug,
    RayScene,
    across,
    find_contacts,
    find_gaps,
    find_plugs,
)
from loopwright.agents.designspec.validity.designed import Contact, Designed, expect
from loopwright.agents.designspec.validity.port_probes import CORE, PortProbe, probe_ports
from loopwright.agents.designspec.validity.report import Check
from loopwright.agents.designspec.validity.surface import (
    BuiltDesign,
    CentreLines,
    Leak,
    LineIndex,
    Place,
    Shell,
    Surface,
    at,
    counted,
    find_leaks,
    length,
    place,
)


class Measurements:
    """The subject with its surfaces, centre lines and expected topology, made when they are first asked for."""

    def __init__(self, subject: BuiltDesign) -> None:
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


# Whether solid and void hang together as designed: pieces, sealed hollows, and that one is the other's complement.

SAME_VOLUME = 1e-6
"""Solid and void together may differ from the body by this share of it."""
CRUMB = 3
"""A piece smaller than this many channels across is a crumb."""


def check_components(measured: Measurements) -> list[Check]:
    """The void's pieces, the solid's, the hollows in it, and the two against each other."""
    return [
        _void_components(measured),
        _solid_components(measured),
        _sealed_cavities(measured),
        _complement(measured),
    ]


def _void_components(measured: Measurements) -> Check:
    name = "void_components"
    if measured.void is None:
        return _nothing(name, "void")
    limit = measured.subject.policies.validity.max_components
    pieces = [shell for shell in measured.void.shells if shell.volume > 0]
    expected = measured.designed.voids
    told = f"{counted(len(pieces), 'connected void')}, {expected} designed"
    problems: list[str] = []
    where: Place | None = None
    subject = "void"
    if len(pieces) != expected:
        problems, where, subject = _void_pieces(measured, pieces, expected)
    if limit is not None and len(pieces) > limit:
        problems.append(f"policies.validity.max_components allows {limit}")
        where = where or pieces[-1].place
    return Check(
        name=name,
        passed=not problems,
        subject=subject,
        message=f"{told}." if not problems else f"{told}: {'; '.join(problems)}.",
        measured=len(pieces),
        required=min(expected, limit) if limit is not None else expected,
        unit="components",
        location=where,
        details={"volumes_m3": [piece.volume for piece in pieces[:50]], "max_components": limit},
    )


def _void_pieces(measured: Measurements, pieces: list[Shell], expected: int) -> tuple[list[str], Place | None, str]:
    if len(pieces) < expected:
        return ["parts that are separate by design have grown together"], None, "void"
    with_lines = shells_with_centre_lines(measured, measured.void)
    crumbs = [piece for piece in pieces if piece.number not in with_lines]
    if crumbs:
        smallest = crumbs[-1]
        what = "detached crumb" if smallest.size < CRUMB * measured.subject.required_diameter else "stray void"
        told = f"{counted(len(crumbs), what)} without a centre line, the smallest {at(smallest.place)}"
        return [f"{told}, {smallest.volume * 1e9:.3g} mm³"], smallest.place, what
    return [f"a channel is cut, a piece of it is {at(pieces[-1].place)}"], pieces[-1].place, "cut channel"


def shells_with_centre_lines(measured: Measurements, surface: Surface | None) -> set[int]:
    """The void's shells in which a centre line runs."""
    lines, scene = measured.lines, measured.void_scene
    if surface is None or scene is None or not len(lines.nodes):
        return {shell.number for shell in surface.shells} if surface is not None else set()
    found: set[int] = set()
    along = lines.ends - lines.starts
    sideways = across(along)
    for share in (0.1, 0.5, 0.9):
        hits = scene.cast(lines.starts + share * along, sideways)
        found.update(surface.shell_of[hits.triangle[hits.leaving]].tolist())
    return found


def _solid_components(measured: Measurements) -> Check:
    name = "domain_with_void_components"
    if measured.solid is None:
        return _nothing(name, "solid")
    pieces = [shell for shell in measured.solid.shells if shell.volume > 0]
    expected = sum(shell.volume > 0 for shell in measured.body.shells)
    passed = len(pieces) == expected
    told = f"{counted(len(pieces), 'piece')} of solid, {expected} designed"
    return Check(
        name=name,
        passed=passed,
        subject="solid",
        message=f"{told}."
        if passed
        else f"{told}: the void cuts off a piece of {abs(pieces[-1].volume) * 1e9:.3g} mm³ {at(pieces[-1].place)}.",
        measured=len(pieces),
        required=expected,
        unit="components",
        location=None if passed else pieces[-1].place,
    )


def _sealed_cavities(measured: Measurements) -> Check:
    name = "sealed_cavities"
    if measured.solid is None:
        return _nothing(name, "solid")
    hollows = [shell for shell in measured.solid.shells if shell.volume < 0]
    expected = measured.designed.cavities
    told = f"{counted(len(hollows), 'sealed cavity', 'sealed cavities')}, {expected} designed"
    if len(hollows) == expected:
        return Check(
            name=name, passed=True, message=f"{told}.", measured=len(hollows), required=expected, unit="cavities"
        )
    where = hollows[-1].place if hollows else None
    largest = f": the smallest is {abs(hollows[-1].volume) * 1e9:.3g} mm³ {at(hollows[-1].place)}" if hollows else ""
    return Check(
        name=name,
        passed=False,
        subject="cavity",
        message=f"{told}{largest}. Nothing can be washed out of a sealed cavity.",
        measured=len(hollows),
        required=expected,
        unit="cavities",
        location=where,
    )


def _complement(measured: Measurements) -> Check:
    name = "void_matches_solid"
    if measured.solid is None or measured.void is None:
        return _nothing(name, "solid and void together")
    body, solid, void = (
        sum(shell.volume for shell in surface.shells) for surface in (measured.body, measured.solid, measured.void)
    )
    passed = abs(body - solid - void) <= SAME_VOLUME * body
    return Check(
        name=name,
        passed=passed,
        subject="void",
        message="The void is what the body lacks."
        if passed
        else f"The body lacks {(body - solid) * 1e9:.6g} mm³, but the void has {void * 1e9:.6g} mm³.",
        measured=body - solid,
        required=void,
        unit="m3",
    )


def _nothing(name: str, what: str) -> Check:
    return Check(name=name, passed=True, skipped=True, message=f"There is no {what} to look at.")


# Whether each port is really open.

OPEN_SHARE = 0.9
"""How much of the nominal area must be open; the polygon's own loss comes on top."""


def check_open_ports(measured: Measurements) -> list[Check]:
    """One check for each port that is to open at the surface."""
    if not measured.subject.policies.open_port.enabled:
        off = "Switched off by policies.open_port.enabled."
        return [Check(name="open_port", passed=True, skipped=True, message=off)]
    openings = [opening for opening in measured.subject.openings if opening.surface]
    if not openings or (measured.solid is None and measured.void is None):
        what = "port at the surface" if not openings else "solid"
        return [Check(name="open_port", passed=True, skipped=True, message=f"There is no {what} to look at.")]
    names = [opening.name for opening in openings]
    return [
        _check(
            measured,
            probe,
            f"open_port_{probe.opening.name}"
            if names.count(probe.opening.name) == 1
            else f"open_port_{probe.opening.component_id}.{probe.opening.name}",
        )
        for probe in measured.port_probes
    ]


def _check(measured: Measurements, probe: PortProbe, name: str) -> Check:
    opening = probe.opening
    sections = measured.subject.policies_for(opening.component_id).mesh_synthesis.radial_sections
    nominal = np.pi * opening.radius**2
    required = OPEN_SHARE * sections / (2 * np.pi) * np.sin(2 * np.pi / sections)
    where, problem = np.array(opening.position), ""
    if not probe.outside:
        problem = "it does not lie at the surface: its outer side is within the domain"
    elif probe.obstacle is not None and probe.obstacle_depth is not None:
        where = probe.obstacle
        deep = f"{length(probe.obstacle_depth)} below" if probe.obstacle_depth > 0 else "right at"
        problem = f"solid stands in its way {deep} the surface"
    elif not probe.void_there:
        problem = "no channel reaches it"
    elif probe.open_share < required:
        problem = f"only {probe.open_share:.0%} of its area is open"
    told = f"Port {opening.name} of {opening.component_id}"
    return Check(
        name=name,
        passed=not problem,
        subject=f"{opening.component_id}.{opening.name}",
        message=f"{told} is open: {length(probe.depth)} deep, {probe.open_share:.0%} of its area."
        if not problem
        else f"{told} is not open: {problem} {at(where)}.",
        measured=float(probe.open_share * nominal) if probe.obstacle is None else 0.0,
        required=float(required * nominal),
        unit="m2",
        location=None if not problem else place(where),
        details={
            "probe_depth_m": probe.depth,
            "probe_radius_m": CORE * opening.radius,
            "open_share": probe.open_share,
            "nominal_area_m2": float(nominal),
            "moved_m": opening.moved,
        },
    )


# Whether solid and void are closed, properly oriented surfaces, also as the single-precision triangles of a file.


def check_watertight(measured: Measurements) -> list[Check]:
    """One check for the solid and one for the void; where nothing was carved, the domain is the product."""
    subject = measured.subject
    units = subject.policies.output.output_units
    if subject.solid is None and subject.void is None:
        return [_check_watertight_check("domain_watertight", "domain", subject.body, measured.body, units)]
    return [
        _check_watertight_check("domain_with_void_watertight", "solid", subject.solid, measured.solid, units),
        _check_watertight_check("void_watertight", "void", subject.void, measured.void, units),
    ]


def _check_watertight_check(
    name: str, what: str, manifold: Manifold | None, surface: Surface | None, units: Units
) -> Check:
    if manifold is None:
        return Check(name=name, passed=True, skipped=True, subject=what, message=f"There is no {what} to look at.")
    if manifold.status() != Error.NoError:
        return Check(
            name=name,
            passed=False,
            subject=what,
            message=f"The {what} is not a closed surface: {manifold.status().name}.",
            measured=manifold.status().name,
            required="NoError",
        )
    if surface is None:
        return Check(name=name, passed=False, subject=what, message=f"The {what} is empty.", measured=0, required="> 0")
    faults, where, details = surface_faults(surface, 1 / METRES[units])
    if faults:
        try:
            details["simplified_by_m"] = printable(manifold, units).tolerance
            faults, where = [], None
        except NotPrintable:
            details["simplified_by_m"] = None
    volume = float(sum(shell.volume for shell in surface.shells))
    details["volume_m3"] = volume
    if volume <= 0:
        faults.append("its triangles are turned inside out")
    told = counted(len(surface.triangles), "triangle")
    return Check(
        name=name,
        passed=not faults,
        subject=what,
        message=f"The {what} is closed: {told}."
        if not faults
        else f"The {what} is not closed ({told}): {'; '.join(faults)}{' ' + at(where) if where is not None else ''}.",
        measured=len(faults) and int((details["open_edges"] or 0) + (details["crossing_edges"] or 0)),
        required=0,
        unit="edges",
        location=place(where) if where is not None else None,
        details=details,
    )


def surface_faults(surface: Surface, scale: float) -> tuple[list[str], Floats | None, dict[str, float | None]]:
    """What is wrong with a surface once its numbers are rounded to single precision in the units of the files.

    Vertices that become equal are one, as readers of files take them, and triangles that collapse thereby vanish. (In
    double precision a manifold is closed by construction; its status tells.) Export simplifies a surface until none of
    this is left; where that fails, the fault stands.

    Returns:
        The faults in words, a place of the first of them in metres, and counts for the report.
    """
    names = same_points((surface.vertices * scale).astype(np.float32))
    merged = names[surface.triangles]
    first, second, third = merged.T
    standing = (first != second) & (second != third) & (third != first)
    loose, crossing = edge_faults(merged[standing])
    faults = []
    if len(loose):
        faults.append(f"{counted(len(loose), 'edge')} without a partner in single precision")
    if len(crossing):
        faults.append(f"{counted(len(crossing), 'edge')} with more than two triangles in single precision")
    bad = [*loose, *crossing]
    where = surface.vertices[int(np.flatnonzero(names == bad[0])[0])] if bad else None
    return (
        faults,
        where,
        {
            "triangles": len(surface.triangles),
            "open_edges": len(loose),
            "crossing_edges": len(crossing),
            "collapsed_in_single_precision": int((~standing).sum()),
            "without_area": int((surface.areas <= 0).sum()),
        },
    )


def same_points(points: NDArray[np.float32]) -> Ints:
    """(n,): a number for each of the (n, 3) points, the same for those that readers of files take for one."""
    x, y, z = np.round(points.astype(np.float64) / WELD).T
    order = np.lexsort((z, y, x))
    new = np.zeros(len(points), dtype=bool)
    new[:1] = True
    for values in (x[order], y[order], z[order]):
        new[1:] |= values[1:] != values[:-1]
    names = np.empty(len(points), dtype=np.int64)
    names[order] = np.cumsum(new) - 1
    return names


def edge_faults(triangles: Ints) -> tuple[Ints, Ints]:
    """A vertex of each edge that lacks its partner in the other direction, and of each that has several."""
    if not len(triangles):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    begin, end = triangles.reshape(-1), np.roll(triangles, -1, axis=1).reshape(-1)
    size = int(triangles.max()) + 1
    halves = np.sort((np.minimum(begin, end) * size + np.maximum(begin, end)) * 2 + (begin > end))
    edges = halves[::2] // 2
    paired = len(halves) % 2 == 0 and bool(np.all((halves[::2] ^ 1) == halves[1::2]))
    if paired and np.all(edges[1:] != edges[:-1]):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    every, place, counts = np.unique(halves // 2, return_inverse=True, return_counts=True)
    back = np.bincount(place, weights=halves % 2, minlength=len(every))
    return every[2 * back != counts] // size, every[(counts > 2) & (2 * back == counts)] // size
