"""What a validity check looks at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from manifold3d import Manifold

from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.document.spec import DesignSpec
from loopwright.agents.designspec.network.network import Network
from loopwright.agents.designspec.network.openings import Opening


@dataclass(frozen=True)
class Subject:
    """A design as it came out of the pipeline, in metres.

    `body` is the domain with its ridge. `solid` is what is left of it; it is None where nothing was embedded. `void` is
    the united void within the body, `component_voids` are the components' own voids as they were built (they may stand
    out of the body at their ports). Components that were imported as meshes have no network. `policies_of` holds the
    components' effective policies where they differ from `policies`. `document` is the document as the user wrote it,
    in `document_units`: fixes are patches on it, and without it no fix is proposed.
    """

    spec: DesignSpec
    document_units: str
    body: Manifold
    solid: Manifold | None
    void: Manifold | None
    component_voids: Mapping[str, Manifold]
    networks: Mapping[str, Network]
    openings: Sequence[Opening]
    policies: Policies
    notes: Sequence[str] = ()
    policies_of: Mapping[str, Policies] = field(default_factory=dict)
    document: Mapping[str, Any] | None = None

    def policies_for(self, component_id: str) -> Policies:
        """The effective policies of a component."""
        return self.policies_of.get(component_id, self.policies)

    @property
    def required_diameter(self) -> float:
        """The smallest diameter that a channel may have, in metres."""
        return self.policies.validity.min_diameter_threshold or self.policies.resolution.min_channel_diameter

    @property
    def required_feature(self) -> float:
        """The smallest thickness that a wall may have, in metres."""
        return self.policies.validity.min_feature_size or self.policies.resolution.min_channel_diameter
