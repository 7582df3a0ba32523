"""The first two stages: the document's policies, and its domains as bodies."""

from loopwright.agents.designspec.document.backends import BACKEND_PARAMETERS
from loopwright.agents.designspec.document.effective import resolve_backend
from loopwright.agents.designspec.geometry.domains import build_domain
from loopwright.agents.designspec.pipeline.dependencies import DOMAIN
from loopwright.agents.designspec.pipeline.plan import Step
from loopwright.agents.designspec.pipeline.stats import mesh_facts
from loopwright.agents.designspec.pipeline.workbench import Outcome, Workbench
from loopwright.kernel.errors import InvalidInput


def compile_policies(bench: Workbench, step: Step) -> Outcome:
    """The policies that hold, what the document's check warns of, and whether every backend is there.

    Raises:
        InvalidInput: a component asks for a backend that does not exist.
    """
    backends = {}
    for component in bench.spec.components:
        if component.build.type == "backend_network":
            backend = resolve_backend(bench.policies(step.stage, component.id).growth.backend)
            if backend not in BACKEND_PARAMETERS:
                raise InvalidInput(
                    f"/components/{component.id}/build/backend: there is no backend {backend!r}.",
                    hint="The backends are: " + ", ".join(BACKEND_PARAMETERS) + ".",
                )
            backends[component.id] = backend
    checked = bench.checked
    return Outcome(
        metadata={"backends": backends, "normalisation": checked.normalisation, "spec_hash": checked.spec_hash},
        warnings=[str(issue) for issue in checked.warnings],
    )


def compile_domains(bench: Workbench, step: Step) -> Outcome:
    """Every domain as a body; one that has not changed is not built again.

    Raises:
        InvalidInput: a domain cannot be built; the message has its pointer.
    """
    outcome = Outcome(metadata={"domains": {}})
    spec = bench.spec.model_copy(update={"policies": bench.policies(DOMAIN)})
    for number, name in enumerate(spec.domains):
        bench.progress(number / len(spec.domains), f"domain {name}")
        body = bench.find(f"{DOMAIN}:{name}")
        if body is None:
            body = build_domain(spec, name, bench.project_dir)
        outcome.results[f"{DOMAIN}:{name}"] = body
        outcome.metadata["domains"][name] = mesh_facts(body)
    if len(outcome.metadata["domains"]) == 1:
        outcome.metadata["mesh"] = next(iter(outcome.metadata["domains"].values()))
    return outcome
