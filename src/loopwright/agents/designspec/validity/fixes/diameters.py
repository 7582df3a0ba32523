"""Channels that are too thin are made thicker where their thickness is said."""

from loopwright.agents.designspec.validity.fixes.amendment import Amendment
from loopwright.agents.designspec.validity.measurements import Measurements
from loopwright.agents.designspec.validity.report import Check, Fix
from loopwright.agents.designspec.validity.wording import length

ROUNDING = 1e-6


def thicken(measured: Measurements, check: Check, amendment: Amendment) -> Fix | None:
    """Raise the smallest radius of the components whose channels are too thin, and their ports' where those are."""
    subject, required = measured.subject, measured.subject.required_diameter
    for component in subject.spec.components:
        network = subject.networks.get(component.id)
        if network is None or not len(network.radii) or 2 * network.radii.min() >= required * (1 - ROUNDING):
            continue
        for opening in subject.openings:
            known = amendment.port(component.id, opening.name) if opening.component_id == component.id else None
            if known is not None and 2 * opening.radius < required * (1 - ROUNDING):
                amendment.set(f"{known[0]}/radius", amendment.raised(required / 2))
        settled = (
            _channels(amendment, component.id, required)
            if component.build.type == "primitive_channels"
            else _growth(amendment, component.id, required)
        )
        if not settled:
            return None
    if not amendment.operations:
        return None
    return Fix(
        explanation=f"Channels of at least {length(required)} need a radius of {length(required / 2)}.",
        patch=amendment.operations,
    )


def _channels(amendment: Amendment, component: str, required: float) -> bool:
    """Straight channels end with `radius_end`, or with a share of their port's radius."""
    policy = amendment.subject.policies_for(component).channels
    if policy.constraint_strategy == "reduce_radius" and policy.enforce_effective_radius:
        return False  # the domain itself may have made them thin
    if policy.profile == "cylinder":
        return bool(amendment.operations)
    radii = [opening.radius for opening in amendment.subject.openings if opening.component_id == component]
    thinnest = max(min(radii), required / 2)
    if policy.radius_end is not None:
        if 2 * policy.radius_end < required:
            amendment.set(amendment.policy(component, "channels", "radius_end"), amendment.raised(required / 2))
    elif 2 * thinnest * policy.taper_factor < required:
        share = min(1.0, round(required / 2 / thinnest + 5e-4, 3))
        amendment.set(amendment.policy(component, "channels", "taper_factor"), share)
    return bool(amendment.operations)


def _growth(amendment: Amendment, component: str, required: float) -> bool:
    """Grown channels are at least as thick as the radius policy's smallest radius, or else the growth's."""
    policies = amendment.subject.policies_for(component)
    if policies.growth.backend == "programmatic":
        return bool(amendment.operations)
    room = "radius" if policies.radius.min_radius else "growth"
    smallest = policies.radius.min_radius or policies.growth.min_radius
    if 2 * smallest < required:
        pointer = amendment.policy(component, room, "min_radius")
        if amendment.written(pointer) != amendment.raised(required / 2) and not _has(amendment, pointer):
            amendment.set(pointer, amendment.raised(required / 2))
    return bool(amendment.operations)


def _has(amendment: Amendment, pointer: str) -> bool:
    return any(operation["path"] == pointer for operation in amendment.operations)
