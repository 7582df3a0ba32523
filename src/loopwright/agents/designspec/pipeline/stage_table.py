"""The stages of the real pipeline, by name."""

from collections.abc import Mapping

from loopwright.agents.designspec.pipeline.stages_compile import compile_domains, compile_policies
from loopwright.agents.designspec.pipeline.stages_components import component_build, component_mesh, component_ports
from loopwright.agents.designspec.pipeline.stages_export import export
from loopwright.agents.designspec.pipeline.stages_solid import embed_void, mesh_domain, port_recarve, union_voids
from loopwright.agents.designspec.pipeline.stages_validity import validity
from loopwright.agents.designspec.pipeline.workbench import StageFunction

STAGES: Mapping[str, StageFunction] = {
    "compile_policies": compile_policies,
    "compile_domains": compile_domains,
    "component_ports": component_ports,
    "component_build": component_build,
    "component_mesh": component_mesh,
    "union_voids": union_voids,
    "mesh_domain": mesh_domain,
    "embed": embed_void,
    "port_recarve": port_recarve,
    "validity": validity,
    "export": export,
}
