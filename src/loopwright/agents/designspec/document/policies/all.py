"""All policies of a document together."""

from loopwright.agents.designspec.document.policies.growth import (
    CollisionPolicy,
    GrowthPolicy,
    NetworkCleanupPolicy,
    PathfindingPolicy,
    RadiusPolicy,
    TissueSamplingPolicy,
    UnifiedCollisionPolicy,
)
from loopwright.agents.designspec.document.policies.openings import ChannelsPolicy, PortsPolicy, RidgePolicy
from loopwright.agents.designspec.document.policies.resolution import (
    DomainMeshingPolicy,
    MeshMergePolicy,
    MeshSynthesisPolicy,
    RepairPolicy,
    ResolutionPolicy,
)
from loopwright.agents.designspec.document.policies.results import (
    CompositionPolicy,
    EmbeddingPolicy,
    OpenPortPolicy,
    OutputPolicy,
    ValidityPolicy,
)
from loopwright.agents.designspec.document.quantities import SpecPart


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
