"""From Pydantic's errors to issues with pointers into the user's document."""

import difflib
import json
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from loopwright.agents.designspec.document.backends import (
    BACKEND_PARAMETERS,
    DEPRECATED_BACKENDS,
    Dimension,
    NamedIn,
    ProgrammaticParams,
    ScaffoldParams,
    Shaped,
    SpaceColonizationParams,
)
from loopwright.agents.designspec.document.domains import Component, join, lookup, parents_of, pointer_of
from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.document.spec import DesignSpec
from loopwright.kernel.errors import InvalidInput

# Every field of the policies and of growth backends in few words, made from the models that check the document.


def published_fields() -> dict[str, dict[str, str]]:
    """The fields by policy, and by backend for `backend_params`, with their default or choices (lengths in m)."""
    policies = {
        f"/policies/{name}": _fields(model)
        for name, info in Policies.model_fields.items()
        if (model := _model_of(info.annotation)) is not None
    }
    return policies | {f"backend_params of {name}": _fields(model) for name, model in BACKEND_PARAMETERS.items()}


def _fields(model: type[BaseModel]) -> dict[str, str]:
    return {info.alias or name: _described(info) for name, info in model.model_fields.items()}


def _described(info: FieldInfo) -> str:
    choices = get_args(info.annotation) if get_origin(info.annotation) is Literal else ()
    default = "required" if info.is_required() else f"{info.get_default(call_default_factory=True)!r}"
    if choices:
        return f"one of {', '.join(map(str, choices))}; {default}"
    return default if len(default) <= 60 else "a part of its own"


def _model_of(annotation: Any) -> type[BaseModel] | None:
    kinds = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    return next((each for each in kinds if isinstance(each, type) and issubclass(each, BaseModel)), None)


# The policies that hold for one component.


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
        raise TypeError(f"{model.__name__} is not a parameters' model of a backend")
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


# What the check of a document tells.

Severity = Literal["error", "incomplete", "warning"]


class Issue(BaseModel):
    """One thing to say about a document.

    An `error` makes the document invalid; `incomplete` names what is still to be added before it can run, and does
    not stop the writing of it; a `warning` stops nothing. `pointer` leads into the document as the user wrote it.
    """

    model_config = ConfigDict(frozen=True)

    code: str
    severity: Severity
    pointer: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        """One line for people."""
        return f"{self.pointer or '/'}: {self.message}" + (f" {self.hint}" if self.hint else "")


class DocumentReport(BaseModel):
    """The check's outcome. Without errors there is a `spec`, in metres, and its hash.

    `scaled` has the pointers of the numbers that were turned into metres, which only happens once, here.
    """

    model_config = ConfigDict(frozen=True)

    issues: list[Issue] = Field(default_factory=list)
    input_units: str = "m"
    scaled: list[str] = Field(default_factory=list)
    spec_hash: str = ""
    spec: DesignSpec | None = Field(default=None, exclude=True)

    @property
    def ok(self) -> bool:
        """Whether the document is valid; it may still be incomplete."""
        return not self.errors

    @property
    def complete(self) -> bool:
        """Whether it could run."""
        return not self.errors and not self.incomplete

    @property
    def errors(self) -> list[Issue]:
        """What makes it invalid."""
        return self._of("error")

    @property
    def incomplete(self) -> list[Issue]:
        """What a run still needs."""
        return self._of("incomplete")

    @property
    def warnings(self) -> list[Issue]:
        """What should be looked at."""
        return self._of("warning")

    @property
    def normalisation(self) -> str:
        """What was done about units, in a sentence."""
        if self.input_units == "m":
            return "All lengths are in metres already."
        return f"{len(self.scaled)} numbers were turned from {self.input_units} into metres."

    def _of(self, severity: Severity) -> list[Issue]:
        return [issue for issue in self.issues if issue.severity == severity]


# Laying the document's types over a raw document: which numbers are lengths, which names are unknown.

EXPONENTS = {"m": 0, "cm": -2, "mm": -3, "um": -6}
Kind = tuple[Any, tuple[Any, ...]]
"""A type and the markers that stand at it."""


@dataclass(frozen=True)
class UnknownField:
    """A field that no type knows, and the names that its place knows."""

    pointer: str
    name: str
    known: tuple[str, ...]


@dataclass
class Walk:
    """What came out: the document with its lengths in metres, where they are, and what is unknown."""

    document: Any = None
    lengths: dict[str, int] = field(default_factory=dict)
    """The power of the length by the pointer of the number."""
    unknown: list[UnknownField] = field(default_factory=list)


def walk(kind: Any, document: Any, units: str) -> Walk:
    """Lay a type over a document whose lengths are in `units`.

    Nulls that stand where null is no value are taken out, so that the default applies; whole numbers written with a
    point become integers where an integer belongs. Whatever does not fit the types is left as it is, for the
    validation to complain about.
    """
    walker = _Walker(EXPONENTS[units])
    walker.walk.document = walker.visit((kind, ()), document, "")
    return walker.walk


@cache
def fields_of(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """The fields by the names that they have, or once had, in the document."""
    fields: dict[str, FieldInfo] = {}
    for name, info in model.model_fields.items():
        known = info.validation_alias
        names = known.choices if isinstance(known, AliasChoices) else [info.alias or name]
        fields |= {str(each): info for each in names}
    return fields


def to_metres(number: float, exponent: int) -> float:
    """The number times ten to the exponent, rounded once: 0.3 mm are exactly the float 0.0003."""
    return float(Decimal(repr(number)).scaleb(exponent)) + 0.0  # turns -0.0 into 0.0, which hashes like zero


class _Walker:
    def __init__(self, exponent: int) -> None:
        self.exponent = exponent
        self.walk = Walk()

    def visit(self, kind: Kind, value: Any, pointer: str) -> Any:
        members = list(_members(kind))
        if isinstance(value, dict):
            return self._visit_dict(members, value, pointer)
        if isinstance(value, list):
            return self._visit_list(members, value, pointer)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return self._visit_number(members, value, pointer)
        return value

    def _visit_number(self, members: list[Kind], value: Any, pointer: str) -> Any:
        for member, markers in members:
            power = next((marker.power for marker in markers if isinstance(marker, Dimension)), None)
            if power is not None:
                self.walk.lengths[pointer] = power
                return to_metres(value, self.exponent * power)
            if member is int and isinstance(value, float) and value.is_integer():
                return int(value)
        return value

    def _visit_list(self, members: list[Kind], value: list[Any], pointer: str) -> list[Any]:
        for member, _ in members:
            origin, inner = _origin_of(member), get_args(member)
            if origin is list or (origin is tuple and inner[-1] is Ellipsis):
                kinds = [inner[0]] * len(value)
            elif origin is tuple:
                kinds = [*inner, *[Any] * (len(value) - len(inner))]
            else:
                continue
            return [
                self.visit((kind, ()), item, join(pointer, place))
                for place, (kind, item) in enumerate(zip(kinds, value, strict=False))
            ]
        return value

    def _visit_dict(self, members: list[Kind], value: dict[str, Any], pointer: str) -> dict[str, Any]:
        for member, markers in members:
            for marker in markers:
                if isinstance(marker, Shaped):
                    return self._visit_fields(fields_of(marker.model), value, pointer)
                if isinstance(marker, NamedIn):
                    return self._visit_fields(_fields_of_all(marker.models), value, pointer)
            if _origin_of(member) is dict:
                inner = get_args(member)[1]
                return {key: self.visit((inner, ()), item, join(pointer, key)) for key, item in value.items()}
            if isinstance(member, type) and issubclass(member, BaseModel) and _may_be(member, value):
                return self._visit_fields(fields_of(member), value, pointer)
        return value

    def _visit_fields(self, fields: dict[str, FieldInfo], value: dict[str, Any], pointer: str) -> dict[str, Any]:
        kept = {}
        for name, item in value.items():
            info = fields.get(name)
            if info is None:
                self.walk.unknown.append(UnknownField(join(pointer, name), name, tuple(fields)))
                kept[name] = item
                continue
            kind = (info.annotation, tuple(info.metadata))
            if item is None and not _takes_null(kind):
                empty = _empty(kind)
                if info.is_required() and empty is not None:
                    kept[name] = empty
                elif info.is_required():
                    kept[name] = None
                continue
            kept[name] = self.visit(kind, item, join(pointer, name))
        return kept


def _origin_of(annotation: Any) -> Any:
    """`get_origin`, which the type checker believes to know more about than it can."""
    return get_origin(annotation)


def _members(kind: Kind) -> Iterator[Kind]:
    """The alternatives of a union, each with its markers; a type that is none stands alone."""
    annotation, markers = kind
    if _origin_of(annotation) is Annotated:
        inner, *more = get_args(annotation)
        yield from _members((inner, (*markers, *more)))
    elif _origin_of(annotation) in (Union, types.UnionType):
        for member in get_args(annotation):
            yield from _members((member, markers))
    else:
        yield annotation, markers


def _may_be(model: type[BaseModel], value: dict[str, Any]) -> bool:
    """Whether the words that tell the models of a union apart (`type`, `op`) fit this one."""
    return all(
        value.get(name) in get_args(info.annotation)
        for name, info in fields_of(model).items()
        if info.is_required() and _origin_of(info.annotation) is Literal and len(get_args(info.annotation)) == 1
    )


def _takes_null(kind: Kind) -> bool:
    return any(member is type(None) or member is Any for member, _ in _members(kind))


def _empty(kind: Kind) -> Any:
    """What null stands for in a required place that holds many things, or None."""
    for member, _ in _members(kind):
        origin = _origin_of(member) or member
        if origin in (dict, list):
            return origin()
        if isinstance(origin, type) and issubclass(origin, BaseModel):
            return None if any(info.is_required() for info in fields_of(origin).values()) else {}
    return None


@cache
def _fields_of_all(models: tuple[type[BaseModel], ...]) -> dict[str, FieldInfo]:
    """The fields of several models; names that two of them share must mean the same, which a test makes sure of."""
    return {name: info for model in models for name, info in fields_of(model).items()}


Model = TypeVar("Model", bound=BaseModel)

NOTHING = object()
HINTS = {
    "float_type": "Write a bare number; lengths are in meta.input_units.",
    "int_type": "Write a whole number.",
    "int_from_float": "Write a whole number.",
}


def validate(model: type[Model], content: Any, original: Any, prefix: str = "") -> tuple[Model | None, list[Issue]]:
    """The content as the model, or what is wrong with it.

    Args:
        model: what the content should be.
        content: plain JSON, normalised.
        original: the same before normalisation, whose values the messages show.
        prefix: the pointer of the content within the document.
    """
    try:
        # JSON's strict mode takes lists for tuples, and no texts for numbers: those would not have been scaled.
        return model.model_validate_json(json.dumps(content), strict=True), []
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False, include_input=False)
    found: dict[str, Issue] = {}
    for detail in details:
        pointer = pointer_of(content, detail["loc"], missing=detail["type"] == "missing")
        found.setdefault(pointer, _issue(detail, prefix + pointer, lookup(original, pointer, NOTHING)))
    # Of a union's alternatives, the one that the document came furthest with tells best what is wrong.
    above = {parent for pointer in found for parent in parents_of(pointer)}
    return None, [issue for pointer, issue in found.items() if pointer not in above]


def unknown_field(unknown: UnknownField) -> Issue:
    """The warning about a field that is not known, with the name that may have been meant."""
    near = difflib.get_close_matches(unknown.name[:80], unknown.known, 3, 0.6)
    return Issue(
        code="UNKNOWN_FIELD",
        severity="warning",
        pointer=unknown.pointer,
        message=f"The field {unknown.name[:80]!r} is not known here, and has no effect.",
        hint=f"Did you mean {' or '.join(map(repr, near))}?" if near else "",
    )


def _issue(detail: ErrorDetails, pointer: str, value: Any) -> Issue:
    kind = detail["type"]
    if kind == "missing":
        return Issue(code="MISSING_FIELD", severity="error", pointer=pointer, message="This field is required.")
    code = kind if kind.isupper() else "INVALID_VALUE"
    return Issue(
        code=code,
        severity="error",
        pointer=pointer,
        message=f"{detail['msg']}{_shown(value)}",
        hint=HINTS.get(kind, ""),
    )


def _shown(value: Any) -> str:
    """The user's value, when it is short enough to help."""
    if value is NOTHING or isinstance(value, dict | list):
        return ""
    text = json.dumps(value, ensure_ascii=False)
    return f" (it is {text})" if len(text) <= 60 else ""
