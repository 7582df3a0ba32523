"""The policies that hold for one component."""

from typing import Any

from loopwright.agents.designspec.document.backends import (
    BACKEND_PARAMETERS,
    DEPRECATED_BACKENDS,
    ProgrammaticParams,
    ScaffoldParams,
    SpaceColonizationParams,
)
from loopwright.agents.designspec.document.components import Component
from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.document.spec import DesignSpec
from loopwright.kernel.errors import InvalidInput


def effective_policies(spec: DesignSpec, component: Component) -> Policies:
    """The document's policies with the component's laid over: dicts are merged deeply, lists replaced.

    `build.backend` and `build.backend_params` come last, over the growth policy. Where the build names another backend
    than the growth policy, the policy's `backend_params` are not meant for it and are left out. The metres stay metres.
    """
    merged = merge_deeply(spec.policies.model_dump(exclude_unset=True), component.policies)
    growth = dict(merged.get("growth") or {})
    asked = growth.get("backend", Policies().growth.backend)
    chosen = component.build.backend or asked
    params = growth.get("backend_params") or {} if resolve_backend(chosen) == resolve_backend(asked) else {}
    growth["backend"] = resolve_backend(chosen)
    growth["backend_params"] = merge_deeply(params, component.build.backend_params)
    return Policies.model_validate(merged | {"growth": growth})


def backend_parameters(policies: Policies) -> ScaffoldParams | SpaceColonizationParams | ProgrammaticParams:
    """What the growth policy tells its backend, typed.

    Raises:
        InvalidInput: there is no such backend.
        pydantic.ValidationError: a parameter does not fit; `check_document` has said so before.
    """
    backend = resolve_backend(policies.growth.backend)
    model = BACKEND_PARAMETERS.get(backend)
    if model is None:
        raise InvalidInput(
            f"/policies/growth/backend: there is no backend {backend!r}.",
            hint="The backends are: " + ", ".join(BACKEND_PARAMETERS) + ".",
        )
    typed = model.model_validate(policies.growth.backend_params)
    if not isinstance(typed, ScaffoldParams | SpaceColonizationParams | ProgrammaticParams):
        raise TypeError(f"{model.__name__} is no parameters' model of a backend")
    return typed


def resolve_backend(name: str) -> str:
    """The backend that is used for this name: its own, or that which has replaced a deprecated one."""
    return DEPRECATED_BACKENDS.get(name, name)


def merge_deeply(base: dict[str, Any], override: dict[str, Any]) -> dict[str, Any]:
    """The base with the override laid over: dicts are merged, everything else is replaced."""
    merged = dict(base)
    for name, value in override.items():
        below = merged.get(name)
        merged[name] = merge_deeply(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return merged
