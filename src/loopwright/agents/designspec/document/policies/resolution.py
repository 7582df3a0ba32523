"""How fine the results must be."""

from typing import Literal

from pydantic import Field

from loopwright.agents.designspec.document.quantities import Positive, PositiveLength, SpecPart, Volume


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
