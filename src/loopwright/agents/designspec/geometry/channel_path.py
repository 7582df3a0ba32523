"""The path of a channel: how far it goes, how it bends, and how thick it is on its way."""

from dataclasses import dataclass

import numpy as np

from loopwright.agents.designspec.document.policies.openings import ChannelsPolicy
from loopwright.agents.designspec.geometry.circles import perpendicular_frame
from loopwright.agents.designspec.network.network import Floats
from loopwright.agents.designspec.network.openings import Opening
from loopwright.agents.designspec.network.probe import DomainProbe
from loopwright.kernel.errors import InvalidInput

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
        InvalidInput: a length that the mode needs is missing, or there is no room for any.
    """
    along = np.array(opening.direction)
    start = np.array(opening.position) + policy.start_offset * along
    length = _wanted_length(opening, start, along, probe, policy)
    if length <= NOTHING:
        raise InvalidInput(
            f"/policies/channels/stop_before_boundary: the channel of port {opening.name} has no room:"
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
