"""The answer that a model gives: a list of typed operations, each with required arguments only, and a few words."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Face = Literal["left", "right", "front", "back", "top", "bottom"]
Way = Literal["left to right", "front to back", "top to bottom", "length", "width", "height", "thickness"]
Millimetres = Annotated[float, Field(gt=0, le=10_000, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1, le=200)]
Name = Annotated[str, Field(min_length=1, max_length=64)]
Words = Annotated[str, Field(max_length=1_500)]
Until = Literal["full", "compile_domains", "component_build", "embed", "validity"]
"""How far a run goes, inclusive: the pipeline's stages that are of use to a model."""
MOST_OPERATIONS = 12


class Form(BaseModel):
    """A piece of an answer: nothing optional, nothing unknown."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class AddBox(Form):
    """A box about the origin: the body, or the body's new shape."""

    op: Literal["add_box"]
    x_mm: Millimetres
    y_mm: Millimetres
    z_mm: Millimetres


class AddCylinder(Form):
    """An upright cylinder about the origin as the body."""

    op: Literal["add_cylinder"]
    diameter_mm: Millimetres
    height_mm: Millimetres


class AddSphere(Form):
    """A sphere about the origin as the body."""

    op: Literal["add_sphere"]
    diameter_mm: Millimetres


class AddChannels(Form):
    """Straight parallel channels through the whole body, open on both faces, which lie across from each other."""

    op: Literal["add_channels"]
    count: Count
    from_face: Face
    to_face: Face
    diameter_mm: Millimetres


class Drill(Form):
    """Straight channels through the whole body, for a small model: one word says where they run."""

    op: Literal["drill"]
    count: Count
    along: Way
    diameter_mm: Millimetres
    apart_mm: Annotated[float, Field(ge=0, le=10_000, allow_inf_nan=False)]


class Join(Form):
    """All inlets and outlets become one hollow."""

    op: Literal["join"]


class AddBlindChannels(Form):
    """Straight parallel channels that end within the body."""

    op: Literal["add_blind_channels"]
    count: Count
    face: Face
    diameter_mm: Millimetres
    depth_mm: Millimetres


class AddPorts(Form):
    """Inlets or outlets of a network on a face."""

    op: Literal["add_ports"]
    kind: Literal["inlet", "outlet"]
    count: Count
    face: Face
    diameter_mm: Millimetres


class Grow(Form):
    """A branching network from the inlets that there are; `space_colonization` also joins the outlets."""

    op: Literal["grow"]
    kind: Literal["tree", "space_colonization"]
    tips: Annotated[int, Field(ge=1, le=5_000)]


class Connect(Form):
    """A channel from an inlet to an outlet, both by name."""

    op: Literal["connect"]
    inlet: Name
    outlet: Name
    diameter_mm: Millimetres


class SetValue(Form):
    """A new value at a path that the state lists, or at a JSON Pointer; lengths in mm."""

    op: Literal["set"]
    path: Annotated[str, Field(min_length=1, max_length=300)]
    value: float | bool | Annotated[str, Field(max_length=200)]


class Remove(Form):
    """A body, a component or a port goes, by its name."""

    op: Literal["remove"]
    name: Annotated[str, Field(min_length=1, max_length=130)]


class Undo(Form):
    """The last changes are taken back."""

    op: Literal["undo"]
    changes: Annotated[int, Field(ge=1, le=20)]


class Ask(Form):
    """A question to the user; nothing is changed before it is answered."""

    op: Literal["ask"]
    question: Annotated[str, Field(min_length=1, max_length=500)]
    default: Annotated[str, Field(max_length=200)]


class Run(Form):
    """Build the solid and measure it; you see the report."""

    op: Literal["run"]
    until: Until


class LookAt(Form):
    """Show more before you answer."""

    op: Literal["look_at"]
    part: Literal["document", "last_run", "checks", "network", "history", "fields"]


class Patch(Form):
    """The expert's way: RFC 6902 operations as JSON text, in the document's own units."""

    op: Literal["patch"]
    title: Annotated[str, Field(min_length=1, max_length=200)]
    operations_json: Annotated[str, Field(min_length=2, max_length=20_000)]


Change = (
    AddBox
    | AddCylinder
    | AddSphere
    | AddChannels
    | AddBlindChannels
    | AddPorts
    | Grow
    | Connect
    | SetValue
    | Remove
    | Undo
)
"""What changes the design."""
PlainChange = Drill | Join
"""What only small models are offered: it says less, and is taken from every model."""
Operation = Annotated[Change | Ask | Run | LookAt | Patch, Field(discriminator="op")]
AnyOperation = Annotated[Change | PlainChange | Ask | Run | LookAt | Patch, Field(discriminator="op")]


class DirectiveAnswer(Form):
    """The schema of an answer that is sent with each request."""

    operations: Annotated[list[Operation], Field(max_length=MOST_OPERATIONS)]
    assistant_message: Words
