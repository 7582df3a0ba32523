"""The policies: how the pipeline works where the document does not say it at the thing itself. Defaults in metres."""

from typing import Annotated, Any, Literal

from pydantic import Field

from loopwright.agents.designspec.document.backends import (
    BACKEND_PARAMETERS,
    Face,
    Finite,
    Fraction,
    Length,
    NamedIn,
    Positive,
    PositiveLength,
    RelativePath,
    Shaped,
    SpecPart,
    TissueSamplingPolicy,
    Volume,
)

# Ports, straight channels, and the ridge around a face.


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


# How networks grow, how they keep clear of each other, and how thick they are.

GrowthBackend = Literal["scaffold_topdown", "space_colonization", "programmatic"]


class GrowthPolicy(SpecPart):
    """How a network grows; `backend_params` are those of the backend (`document/backends.py`)."""

    enabled: bool = True
    backend: str = "scaffold_topdown"
    target_terminals: int | None = Field(default=None, ge=1, le=100_000)
    terminal_tolerance: Fraction = 0.1
    max_iterations: int = Field(default=500, ge=0, le=1_000_000)
    min_segment_length: PositiveLength = 2e-4
    max_segment_length: PositiveLength = 2e-3
    min_radius: PositiveLength = 1e-4
    max_radius: PositiveLength | None = None
    step_size: PositiveLength = 3e-4
    backend_params: Annotated[dict[str, Any], NamedIn(tuple(BACKEND_PARAMETERS.values()))] = Field(default_factory=dict)


class RadiusPolicy(SpecPart):
    """Radii: Murray's law (the parent's radius to the exponent is the sum of its children's), a taper, or constant."""

    mode: Literal["murray", "taper", "constant"] = "murray"
    murray_exponent: float = Field(default=3.0, gt=1, le=6)
    taper_factor: float = Field(default=0.8, gt=0, le=1)
    min_radius: PositiveLength | None = None
    max_radius: PositiveLength | None = None
    terminal_radius: PositiveLength | None = None


class CollisionPolicy(SpecPart):
    """The clearance between branches that are not neighbours."""

    enabled: bool = True
    check_collisions: bool = True
    collision_clearance: Length = 1e-4


class UnifiedCollisionPolicy(SpecPart):
    """What is done about a collision, in this order."""

    enabled: bool = True
    strategy_order: tuple[Literal["reroute", "shrink", "terminate"], ...] = ("reroute", "shrink", "terminate")
    min_clearance: Length = 1e-4
    shrink_factor: float = Field(default=0.9, gt=0, lt=1)
    shrink_max_iterations: int = Field(default=5, ge=0, le=100)
    reroute_max_attempts: int = Field(default=3, ge=0, le=100)


class NetworkCleanupPolicy(SpecPart):
    """Tidying a grown network: joining near nodes, cutting short ends, merging doubled nodes."""

    enable_snap: bool = False
    snap_tol: Length = 1e-5
    enable_prune: bool = False
    min_segment_length: Length = 1e-4
    enable_merge: bool = False
    merge_tol: Length = 1e-5


class PathfindingPolicy(SpecPart):
    """How routes are found between two points."""

    use_resolution_policy: bool = True
    coarse_pitch_factor: Positive = 4.0
    corridor_radius_factor: Positive = 2.0
    max_voxels_coarse: int = Field(default=2_000_000, ge=1)
    max_voxels_fine: int = Field(default=2_000_000, ge=1)
    clearance: Length = 2e-4
    local_radius: Length = 2e-4
    inflation_mode: Literal["none", "clearance", "clearance_plus_local_radius"] = "clearance_plus_local_radius"
    allow_skip_waypoints: bool = True
    max_skip_count: int = Field(default=2, ge=0)


# Uniting, embedding, checking and writing.
#
# How fine the results must be.


class ResolutionPolicy(SpecPart):
    """The finest feature, and budgets for whatever works with voxels."""

    input_units: Literal["m", "cm", "mm", "um"] | None = None
    min_channel_diameter: PositiveLength = 2e-4
    min_voxels_across_feature: int = Field(default=4, ge=1, le=1_000)
    max_voxels: int = Field(default=5_000_000, ge=1)
    min_pitch: PositiveLength = 1e-6
    max_pitch: PositiveLength = 1e-3
    auto_relax_pitch: bool = True
    pitch_step_factor: Positive = 1.5
    embed_pitch_factor: Positive = 1.0
    merge_pitch_factor: Positive = 1.0
    repair_pitch_factor: Positive = 1.0
    pathfinding_coarse_factor: Positive = 20.0
    pathfinding_fine_factor: Positive = 1.0
    max_voxels_embed: int | None = Field(default=None, ge=1)
    max_voxels_merge: int | None = Field(default=None, ge=1)
    max_voxels_repair: int | None = Field(default=None, ge=1)
    max_voxels_pathfinding_coarse: int | None = Field(default=None, ge=1)
    max_voxels_pathfinding_fine: int | None = Field(default=None, ge=1)
    max_voxels_open_port_roi: int | None = Field(default=None, ge=1)


class PrimitiveMeshing(SpecPart):
    """Sections of curved primitives."""

    sections_radial: int = Field(default=128, ge=3, le=4_096)
    sections_axial: int = Field(default=64, ge=1, le=4_096)
    sections_angular: int = Field(default=128, ge=3, le=4_096)
    subdivisions: int = Field(default=2, ge=0, le=8)


class ImportedMeshing(SpecPart):
    """What is done with an imported surface."""

    validate_watertight: bool = True
    repair_if_needed: bool = True
    repair_voxel_pitch: PositiveLength = 5e-5
    max_faces: int = Field(default=800_000, ge=4)
    simplify_if_over_max: bool = True
    simplify_target_ratio: float = Field(default=0.6, gt=0, le=1)


class DomainMeshingPolicy(SpecPart):
    """How domains become meshes."""

    cache_meshes: bool = True
    emit_warnings: bool = True
    target_face_count: int = Field(default=50_000, ge=12)
    voxel_pitch: PositiveLength | None = None
    primitive_policy: PrimitiveMeshing = PrimitiveMeshing()
    mesh_policy: ImportedMeshing = ImportedMeshing()


class MeshSynthesisPolicy(SpecPart):
    """How a network becomes a mesh."""

    add_node_spheres: bool = True
    cap_ends: bool = True
    radial_sections: int = Field(default=24, ge=6, le=512)
    voxel_repair_synthesis: bool = False


class MeshMergePolicy(SpecPart):
    """How meshes are united. `voxel` is a fallback that may change topology; `auto` and `boolean` are exact."""

    mode: Literal["auto", "voxel", "boolean"] = "auto"
    voxel_pitch: PositiveLength = 5e-5
    auto_adjust_pitch: bool = True
    keep_largest_component: bool = False
    detail_loss_threshold: float = Field(default=0.5, ge=0, le=1)


class RepairPolicy(SpecPart):
    """Repair of meshes that come out broken, and removal of crumbs."""

    voxel_repair_enabled: bool = False
    voxel_pitch: PositiveLength = 1e-4
    auto_adjust_pitch: bool = True
    max_pitch_steps: int = Field(default=4, ge=0, le=32)
    pitch_step_factor: Positive = 1.5
    fill_voxels: bool = False
    remove_small_components_enabled: bool = False
    min_component_faces: int = Field(default=0, ge=0)
    min_component_volume: Volume = 0.0
    fill_holes_enabled: bool = False
    smooth_enabled: bool = False
    smooth_iterations: int = Field(default=5, ge=0, le=1_000)


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


# All policies of a document together.


class Policies(SpecPart):
    """Every policy, with its defaults where the document says nothing or null."""

    resolution: ResolutionPolicy = ResolutionPolicy()
    growth: GrowthPolicy = GrowthPolicy()
    collision: CollisionPolicy = CollisionPolicy()
    unified_collision: UnifiedCollisionPolicy = UnifiedCollisionPolicy()
    radius: RadiusPolicy = RadiusPolicy()
    ports: PortsPolicy = PortsPolicy()
    channels: ChannelsPolicy = ChannelsPolicy()
    tissue_sampling: TissueSamplingPolicy = TissueSamplingPolicy()
    network_cleanup: NetworkCleanupPolicy = NetworkCleanupPolicy()
    mesh_synthesis: MeshSynthesisPolicy = MeshSynthesisPolicy()
    mesh_merge: MeshMergePolicy = MeshMergePolicy()
    composition: CompositionPolicy = CompositionPolicy()
    domain_meshing: DomainMeshingPolicy = DomainMeshingPolicy()
    ridge: RidgePolicy = RidgePolicy()
    embedding: EmbeddingPolicy = EmbeddingPolicy()
    validity: ValidityPolicy = ValidityPolicy()
    open_port: OpenPortPolicy = OpenPortPolicy()
    repair: RepairPolicy = RepairPolicy()
    pathfinding: PathfindingPolicy = PathfindingPolicy()
    output: OutputPolicy = OutputPolicy()


POLICY_NAMES = tuple(Policies.model_fields)
