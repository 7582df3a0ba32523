"""Channels: straight and hooked ones from ports into the domain, and straight ones from port to port."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from loopwright.agents.designspec.document.domains import Component
from loopwright.agents.designspec.document.policies import ChannelsPolicy, Policies
from loopwright.agents.designspec.network import DomainProbe, Floats, Ints, Network, NodeType, Opening
from loopwright.kernel.errors import InvalidInput

# Circles as polygons, and the frames in which they stand.


def area_factor(sections: int) -> float:
    """By how much the corners of a regular polygon must stand out so that it has the area of the circle.

    An inscribed polygon of n corners has n/2·sin(2π/n) of the π of its circle: 4.5 % too little at 12 corners, which
    would be missing from every channel's flow.
    """
    step = 2 * math.pi / sections
    return math.sqrt(step / math.sin(step))


def perpendicular_frame(direction: Floats) -> tuple[Floats, Floats]:
    """Two unit vectors that stand upright on `direction` and on each other, right-handed with it.

    They depend on nothing but the direction, so that two tubes of one direction have their corners at the same angles;
    along a main axis the corners lie on the other two.
    """
    unit = direction / np.linalg.norm(direction)
    aside = np.zeros(3)
    aside[int(np.argmin(np.abs(unit)))] = 1.0
    first = aside - unit * (aside @ unit)
    first /= np.linalg.norm(first)
    return first, np.cross(unit, first)


def unit_circle(direction: Floats, sections: int) -> Floats:
    """(sections, 3): corners of the unit circle around `direction`, anticlockwise for who looks against it."""
    first, second = perpendicular_frame(direction)
    angles = np.arange(sections) * (2 * math.pi / sections)
    return np.asarray(np.outer(np.cos(angles), first) + np.outer(np.sin(angles), second))


def turned(vectors: Floats, before: Floats, after: Floats) -> Floats:
    """Vectors that stand upright on `before`, turned by the smallest rotation that takes it to `after`."""
    share = (vectors @ after) / (1.0 + before @ after)
    return np.asarray(vectors - np.outer(share, before + after))


# The path of a channel: how far it goes, how it bends, and how thick it is on its way.

EXACT = 1e-13
"""Share of the domain's size to which the far boundary is found."""
NOTHING = 1e-9
"""Metres below which a channel has no length."""
LEAST_STEP = 1e-4
"""Share of the domain's size that the search for it goes on at least."""


@dataclass(frozen=True)
class ChannelPath:
    """A path that runs along `along` and leans towards `aside`; all lengths in metres.

    At depth t it lies at start + t·along, and beyond `straight` also strength·(t − straight)²/(length − straight)
    aside: a parabola that goes on smoothly from the straight part. Its radius changes evenly with the depth.
    """

    start: Floats
    along: Floats
    aside: Floats
    straight: float
    strength: float
    length: float
    radius_start: float
    radius_end: float

    def at(self, depths: Floats) -> Floats:
        """(n, 3): places at these depths."""
        depths = np.asarray(depths, dtype=np.float64)
        bent = np.maximum(depths - self.straight, 0.0)
        run = max(self.length - self.straight, 1e-300)
        return np.asarray(
            self.start + np.outer(depths, self.along) + np.outer(self.strength * bent**2 / run, self.aside)
        )

    def heading(self, depths: Floats) -> Floats:
        """(n, 3): unit directions at these depths."""
        bent = np.maximum(np.asarray(depths, dtype=np.float64) - self.straight, 0.0)
        run = max(self.length - self.straight, 1e-300)
        heading = self.along + np.outer(2 * self.strength * bent / run, self.aside)
        return np.asarray(heading / np.linalg.norm(heading, axis=1)[:, None])

    def radius(self, depths: Floats) -> Floats:
        """(n,): radii at these depths."""
        share = np.asarray(depths, dtype=np.float64) / self.length
        return np.asarray(self.radius_start + share * (self.radius_end - self.radius_start))

    def stations(self, bends: int) -> Floats:
        """The depths at which a polyline along the path has its corners: two where it is straight."""
        if self.strength == 0 or self.straight >= self.length:
            return np.array([0.0, self.length])
        curve = np.linspace(self.straight, self.length, bends + 1)
        return curve if self.straight <= 0 else np.concatenate([[0.0], curve])


def wanted_path(opening: Opening, probe: DomainProbe, policy: ChannelsPolicy) -> ChannelPath:
    """The path that the policy asks for, not yet fitted into the domain.

    Raises:
        InvalidInput: a length that the mode needs is missing, or there is no space for any.
    """
    along = np.array(opening.direction)
    start = np.array(opening.position) + policy.start_offset * along
    length = _wanted_length(opening, start, along, probe, policy)
    if length <= NOTHING:
        raise InvalidInput(
            f"/policies/channels/stop_before_boundary: the channel of port {opening.name} has no space:"
            f" the far boundary is nearer than {policy.stop_before_boundary:g} m.",
            hint="Make stop_before_boundary smaller.",
        )
    end = opening.radius
    if policy.profile != "cylinder":
        end = policy.radius_end if policy.radius_end is not None else opening.radius * policy.taper_factor
    straight, strength = length, 0.0
    if policy.profile == "fang_hook":
        straight = length / 2 if policy.hook_depth is None else policy.hook_depth
        strength = policy.hook_strength
        if straight >= length:
            raise InvalidInput(
                f"/policies/channels/hook_depth: the hook of port {opening.name} would begin at {straight:g} m, and the"
                f" channel ends at {length:g} m."
            )
    aside = _aside(start, along, probe, policy)
    return ChannelPath(start, along, aside, straight, strength, length, opening.radius, end)


def far_boundary(probe: DomainProbe, start: Floats, along: Floats) -> float:
    """How far it is from a point on the boundary, or inside, to the far side, in metres; 0 where nothing is ahead."""
    size = float(np.linalg.norm(probe.bounds[1] - probe.bounds[0]))
    gone = LEAST_STEP * size
    if not probe.inside((start + gone * along)[None])[0]:
        return 0.0
    while True:
        step = max(float(probe.depth((start + gone * along)[None])[0]), LEAST_STEP * size)
        if not probe.inside((start + (gone + step) * along)[None])[0]:
            break
        gone += step
    low, high = gone, gone + step
    while high - low > EXACT * size:
        middle = (low + high) / 2
        if float(probe.depth((start + middle * along)[None])[0]) > 0:
            low = middle
        else:
            high = middle
        if middle in (low, high) and np.nextafter(low, high) == high:
            break
    return (low + high) / 2


def _wanted_length(opening: Opening, start: Floats, along: Floats, probe: DomainProbe, policy: ChannelsPolicy) -> float:
    if policy.length_mode == "explicit":
        if policy.length is None:
            raise InvalidInput("/policies/channels/length: the length mode 'explicit' needs it.")
        return policy.length
    if policy.length_mode == "to_center_fraction":
        way = probe.bounds.mean(axis=0) - start
        ahead = float(way @ along)
        # A port beside the centre goes as deep as the centre lies; one that looks past it, as far as it is away.
        return policy.length_fraction * (ahead if ahead > 0 else float(np.linalg.norm(way)))
    if policy.length is not None:
        return policy.length
    far = far_boundary(probe, start, along)
    if far <= 0:
        raise InvalidInput(
            f"Port {opening.name} does not look into the domain: there is nothing of it in its direction.",
            hint="Turn the port's direction inwards, or place it on the surface.",
        )
    return far - policy.stop_before_boundary


def _aside(start: Floats, along: Floats, probe: DomainProbe, policy: ChannelsPolicy) -> Floats:
    """The unit direction, upright on the channel, to which a hook bends."""
    first, second = perpendicular_frame(along)
    if policy.bend_mode != "angle":
        outward = start - probe.bounds.mean(axis=0)
        outward = outward - along * (outward @ along)
        distance = float(np.linalg.norm(outward))
        size = float(np.linalg.norm(probe.bounds[1] - probe.bounds[0]))
        if distance > 1e-9 * size:  # in the very middle no direction leads outwards: any does
            first = outward / distance * (1 if policy.bend_mode == "radial_out" else -1)
            second = np.cross(along, first)
    angle = np.radians(policy.hook_angle_deg)
    return np.asarray(np.cos(angle) * first + np.sin(angle) * second)


AROUND = 16
"""Points around a channel whose wall is checked."""
MOUTH = 2.0
"""Radii from the port within which the wall may still be outside, where the face is curved."""
WALL = 1.05
"""Radii of the channel that must fit: a wall that touched the boundary would be a hole in it."""
REFINEMENTS = 40


@dataclass(frozen=True)
class Channels:
    """The channels of a component, and what had to be changed so that they stay inside."""

    network: Network
    notes: tuple[str, ...] = ()


def channel_network(
    component: Component, openings: Sequence[Opening], probe: DomainProbe, policies: Policies
) -> Network:
    """The centre lines of a component's channels; `fitted_channels` also says what was changed.

    Raises:
        InvalidInput: see there.
    """
    return fitted_channels(component, openings, probe, policies).network


def fitted_channels(
    component: Component, openings: Sequence[Opening], probe: DomainProbe, policies: Policies
) -> Channels:
    """The centre lines of a component's channels, in metres.

    The first inlet is joined to the first outlet by a straight channel, the second to the second, and so on; a port
    that is left over gets a channel of its own, as long as the policy says. That one is fitted into the domain by the
    policy's `constraint_strategy`. Straight channels have one segment, hooks `segments_per_curve`.

    Raises:
        InvalidInput: a channel does not fit, or the policy says too little.
    """
    policy = policies.channels
    if not policy.enabled:
        return Channels(_network([], [], []))
    inlets = [opening for opening in openings if not opening.outlet]
    outlets = [opening for opening in openings if opening.outlet]
    pairs = list(zip(inlets, outlets, strict=False))
    paths: list[ChannelPath] = []
    ends: list[tuple[Opening, Opening | None]] = []
    notes: list[str] = []
    for inlet, outlet in pairs:
        paths.append(_between(inlet, outlet))
        ends.append((inlet, outlet))
    for opening in [*inlets[len(pairs) :], *outlets[len(pairs) :]]:
        path = _fitted(wanted_path(opening, probe, policy), opening, component, probe, policy, notes)
        paths.append(path)
        ends.append((opening, None))
    stations = [path.stations(policy.segments_per_curve) for path in paths]
    return Channels(_network(paths, ends, stations), tuple(notes))


def _between(inlet: Opening, outlet: Opening) -> ChannelPath:
    start, way = np.array(inlet.position), np.array(outlet.position) - np.array(inlet.position)
    length = float(np.linalg.norm(way))
    if length <= 0:
        raise InvalidInput(f"The ports {inlet.name} and {outlet.name} lie at the same place.")
    along = way / length
    return ChannelPath(start, along, perpendicular_frame(along)[0], length, 0.0, length, inlet.radius, outlet.radius)


def _fitted(
    path: ChannelPath,
    opening: Opening,
    component: Component,
    probe: DomainProbe,
    policy: ChannelsPolicy,
    notes: list[str],
) -> ChannelPath:
    """The path, shorter or thinner where it would leave the domain."""
    most = far_boundary(probe, path.start, path.along) - policy.stop_before_boundary
    if path.strength == 0 and path.length > most * (1 + 1e-12):
        if policy.constraint_strategy == "fail" or most <= 0:
            raise InvalidInput(
                f"The channel of port {opening.name} of component {component.id!r} would be {path.length:.6g} m long;"
                f" up to {policy.stop_before_boundary:g} m before the far boundary there are {max(most, 0):.6g} m.",
                hint="Shorten policies.channels.length, or set constraint_strategy to 'reduce_depth'.",
            )
        notes.append(f"The channel of port {opening.name} was shortened from {path.length:.4g} m to {most:.4g} m.")
        path = replace(path, length=most, straight=most)
    if not policy.enforce_effective_radius:
        return path
    free = _free_length(path, probe, policy.path_samples)
    if free >= path.length:
        return path
    if policy.constraint_strategy == "reduce_radius":
        return _thinner(path, opening, probe, policy, notes)
    if policy.constraint_strategy == "fail" or free <= 0:
        raise InvalidInput(
            f"The channel of port {opening.name} of component {component.id!r} leaves the domain"
            f" {max(free, 0):.4g} m from its port.",
            hint="Make the port's radius smaller, move it from the edge, or change constraint_strategy.",
        )
    notes.append(
        f"The channel of port {opening.name} was cut from {path.length:.4g} m to {free:.4g} m, where its wall would"
        " leave the domain."
    )
    return _cut(path, free)


def _cut(path: ChannelPath, length: float) -> ChannelPath:
    """The path up to a depth, with the same shape and radii up to there."""
    end = float(path.radius(np.array([length]))[0])
    if path.strength == 0 or length <= path.straight:
        return replace(path, length=length, straight=length, strength=0.0, radius_end=end)
    flatter = path.strength * (length - path.straight) / (path.length - path.straight)
    return replace(path, length=length, strength=flatter, radius_end=end)


def _free_length(path: ChannelPath, probe: DomainProbe, samples: int) -> float:
    """The depth up to which the channel's wall lies inside, and 0 where it does not even do so beyond its mouth."""
    depths = np.linspace(0.0, path.length, samples + 1)
    within = _within(path, probe, depths)
    if within.all():
        return path.length
    first = int(np.argmax(within)) if within.any() else samples
    if depths[first] > max(MOUTH * path.radius_start, path.length / samples):
        return 0.0
    beyond = np.flatnonzero(~within[first:])
    if not len(beyond):
        return path.length
    low, high = depths[first + beyond[0] - 1], depths[first + beyond[0]]
    for _ in range(REFINEMENTS):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(path, probe, np.array([middle]))[0] else (low, middle)
    return float(low)


def _within(path: ChannelPath, probe: DomainProbe, depths: np.ndarray) -> np.ndarray:
    """(n,): whether the whole wall at each depth lies inside."""
    angles = np.arange(AROUND) * (2 * np.pi / AROUND)
    frames = [perpendicular_frame(heading) for heading in path.heading(depths)]
    first, second = np.array([frame[0] for frame in frames]), np.array([frame[1] for frame in frames])
    around = np.cos(angles)[None, :, None] * first[:, None] + np.sin(angles)[None, :, None] * second[:, None]
    points = path.at(depths)[:, None] + WALL * path.radius(depths)[:, None, None] * around
    return np.asarray(probe.inside(points.reshape(-1, 3)).reshape(len(depths), AROUND).all(axis=1))


def _thinner(
    path: ChannelPath, opening: Opening, probe: DomainProbe, policy: ChannelsPolicy, notes: list[str]
) -> ChannelPath:
    """The path with the largest share of its radii that fits."""
    low, high = 0.0, 1.0
    for _ in range(REFINEMENTS):
        middle = (low + high) / 2
        slim = replace(path, radius_start=path.radius_start * middle, radius_end=path.radius_end * middle)
        fits = _free_length(slim, probe, policy.path_samples) >= path.length
        low, high = (middle, high) if fits else (low, middle)
    if low <= 1e-3:
        raise InvalidInput(
            f"The channel of port {opening.name} leaves the domain however thin it is.",
            hint="Change its direction or its length, or set constraint_strategy to 'reduce_depth'.",
        )
    notes.append(f"The channel of port {opening.name} was made thinner, to {low:.1%} of its radius.")
    return replace(path, radius_start=path.radius_start * low, radius_end=path.radius_end * low)


def _network(
    paths: Sequence[ChannelPath], ends: Sequence[tuple[Opening, Opening | None]], stations: Sequence[np.ndarray]
) -> Network:
    positions: list[Floats] = [np.zeros((0, 3))]
    segments: list[Ints] = [np.zeros((0, 2), dtype=np.int64)]
    radii: list[Floats] = [np.zeros((0, 2))]
    kinds: list[NodeType] = []
    vessels: list[str] = []
    ports: dict[str, int] = {}
    for path, (near, far), depths in zip(paths, ends, stations, strict=True):
        first, count = len(kinds), len(depths)
        numbers = np.arange(first, first + count)
        ports[near.name] = first
        if far is not None:
            ports[far.name] = first + count - 1
        positions.append(path.at(depths))
        segments.append(np.stack([numbers[:-1], numbers[1:]], axis=1))
        thickness = path.radius(depths)
        radii.append(np.stack([thickness[:-1], thickness[1:]], axis=1))
        begin: NodeType = "outlet" if near.outlet else "inlet"
        inner: list[NodeType] = ["junction"] * (count - 2)
        end: NodeType = "terminal" if far is None else "outlet"
        kinds += [begin, *inner, end]
        vessels += [near.vessel_type] * count
    return Network(
        np.concatenate(positions), np.concatenate(segments), np.concatenate(radii), tuple(kinds), tuple(vessels), ports
    )
