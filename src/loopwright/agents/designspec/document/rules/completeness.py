"""What a design still lacks before it can run. Nothing of this keeps anybody from writing it step by step."""

from collections.abc import Iterator

from loopwright.agents.designspec.document.components import Component
from loopwright.agents.designspec.document.effective import effective_policies
from loopwright.agents.designspec.document.pointers import join
from loopwright.agents.designspec.document.report import Issue
from loopwright.agents.designspec.document.rules.subject import Subject, issue
from loopwright.agents.designspec.document.spec import main_domain


def completeness(subject: Subject) -> Iterator[Issue]:
    """There is a body, something to carve out of it, and ports where they are needed."""
    spec = subject.spec
    if not spec.domains:
        yield issue("incomplete", "NO_DOMAINS", "/domains", "There is no domain yet.", "Add a box, a cylinder, …")
    elif main_domain(spec) is None:
        yield issue(
            "incomplete",
            "AMBIGUOUS_DOMAIN",
            "/embedding/domain_ref",
            "There are several domains, and nothing says which of them is the body.",
            "Name it in embedding.domain_ref.",
        )
    if not spec.components and spec.embedding.enable:
        yield issue(
            "incomplete",
            "NO_COMPONENTS",
            "/components",
            "There is nothing to carve out of the domain yet.",
            "Add a component, or set embedding.enable to false.",
        )
    for place, component in enumerate(spec.components):
        yield from _component(subject, join("/components", place), component)


def _component(subject: Subject, pointer: str, component: Component) -> Iterator[Issue]:
    if component.build.type == "import_void_mesh":
        if component.build.mesh_path is None:
            at = join(pointer, "build", "mesh_path")
            yield issue("incomplete", "MISSING_MESH", at, f"The component {component.id!r} names no mesh to import.")
        return
    if not component.ports.inlets:
        at = join(pointer, "ports", "inlets")
        yield issue("incomplete", "NO_INLETS", at, f"The component {component.id!r} has no inlet yet.")
    policy = effective_policies(subject.spec, component).ports
    if policy.enabled and policy.pattern != "explicit":
        return
    for kind, listed in (("inlets", component.ports.inlets), ("outlets", component.ports.outlets)):
        for number, port in enumerate(listed):
            if port.position is None:
                yield issue(
                    "incomplete",
                    "MISSING_POSITION",
                    join(pointer, "ports", kind, number, "position"),
                    f"The port {port.name!r} has no position, and the ports policy places none.",
                )
