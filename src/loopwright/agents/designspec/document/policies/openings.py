"""Ports, straight channels, and the ridge around a face."""

from typing import Literal

from pydantic import Field

from loopwright.agents.designspec.document.backends import Face, Finite, Fraction, Length, PositiveLength, SpecPart

__all__ = ["ChannelsPolicy", "Face", "PortsPolicy", "RidgePolicy"]


class PortsPolicy(SpecPart):
    """Where ports without a position go, and how given positions meet the face."""

    enabled: bool = True
    face: Face = "top"
    pattern: Literal["circle", "grid", "center_rings", "explicit"] = "circle"
    projection_mode: Literal["clamp_to_face", "project_to_boundary", "none"] = "clamp_to_face"
    ridge_width: Length = 1e-4
    ridge_clearance: Length = 1e-4
    port_margin: Length = 5e-4
    disk_constraint_enabled: bool = True
    ridge_constraint_enabled: bool = True
    placement_fraction: Fraction = 0.7
    angular_offset: Finite = 0.0


class ChannelsPolicy(SpecPart):
    """Straight and hooked channels that start at inlets.

    `to_depth` goes to `length` where it is given, else to the far boundary less `stop_before_boundary`;
    `to_center_fraction` goes `length_fraction` of the way to the domain's centre; `explicit` takes `length`.
    `radius_end` wins over `taper_factor` (end radius as a share of the start radius).
    """

    enabled: bool = True
    profile: Literal["cylinder", "taper", "fang_hook"] = "cylinder"
    length_mode: Literal["explicit", "to_center_fraction", "to_depth"] = "to_depth"
    length: PositiveLength | None = None
    length_fraction: Fraction = 0.5
    start_offset: Length = 0.0
    stop_before_boundary: Length = 1e-3
    taper_factor: float = Field(default=0.5, gt=0, le=1)
    radius_end: PositiveLength | None = None
    hook_depth: PositiveLength | None = None
    hook_strength: Finite = 0.5
    hook_angle_deg: Finite = 0.0
    bend_mode: Literal["radial_out", "radial_in", "angle"] = "radial_out"
    segments_per_curve: int = Field(default=16, ge=2, le=1_000)
    radial_sections: int = Field(default=32, ge=6, le=512)
    path_samples: int = Field(default=32, ge=2, le=1_000)
    enforce_effective_radius: bool = True
    constraint_strategy: Literal["reduce_depth", "reduce_radius", "fail"] = "reduce_depth"


class RidgePolicy(SpecPart):
    """A rim that stands on a face along its edge: `height` above the face, `thickness` wide, `inset` from the edge.

    It reaches `overlap` into the body, so that the two are one.
    """

    enabled: bool = False
    face: Face = "top"
    height: PositiveLength = 1e-3
    thickness: PositiveLength = 1e-3
    inset: Length = 0.0
    overlap: Length = 5e-4
    resolution: int = Field(default=64, ge=8, le=4_096)
