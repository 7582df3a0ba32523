"""The components: what is grown, drilled or imported as a void, and through which ports it opens."""

from typing import Annotated, Any, Literal

from pydantic import Field

from loopwright.agents.designspec.document.backends import BACKEND_PARAMETERS
from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.document.quantities import (
    Direction,
    NamedIn,
    Point,
    PositiveLength,
    RelativePath,
    Shaped,
    SpecPart,
)

NAME = r"^[A-Za-z0-9][A-Za-z0-9_.\-]{0,63}$"
"""Names become file names and parts of stages."""

BuildType = Literal["backend_network", "primitive_channels", "import_void_mesh"]
VesselType = Literal["arterial", "venous"]


class Port(SpecPart):
    """An opening. `direction` points into the domain; without a position the ports policy places it."""

    name: str = Field(pattern=NAME)
    position: Point | None = None
    direction: Direction | None = None
    radius: PositiveLength
    vessel_type: VesselType = "arterial"
    is_surface_opening: bool = True


class Ports(SpecPart):
    """The openings of a component."""

    inlets: list[Port] = Field(default_factory=list)
    outlets: list[Port] = Field(default_factory=list)

    @property
    def all(self) -> list[Port]:
        """Inlets, then outlets."""
        return [*self.inlets, *self.outlets]


class Build(SpecPart):
    """How the void is made.

    `backend` and `backend_params` speak for `backend_network` and override the growth policy; `mesh_path` (relative to
    the project folder) and `mesh_units` are those of `import_void_mesh`.
    """

    type: BuildType
    backend: str | None = None
    backend_params: Annotated[dict[str, Any], NamedIn(tuple(BACKEND_PARAMETERS.values()))] = Field(default_factory=dict)
    mesh_path: RelativePath | None = None
    mesh_units: Literal["m", "cm", "mm", "um"] = "m"


class SavedArtifacts(SpecPart):
    """Where the component's own results go, relative to the run's folder."""

    network: RelativePath | None = None
    void_mesh: RelativePath | None = None


class Component(SpecPart):
    """One void. `policies` overrides the document's policies for this component (deep merge, lists replaced)."""

    id: str = Field(pattern=NAME)
    domain_ref: str
    ports: Ports = Ports()
    build: Build
    policies: Annotated[dict[str, Any], Shaped(Policies)] = Field(default_factory=dict)
    save_artifacts: SavedArtifacts = SavedArtifacts()
