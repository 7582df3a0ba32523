"""The answer that a model gives: a list of typed operations, and which of its numbers nobody has said."""

import re
from collections.abc import Sequence
from itertools import combinations
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from loopwright.kernel.account.reading import read_values

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


# Sizes and numbers that a model has put into operations although nobody said them: told before they are approved.

LOOKED_AT = (
    AddBox,
    AddCylinder,
    AddSphere,
    AddChannels,
    AddBlindChannels,
    Drill,
    AddPorts,
    Connect,
    Grow,
)
"""What makes new things; a changed value may be worked out from what is there."""
_PAIR = re.compile(
    r"\b(?:both|pair|couple|twin|beide[ns]?|paar)\b(?! (?:ends|sides|faces|enden|seiten))", re.IGNORECASE
)
_ALIKE = re.compile(
    r"\b(?:cub(?:e|ic)s?|square|edges?|sides?|würfel\w*|quadrat\w*|kanten?\w*|seiten?\w*)\b", re.IGNORECASE
)
_FACTORS = re.compile(r"\b(?:twice|double|half|halve|triple|third|quarter|doppelt|halb|dreimal)", re.I)


def lengths_of(text: str) -> list[float]:
    """The lengths of a message in mm, in their order: read by code, so that no model has to convert them."""
    return [round(float(value.value), 6) for value in read_values(text) if value.type == "length"]


def unsaid(said: Sequence[str], operations: Sequence[Any], sizes: Sequence[float] = ()) -> list[str]:
    """The sizes (mm) and numbers of tips in the operations that stand in none of the user's messages.

    Args:
        said: the user's messages and answers.
        operations: what the model proposes.
        sizes: of the design as it is, from which others may follow.

    Returns:
        A phrase for each, such as `diameter 50 mm`; nothing where no message is known.
    """
    lengths = [number for text in said for number in (*lengths_of(text), *_bare(text))]
    lengths += [2 * number for number in lengths]  # a radius was said
    counts = _counts(said)
    found = []
    for form in operations if said else ():
        for name, value in form.model_dump().items() if isinstance(form, LOOKED_AT) else ():
            known = (*lengths, *sizes) if name.endswith("_mm") else counts
            counted = name == "tips" or (name == "count" and value > 1)
            if value and (name.endswith("_mm") or counted) and not any(_same(value, each) for each in known):
                found.append(f"{name.removesuffix('_mm')} {value:g}{' mm' if name.endswith('_mm') else ''}")
        if isinstance(form, AddBox) and not sizes:
            found += _sides_too_many(said, form)
    return list(dict.fromkeys(found))


def counts_of(text: str) -> list[float]:
    """The numbers of things in a message; "both" and "a pair" are two."""
    found = [float(value.value) for value in read_values(text) if value.type in ("count", "number")]
    return [*found, *([2.0] if _PAIR.search(text) else [])]


def _counts(said: Sequence[str]) -> list[float]:
    """The numbers of things that were said, and what they come to together: "two left and two right", "3 rows of 4"."""
    each = [number for text in said for number in (*counts_of(text), *_bare(text))]
    return [*each, sum(each), *(one * other for one, other in combinations(each, 2))]


def _sides_too_many(said: Sequence[str], box: AddBox) -> list[str]:
    """Sides of a box beyond as many as were said, unless words say that some are alike."""
    if any(_ALIKE.search(text) for text in said):
        return []
    lengths = [number for text in said for number in (*lengths_of(text), *_bare(text))]
    found, left = [], list(lengths)
    for name, side in (("x", box.x_mm), ("y", box.y_mm), ("z", box.z_mm)):
        same = next((each for each in left if _same(side, each)), None)
        if same is not None:
            left.remove(same)
        elif any(_same(side, each) for each in lengths):
            found.append(f"{name} {side:g} mm (said of another side)")
    return found


def unfounded(said: Sequence[str], operations: Sequence[Any], sizes: Sequence[float]) -> list[str]:
    """New values of lengths that neither stand in the last message nor follow from it and from the sizes there are."""
    last = said[-1] if said else ""
    told = lengths_of(last) + _bare(last)
    follow = {*told, *(2 * each for each in told), *(each / 2 for each in told)}
    for size in sizes:
        follow |= {size + each for each in told} | {size - each for each in told}
        follow |= {size * (1 + each / 100) for each in told} | {size * (1 - each / 100) for each in told}
        follow |= {size * each for each in told}
        if _FACTORS.search(last):
            follow |= {size * factor for factor in (2, 3, 0.5, 0.25, 1 / 3)}
    return [
        f"{form.path} {form.value:g} mm"
        for form in operations
        if isinstance(form, SetValue) and form.path.endswith("_mm") and isinstance(form.value, float | int)
        if not any(_same(float(form.value), each) for each in follow)
    ]


def _bare(text: str) -> list[float]:
    """The numbers without a unit: the 4 of "4 by 2 cm" is none of them, it is 40 mm."""
    for value in sorted(read_values(text), key=lambda each: -each.start):
        if value.type == "length":
            text = text[: value.start] + " " + text[value.end :]
    return [float(found) for found in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])", text)]


def _same(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-3 * max(abs(one), abs(other))
