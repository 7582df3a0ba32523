"""Designs made from a document by the pipeline's own rooms, without its worker."""

from pathlib import Path
from typing import Any

from manifold3d import Manifold

from loopwright.agents.designspec.document.checking import check_document
from loopwright.agents.designspec.document.validation import effective_policies
from loopwright.agents.designspec.geometry.channels import channel_network
from loopwright.agents.designspec.geometry.domains import build_domain
from loopwright.agents.designspec.geometry.embed import embed
from loopwright.agents.designspec.geometry.mesh_files import import_void
from loopwright.agents.designspec.geometry.probe import make_probe
from loopwright.agents.designspec.geometry.ridge import add_ridge, united
from loopwright.agents.designspec.geometry.tubes import void_of_network
from loopwright.agents.designspec.network import Network, Opening, silent
from loopwright.agents.designspec.network.growth import grow_with_notes
from loopwright.agents.designspec.network.ports import place_ports
from loopwright.agents.designspec.validity.surface import BuiltDesign


def found(document: dict[str, Any], folder: Path = Path()) -> BuiltDesign:
    """The design that the document describes."""
    checked = check_document(document)
    assert checked.spec is not None, [issue for issue in checked.issues if issue.severity == "error"]
    spec = checked.spec
    name = spec.embedding.domain_ref or next(iter(spec.domains))
    policies_of = {component.id: effective_policies(spec, component) for component in spec.components}
    plain = build_domain(spec, name, folder)
    body = add_ridge(plain, spec.domains[name], spec.policies.ridge) if spec.policies.ridge.enabled else plain
    networks: dict[str, Network] = {}
    voids: dict[str, Manifold] = {}
    openings: list[Opening] = []
    for component in spec.components:
        policies = policies_of[component.id]
        probe = make_probe(spec, component.domain_ref, plain)
        ports = (
            place_ports(component, spec.domains[component.domain_ref], probe, policies) if component.ports.all else []
        )
        openings += ports
        if component.build.type == "import_void_mesh":
            voids[component.id] = import_void(component, folder)
            continue
        straight = component.build.type == "primitive_channels"
        networks[component.id] = (
            channel_network(component, ports, probe, policies)
            if straight
            else grow_with_notes(
                component, ports, probe, policies, spec.meta.seed, silent, [networks[other] for other in networks]
            ).network
        )
        voids[component.id] = void_of_network(
            networks[component.id], policies, caps="flat" if straight else "round", openings=ports
        )
    carved = embed(body, united(voids, spec.policies).void, openings, spec.policies) if voids else None
    return BuiltDesign(
        spec=spec,
        document_units=document["meta"].get("input_units", "m"),
        body=body,
        solid=carved.solid if carved is not None else None,
        void=carved.void if carved is not None else None,
        component_voids=voids,
        networks=networks,
        openings=openings,
        policies=spec.policies,
        notes=carved.notes if carved is not None else (),
        policies_of=policies_of,
        document=document,
    )
