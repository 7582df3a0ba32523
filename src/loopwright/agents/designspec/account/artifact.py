"""What the user has of a design: the document as approved, and the files of the run that built just this document."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.designspec.account.designed import Bore, bores
from loopwright.agents.designspec.account.solid import MM_PER_UNIT, Channel, Solid
from loopwright.kernel.account import NothingThereYet, NotMeasurable

# What each check is told. Lengths are in mm; what was not said is None, and not measured.

Face = Literal["left", "right", "front", "back", "top", "bottom"]
Axis = Literal["x", "y", "z", "long side", "short side", "length", "width", "height", "thickness"]
Length = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]


class Arguments(BaseModel):
    """Arguments of a check."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Changed(Arguments):
    """How a size was told that changes another one: the sizes beside it are what that comes to."""

    relation: Literal["less", "more"] | None = None
    by_mm: Length | None = None
    times: Length | None = None


class BoxArguments(Changed):
    """A box of these sides, along the axes or by name; `of` is what other statements say of the same box."""

    shape: Literal["box"] | None = None
    x_mm: Length | None = None
    y_mm: Length | None = None
    z_mm: Length | None = None
    long_mm: Length | None = None
    wide_mm: Length | None = None
    deep_mm: Length | None = None
    high_mm: Length | None = None
    thick_mm: Length | None = None
    of: "BoxArguments | None" = None


class RoundArguments(Changed):
    """A cylinder along z, or a sphere."""

    shape: Literal["cylinder", "sphere"]
    measure: Literal["diameter", "radius", "height"] | None = None
    diameter_mm: Length | None = None
    radius_mm: Length | None = None
    height_mm: Length | None = None


class ChannelArguments(Arguments):
    """Channels of these properties: so many, `one`, or, where neither is said, every one that there is.

    `of` is what other statements say of the same channels: it tells which are meant, and is itself not claimed.
    `beside` counts the parts with channels that there were when one more was asked for.
    """

    count: Count | None = None
    one: Literal[True] | None = None
    beside: Count | None = None
    of: "ChannelArguments | None" = None
    diameter_mm: Length | None = None
    radius_mm: Length | None = None
    depth_mm: Length | None = None
    axis: Axis | None = None
    from_face: Face | None = None
    to_face: Face | None = None
    through: Literal[True] | None = None
    straight: Literal[True] | None = None
    parallel: Literal[True] | None = None
    at: Literal["centre"] | None = None
    apart_mm: Length | None = None
    centre_to_centre: Literal[True] | None = None
    every: Literal[True] | None = None
    times: Length | None = None


class PortTraits(Arguments):
    """How many openings there are on a face, and how wide."""

    count: Count | None = None
    face: Face | None = None
    diameter_mm: Length | None = None
    radius_mm: Length | None = None
    every: Literal[True] | None = None


class PortArguments(PortTraits):
    """Openings of a role; `of` is what other statements say of the same ones."""

    kind: Literal["inlets", "outlets", "inlets and outlets"]
    of: PortTraits | None = None


class TipArguments(Arguments):
    """Ends of the network: how many, how wide, all within the body, of a network that begins at an inlet."""

    count: Count | None = None
    inside: Literal[True] | None = None
    from_inlet: Literal[True] | None = None
    branching: Literal[True] | None = None
    diameter_mm: Length | None = None
    radius_mm: Length | None = None


class ReachArguments(Arguments):
    """A hollow that opens on both faces."""

    inlet: Face
    outlet: Face


class WallArguments(Arguments):
    """No wall thinner than this."""

    at_least_mm: Length


class ScaleArguments(Arguments):
    """A measure that is to change by so many percent, with what it is to become, worked out before the change."""

    measure: Literal["x", "y", "z", "channel diameter"]
    percent: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    relation: Literal["less", "more"]
    expected_mm: Length


class AbsentArguments(Arguments):
    """Nothing of this kind is left."""

    absent: Literal["channels", "network", "inlets", "outlets"]


class BuiltArguments(Arguments):
    """The design as it is now has been built."""

    run: Literal[True] = True


class FileArguments(Arguments):
    """A file of this format among the results."""

    format: Literal["stl", "3mf", "glb", "graphml", "json", "png"]


class PartialClaim(Arguments):
    """One of several claims."""

    check: str
    arguments: dict[str, Any]


class TogetherArguments(Arguments):
    """What one statement says of several things."""

    every: tuple[PartialClaim, ...]


SPEC, SOLID, MANIFEST = "spec.json", "solid.stl", "artifact_manifest.json"


@dataclass(frozen=True)
class Result:
    """A project's folder, read as a user would: files only. `before`: as it was before a run's work began.

    `proposed` is a document that would take the place of the stored one: nothing of it was built.
    """

    folder: Path
    before: bool = False
    proposed: dict[str, Any] | None = None

    @cached_property
    def document(self) -> dict[str, Any]:
        """The document as approved; an empty one where there is none yet.

        Raises:
            NotMeasurable: the file holds no document.
        """
        if self.proposed is not None:
            return self.proposed
        path = self.folder / SPEC
        if not path.is_file():
            return {}
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise NotMeasurable(f"{SPEC} is not JSON") from error
        return found if isinstance(found, dict) else {}

    @cached_property
    def run(self) -> Path | None:
        """The newest run that was built from this very document, and has a solid; None where there is none.

        Before the work the newest solid counts whatever it was built from: it is what the user has.
        """
        if self.proposed is not None:
            return None
        text = json.dumps(self.document, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        wanted = hashlib.sha256(text.encode()).hexdigest()[:16]
        for folder in sorted((self.folder / "artifacts").glob("run_*"), reverse=True):
            manifest = folder / MANIFEST
            if not manifest.is_file() or not (folder / SOLID).is_file():
                continue
            if self.before or json.loads(manifest.read_text(encoding="utf-8")).get("document_hash") == wanted:
                return folder
        return None

    @cached_property
    def solid(self) -> Solid:
        """The solid as it was built from the document as it is now.

        Raises:
            NotMeasurable: it was not built, or cannot be read.
            NothingThereYet: before the work, nothing was ever built.
        """
        if self.run is None:
            raise self.unbuilt("there is no solid to measure")
        return Solid.read(self.run / SOLID)

    @cached_property
    def hollows(self) -> Sequence[Channel | Bore]:
        """The channels of the solid; of the document as it is where nothing was built of it.

        Raises:
            NotMeasurable: they can be told only from a solid, and there is none.
            NothingThereYet: before the work, nothing was ever built.
        """
        if self.run is not None:
            return self.solid.channels
        try:
            return bores(self.document, self.body, self.mm)
        except NotMeasurable as error:
            raise self.unbuilt(f"there is no solid to measure ({error})") from error

    @cached_property
    def middle(self) -> tuple[float, float, float]:
        """The middle of the body (mm)."""
        if self.run is not None:
            box = self.solid.body.bounding_box()
            return ((box[0] + box[3]) / 2, (box[1] + box[4]) / 2, (box[2] + box[5]) / 2)
        body = self.body or {}
        if body.get("type") == "box":
            x, y, z = ((float(body[f"{axis}_min"]) + float(body[f"{axis}_max"])) / 2 * self.mm for axis in "xyz")
        else:
            x, y, z = (float(value) * self.mm for value in body.get("center") or (0, 0, 0))
        return x, y, z

    @property
    def fresh(self) -> bool:
        """Whether there is neither a body nor a solid."""
        return self.run is None and not self.document.get("domains")

    def unbuilt(self, so: str) -> Exception:
        """What to raise where there is no solid of the document as it is now."""
        if self.before:
            return NothingThereYet("nothing has been built yet")
        return NotMeasurable(f"the design as it is now has not been built, so {so}")

    @property
    def where(self) -> str:
        """The place of the solid, for evidence."""
        return f"{self._relative}/{SOLID}" if self.run is not None else f"{SPEC} as approved; not built yet"

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what was read."""
        path = self.run / SOLID if self.run is not None else self.folder / SPEC
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""

    @property
    def _relative(self) -> str:
        return self.run.relative_to(self.folder).as_posix() if self.run is not None else ""

    @property
    def mm(self) -> float:
        """Millimetres in one unit of the document."""
        meta = self.document.get("meta")
        unit = meta.get("input_units") if isinstance(meta, dict) else None
        return MM_PER_UNIT.get(str(unit or "m"), 1e3)

    @property
    def body(self) -> dict[str, Any] | None:
        """The document's body: the only domain, or the one that components stand in; None where that is not one."""
        domains = self.document.get("domains") or {}
        named = {each.get("domain_ref") for each in self.components}
        names = list(domains) if len(domains) == 1 else [name for name in domains if name in named]
        found = domains[names[0]] if len(names) == 1 else None
        return found if isinstance(found, dict) else None

    @property
    def components(self) -> list[dict[str, Any]]:
        """The document's components."""
        return [each for each in self.document.get("components") or [] if isinstance(each, dict)]

    def ports(self, kind: str) -> list[dict[str, Any]]:
        """The document's `inlets` or `outlets`."""
        found = [port for each in self.components for port in (each.get("ports") or {}).get(kind) or []]
        return [port for port in found if isinstance(port, dict)]

    def networks(self) -> list[dict[str, Any]]:
        """The exported networks (mm).

        Raises:
            NotMeasurable: nothing was built, or a file is in another unit than it should.
        """
        if self.run is None:
            raise self.unbuilt("there is no network to count in")
        files = sorted((self.run / "networks").glob("*.json"))
        return [json.loads(path.read_text(encoding="utf-8")) for path in files]


def face_of(port: dict[str, Any]) -> str | None:
    """The face that a port of the document sits on, by its direction into the body."""
    way = port.get("direction")
    if not isinstance(way, list) or len(way) != 3 or not any(way):
        return None
    axis = max(range(3), key=lambda each: abs(float(way[each])))
    names = (("right", "left"), ("back", "front"), ("top", "bottom"))[axis]
    return names[0] if float(way[axis]) < 0 else names[1]


def ends_of(network: dict[str, Any]) -> Iterator[tuple[list[float], float]]:
    """Place and radius of each end of an exported network, in mm."""
    factor = {"mm": 1.0, "m": 1e3, "cm": 10.0, "um": 1e-3}[str(network["metadata"].get("units", "mm"))]
    radii: dict[str, list[float]] = {}
    for segment in network["segments"].values():
        for end in ("start", "end"):
            radius = float(segment["geometry"][f"radius_{end}"])
            radii.setdefault(str(segment[f"{end}_node_id"]), []).append(radius)
    for name, node in network["nodes"].items():
        if node["node_type"] == "terminal" and name in radii:
            yield [factor * float(value) for value in node["position"]], factor * min(radii[name])


# Checks of the outside: its shape and sizes, in the solid or, until it is built, in the document as approved.

CLOSE = 0.01
"""Share by which a measured length may differ from the one that was said: the facets of round walls."""


def near(one: float, other: float) -> bool:
    """Whether two lengths are the same, as far as facets allow."""
    return abs(one - other) <= CLOSE * max(abs(one), abs(other))


def wide(said: Any) -> float | None:
    """The diameter (mm) that was said, or twice the radius."""
    if said.diameter_mm is not None:
        return float(said.diameter_mm)
    return None if said.radius_mm is None else 2 * float(said.radius_mm)


def box(result: Result, said: BoxArguments) -> tuple[bool, str]:
    """The outside is a box, of these sides where they were said."""
    shape, extents = outside(result)
    sides = (said.x_mm, said.y_mm, said.z_mm)
    holds = shape == "box" and all(want is None or near(have, want) for have, want in zip(extents, sides, strict=True))
    return holds and _labelled(extents, said), f"{shape or 'another shape'}, {_by(extents)} mm"


def _labelled(extents: tuple[float, float, float], said: BoxArguments) -> bool:
    """Whether sides that were told by name are there: height is z, what is long, wide or deep lies flat."""
    told = {**(said.of.model_dump(exclude_none=True) if said.of else {}), **said.model_dump(exclude_none=True)}
    flat = [float(told[name]) for name in ("long_mm", "wide_mm", "deep_mm") if name in told]
    high = [float(told[name]) for name in ("high_mm", "thick_mm") if name in told]
    if len(flat) == 3 and not high:
        high = [flat.pop()]  # 60 mm long, 40 mm wide and 5 mm deep: the depth is what is left
    if len(flat) > 2 or len(high) > 1:
        raise NotMeasurable("more sides were named than a box has")
    lies = any(all(map(near, order, flat)) for order in permutations(extents[:2], len(flat)))
    return lies and all(near(extents[2], each) for each in high)


def round_body(result: Result, said: RoundArguments) -> tuple[bool, str]:
    """The outside is a cylinder or sphere of these sizes."""
    shape, extents = outside(result)
    width = wide(said)
    fits = width is None or near(extents[0], width)
    high = said.height_mm is None or near(extents[2], said.height_mm)
    return shape == said.shape and fits and high, f"{shape or 'another shape'}, {_by(extents)} mm"


def scaled(result: Result, said: ScaleArguments) -> tuple[bool, str]:
    """The measure is what it was to become."""
    if said.measure == "channel diameter":
        found = [width for each in result.hollows for width in each.widths]
        if not found:
            return False, "no channel"
    else:
        found = [outside(result)[1]["xyz".index(said.measure)]]
    return all(
        near(value, said.expected_mm) for value in found
    ), f"{said.measure} {min(found):.4g} to {max(found):.4g} mm"


def outside(result: Result) -> tuple[str, tuple[float, float, float]]:
    """Shape and extents (mm) of the solid; of the document's body where nothing was built.

    Raises:
        NotMeasurable: there is no one body, or the document does not say its sizes.
    """
    if result.run is not None:
        return result.solid.shape, result.solid.extents
    body = result.body
    if not result.document.get("domains"):
        raise NothingThereYet("there is no body yet")
    if body is None:
        raise NotMeasurable("the document has no one body")
    kind, mm = str(body.get("type")), result.mm
    if kind == "box":
        sides = [(float(body[f"{axis}_max"]) - float(body[f"{axis}_min"])) * mm for axis in "xyz"]
        return kind, (sides[0], sides[1], sides[2])
    if kind in ("cylinder", "sphere"):
        wide = 2 * float(body["radius"]) * mm
        return kind, (wide, wide, float(body["height"]) * mm if kind == "cylinder" else wide)
    raise NotMeasurable(f"the document does not say the sizes of a body of the type {kind}")


def _by(extents: Iterable[float]) -> str:
    return " x ".join(f"{value:.4g}" for value in extents)
