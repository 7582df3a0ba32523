"""Numbers with a dimension: what a change of units multiplies, and what it leaves alone.

The marker sits in the type, so that the same declaration serves validation, normalisation and the published schema.
"""

from dataclasses import dataclass
from pathlib import PurePosixPath, PureWindowsPath
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

WHAT_IT_MEASURES = {1: "length", 2: "area", 3: "volume"}


@dataclass(frozen=True)
class Dimension:
    """Marks a number as a power of a length: 1 for lengths, 3 for volumes."""

    power: int

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Tell readers of the published schema that the number is in `meta.input_units`."""
        return {**handler(schema), "x-dimension": WHAT_IT_MEASURES[self.power]}


@dataclass(frozen=True)
class Shaped:
    """Marks a dict that has the fields of a model: checked, scaled and published as that, and kept as a dict."""

    model: type[BaseModel]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Validate as the model, so that errors carry the place, and keep only what was given."""
        return core_schema.no_info_after_validator_function(
            _as_given,
            handler.generate_schema(self.model),
            serialization=core_schema.plain_serializer_function_ser_schema(dict),
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Publish the model's schema."""
        return handler(schema["schema"])


@dataclass(frozen=True)
class NamedIn:
    """Marks a dict whose entries are known by their names, whichever of the models it will turn out to be."""

    models: tuple[type[BaseModel], ...]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Validate as the plain dict that it is; which model it is is not known yet."""
        return handler(source)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Publish the models as alternatives."""
        return {"type": "object", "anyOf": [handler(model.__pydantic_core_schema__) for model in self.models]}


def _as_given(part: Any) -> dict[str, Any]:
    return dict(part.model_dump(exclude_unset=True, by_alias=True)) if isinstance(part, BaseModel) else dict(part)


def _confined(path: str) -> str:
    """Refuse what could leave the folder that paths are relative to, on any system."""
    posix, windows = PurePosixPath(path), PureWindowsPath(path)
    if posix.is_absolute() or windows.drive or windows.root or path.startswith("~"):
        raise PydanticCustomError("ABSOLUTE_PATH", "The path must be relative to the project's or the run's folder.")
    if ".." in windows.parts:
        raise PydanticCustomError("ESCAPING_PATH", "The path must not lead out of its folder ('..').")
    if any(ord(letter) < 32 or letter in '<>:"|?*\\' for letter in path):
        raise PydanticCustomError("UNSAFE_PATH", "The path has characters that no file name should have.")
    return path


def _not_zero(vector: tuple[float, float, float]) -> tuple[float, float, float]:
    if not any(abs(part) > 1e-12 for part in vector):
        raise PydanticCustomError("ZERO_DIRECTION", "A direction must not be zero.")
    return vector


Finite = Annotated[float, Field(allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Fraction = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]

Length = Annotated[float, Field(ge=0, allow_inf_nan=False), Dimension(1)]
"""A length that may be zero, in `meta.input_units` before normalisation and in metres after it."""
PositiveLength = Annotated[float, Field(gt=0, allow_inf_nan=False), Dimension(1)]
Coordinate = Annotated[float, Field(allow_inf_nan=False), Dimension(1)]
Volume = Annotated[float, Field(ge=0, allow_inf_nan=False), Dimension(3)]

Point = tuple[Coordinate, Coordinate, Coordinate]
"""A place, x y z."""
Vector = tuple[Finite, Finite, Finite]
"""A direction or angles, x y z; it has no unit."""
Direction = Annotated[Vector, AfterValidator(_not_zero)]
"""A direction, x y z, of any length but zero; it has no unit."""
RelativePath = Annotated[str, Field(min_length=1, max_length=500), AfterValidator(_confined)]
"""A path below the project's or the run's folder."""


class SpecPart(BaseModel):
    """A piece of the document. Unknown fields are kept and reported as warnings; they never pass unseen."""

    model_config = ConfigDict(extra="allow", frozen=True, protected_namespaces=())

    @property
    def unknown_fields(self) -> dict[str, Any]:
        """What the document says here that the pipeline does not know."""
        return dict(self.model_extra or {})
