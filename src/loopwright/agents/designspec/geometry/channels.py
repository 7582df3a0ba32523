"""Channels: straight and hooked ones from ports into the domain, and straight ones from port to port."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from loopwright.agents.designspec.document.components import Component
from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.document.policies.openings import ChannelsPolicy
from loopwright.agents.designspec.geometry.channel_path import ChannelPath, far_boundary, wanted_path
from loopwright.agents.designspec.geometry.circles import perpendicular_frame
from loopwright.agents.designspec.network.network import Floats, Ints, Network, NodeType
from loopwright.agents.designspec.network.openings import Opening
from loopwright.agents.designspec.network.probe import DomainProbe
from loopwright.kernel.errors import InvalidInput

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
