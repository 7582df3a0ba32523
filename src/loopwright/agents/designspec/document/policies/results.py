"""Uniting, embedding, checking and writing."""

from typing import Annotated, Any, Literal

from pydantic import Field

from loopwright.agents.designspec.document.policies.resolution import MeshMergePolicy, RepairPolicy
from loopwright.agents.designspec.document.quantities import (
    Length,
    Positive,
    PositiveLength,
    RelativePath,
    Shaped,
    SpecPart,
    Volume,
)


class CompositionPolicy(SpecPart):
    """How the components' voids are united."""

    repair_enabled: bool = False
    union_before_embed: bool = True
    repair_fill_holes: bool = False
    keep_largest_component: bool = False
    min_component_volume: Volume = 0.0
    merge_policy: Annotated[dict[str, Any], Shaped(MeshMergePolicy)] = Field(default_factory=dict)
    repair_policy: Annotated[dict[str, Any], Shaped(RepairPolicy)] = Field(default_factory=dict)


class EmbeddingPolicy(SpecPart):
    """How the void is carved out. The exact boolean comes first; voxels only where it fails (`fallback`)."""

    voxel_pitch: PositiveLength | None = None
    use_resolution_policy: bool = True
    auto_adjust_pitch: bool = True
    max_pitch_steps: int = Field(default=4, ge=0, le=32)
    pitch_step_factor: Positive = 1.5
    max_voxels: int = Field(default=5_000_000, ge=1)
    fallback: Literal["auto", "voxel_subtraction", "none"] = "auto"
    preserve_ports_enabled: bool = True
    preserve_mode: Literal["recarve", "none"] = "recarve"
    carve_radius_factor: Positive = 1.2
    carve_depth: Length = 2e-3
    output_domain_with_void: bool = True
    output_void_mesh: bool = True
    output_shell: bool = False
    shell_thickness: Length = 0.0


class ValidityPolicy(SpecPart):
    """Which checks run, and their thresholds.

    A check that is switched off is listed as skipped. `warn_only` names checks whose failure makes the status
    `warnings` instead of `fail`. `min_diameter_threshold` is the resolution's `min_channel_diameter` when it is not
    given, and so is `min_feature_size` (solid walls).
    """

    check_watertight: bool = True
    check_components: bool = True
    check_min_diameter: bool = True
    check_open_ports: bool = True
    check_bounds: bool = True
    check_void_inside_domain: bool = True
    check_clearance: bool = True
    check_min_feature: bool = True
    check_topology: bool = True
    max_components: int | None = Field(default=None, ge=1)
    min_diameter_threshold: PositiveLength | None = None
    min_feature_size: PositiveLength | None = None
    allow_boundary_intersections_at_ports: bool = True
    warn_only: tuple[str, ...] = ("min_feature",)


class OpenPortPolicy(SpecPart):
    """How it is found out that a port is open."""

    enabled: bool = True
    probe_radius_factor: Positive = 1.2
    probe_length: PositiveLength = 2e-3
    min_connected_volume_voxels: int = Field(default=10, ge=1)
    mode: str = "voxel_connectivity"
    validation_pitch: PositiveLength | None = None
    local_region_size: PositiveLength = 5e-3
    max_voxels_roi: int = Field(default=500_000, ge=1)
    auto_relax_pitch: bool = True


class OutputPolicy(SpecPart):
    """What is written, and in which units."""

    output_dir: RelativePath | None = None
    output_units: Literal["m", "cm", "mm", "um"] = "mm"
    naming_convention: str = "default"
    save_intermediates: bool = False
    save_reports: bool = True
    output_stl: bool = True
    output_3mf: bool = True
    output_glb: bool = True
    output_json: bool = True
    output_graphml: bool = True
    output_png: bool = True
    output_shell: bool = False
