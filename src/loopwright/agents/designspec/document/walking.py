"""Laying the document's types over a raw document: which numbers are lengths, which names are unknown.

One walk serves normalisation, the search for unknown fields and the words of a difference, so that all three go by the
declarations of the types and none keeps a list of its own.
"""

import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import AliasChoices, BaseModel
from pydantic.fields import FieldInfo

from loopwright.agents.designspec.document.pointers import join
from loopwright.agents.designspec.document.quantities import Dimension, NamedIn, Shaped

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
