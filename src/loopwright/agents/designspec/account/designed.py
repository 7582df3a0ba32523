"""The hollows that a document describes outright: straight channels between ports, as approved and not built yet.

What only growing or carving decides (trees, hooks, bends, hollows that meet) is not read here: only a solid shows it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from loopwright.kernel.account import NotMeasurable

Floats = NDArray[np.float64]
ON_FACE = 1e-3
"""Share of the body's size by which a port may lie off the surface."""


@dataclass(frozen=True)
class Mouth:
    """Where a channel meets the outside: its middle, its face, its width (mm)."""

    centre: tuple[float, float, float]
    face: str
    diameter: float


@dataclass(frozen=True)
class Bore:
    """A hollow of the document (mm), told as `solid.Channel` tells those of a mesh.

    `ends` are those of a straight channel, and `wide` its widths; of one with bends or branches only openings are read.
    """

    openings: tuple[Mouth, ...]
    ends: tuple[Floats, Floats] | None = None
    wide: tuple[float, ...] = ()

    @property
    def line(self) -> tuple[Floats, Floats]:
        """Where a straight channel begins and ends.

        Raises:
            NotMeasurable: it is none.
        """
        if self.ends is None:
            raise NotMeasurable("a channel bends or branches, and only building shows its way")
        return self.ends

    @property
    def widths(self) -> tuple[float, ...]:
        """Its widths at its beginning, middle and end; as `line` where it is not straight."""
        _ = self.line  # raises where it has none
        return self.wide

    @property
    def axis(self) -> str:
        """`x`, `y` or `z` where it runs along an axis; else nothing."""
        way = np.abs(self.line[1] - self.line[0]) / self.length
        return "xyz"[int(np.argmax(way))] if way.max() > 0.999 else ""

    @property
    def length(self) -> float:
        """How long it is."""
        return float(np.linalg.norm(self.line[1] - self.line[0]))

    @property
    def through(self) -> bool:
        """Whether it opens on two sides."""
        return len(self.openings) >= 2


def bores(document: dict[str, Any], body: dict[str, Any] | None, mm: float) -> tuple[Bore, ...]:
    """The channels of a document whose every hollow is a straight one; `mm` are the millimetres in its unit.

    Raises:
        NotMeasurable: a hollow is grown, bent or imported, a port has no place on the body, or two channels meet.
    """
    if body is None:
        raise NotMeasurable("the document has no one body")
    found: list[Bore] = []
    for component in document.get("components") or []:
        policies = _merged(document.get("policies") or {}, component.get("policies") or {})
        kind = (component.get("build") or {}).get("type")
        if kind == "primitive_channels":
            found += list(_drilled(component, policies.get("channels") or {}, body, mm))
        elif (component.get("build") or {}).get("backend") == "programmatic":
            found += list(_joined(component, body, mm))
        else:
            raise NotMeasurable(f"`{component.get('id')}` is not built yet, and only building shows its channels")
    for one, other in combinations(found, 2):
        if one.ends is None or other.ends is None or _meet(one.ends, other.ends, (max(one.wide) + max(other.wide)) / 2):
            raise NotMeasurable("channels meet each other, and only building shows what becomes of them")
    return tuple(sorted(found, key=lambda each: [round(value, 4) for value in each.openings[0].centre]))


def _merged(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    return base | {
        name: {**base[name], **value} if isinstance(value, dict) and isinstance(base.get(name), dict) else value
        for name, value in over.items()
    }


def _drilled(component: dict[str, Any], policy: dict[str, Any], body: dict[str, Any], mm: float) -> Iterator[Bore]:
    """The first inlet is joined to the first outlet, and so on; what is left over ends within the body."""
    if policy.get("enabled") is False:
        return
    ports = component.get("ports") or {}
    inlets, outlets = ports.get("inlets") or [], ports.get("outlets") or []
    for inlet, outlet in zip(inlets, outlets, strict=False):
        yield _between(inlet, outlet, body, mm)
    paired = min(len(inlets), len(outlets))
    for alone in [*inlets[paired:], *outlets[paired:]]:
        if policy.get("profile", "cylinder") != "cylinder":
            raise NotMeasurable("a channel is tapered or bent, and only building shows how")
        mouth = _mouth(alone, body, mm)
        depth = _depth(policy, mouth, body, mm)
        start = np.array(mouth.centre)
        end = start + depth * np.array(alone["direction"], dtype=float)
        yield Bore((mouth,), (start, end), (mouth.diameter,) * 3)


def _joined(component: dict[str, Any], body: dict[str, Any], mm: float) -> Iterator[Bore]:
    """The hollows of a program of straight pieces: what hangs together, with its openings."""
    ports = component.get("ports") or {}
    named = {port.get("name"): port for kind in ("inlets", "outlets") for port in ports.get(kind) or []}
    groups: list[set[str]] = []
    steps = ((component.get("build") or {}).get("backend_params") or {}).get("steps") or []
    for step in steps:
        if step.get("op") not in ("route", "connect_to_outlet") or step.get("algorithm") != "straight":
            raise NotMeasurable("a channel is drawn step by step, and only building shows it")
        to = [step.get(key) for key in ("outlet", "id", "to") if isinstance(step.get(key), str)]
        ends = {str(step.get("from")), *to}
        groups = [*(group for group in groups if not group & ends), ends.union(*(g for g in groups if g & ends))]
    for group in groups:
        opened = [named[name] for name in named if name in group]
        whole = len(opened) == len(group) == 2 and not any(step.get("via") for step in steps)
        if whole and all(_as_wide(step, opened) for step in steps if {step.get("from"), step.get("outlet")} <= group):
            yield _between(opened[0], opened[1], body, mm)
        else:
            yield Bore(tuple(_mouth(port, body, mm) for port in opened))


def _as_wide(step: dict[str, Any], ports: list[dict[str, Any]]) -> bool:
    return all(port.get("radius") == step.get("radius", port.get("radius")) for port in ports)


def _between(inlet: Any, outlet: Any, body: dict[str, Any], mm: float) -> Bore:
    mouths = _mouth(inlet, body, mm), _mouth(outlet, body, mm)
    start, end = (np.array(mouth.centre) for mouth in mouths)
    if np.linalg.norm(end - start) <= 0:
        raise NotMeasurable("two ports lie at one place")
    first, last = (mouth.diameter for mouth in mouths)
    return Bore(mouths, (start, end), (first, (first + last) / 2, last))


def _mouth(port: dict[str, Any], body: dict[str, Any], mm: float) -> Mouth:
    place, way = port.get("position"), port.get("direction")
    if not isinstance(place, list) or not isinstance(way, list) or len(place) != 3 or len(way) != 3:
        raise NotMeasurable("the design as it is now has not been built, and a port's place is not in the document")
    axis = int(np.argmax(np.abs(way)))
    side = -1 if float(way[axis]) > 0 else 1
    if abs(_surface(body, axis, side, place) - float(place[axis])) > ON_FACE * _size(body):
        raise NotMeasurable("a port does not lie on the surface of the body")
    faces = (("left", "right"), ("front", "back"), ("bottom", "top"))
    x, y, z = (float(value) * mm for value in place)
    return Mouth((x, y, z), faces[axis][side > 0], 2 * float(port.get("radius") or 0) * mm)


def _surface(body: dict[str, Any], axis: int, side: int, place: list[float]) -> float:
    """The coordinate at which a line along an axis leaves the body."""
    if body.get("type") == "box":
        return float(body[f"{'xyz'[axis]}_{'max' if side > 0 else 'min'}"])
    centre = [float(value) for value in body.get("center") or (0, 0, 0)]
    if body.get("type") == "cylinder" and axis == 2:
        return centre[2] + side * float(body["height"]) / 2
    if body.get("type") in ("cylinder", "sphere"):
        used = range(2 if body["type"] == "cylinder" else 3)
        across = sum((float(place[other]) - centre[other]) ** 2 for other in used if other != axis)
        return centre[axis] + side * float(np.sqrt(max(float(body["radius"]) ** 2 - across, 0.0)))
    raise NotMeasurable(f"the document does not say the faces of a body of the type {body.get('type')}")


def _size(body: dict[str, Any]) -> float:
    if body.get("type") == "box":
        return max(float(body[f"{axis}_max"]) - float(body[f"{axis}_min"]) for axis in "xyz")
    return 2 * float(body.get("radius") or 0)


def _depth(policy: dict[str, Any], mouth: Mouth, body: dict[str, Any], mm: float) -> float:
    length = policy.get("length")
    if length is not None and policy.get("length_mode", "to_depth") != "to_center_fraction":
        return float(length) * mm
    if policy.get("length_mode", "to_depth") != "to_depth" or body.get("type") != "box":
        raise NotMeasurable("how deep a channel goes is only seen once it is built")
    axis = "xyz"[("left", "right", "front", "back", "bottom", "top").index(mouth.face) // 2]
    across = float(body[f"{axis}_max"]) - float(body[f"{axis}_min"])
    return (across - float(policy.get("stop_before_boundary", 0.0))) * mm


def _meet(one: tuple[Floats, Floats], other: tuple[Floats, Floats], apart: float) -> bool:
    """Whether two lines come as near to each other as that, looked at in many places of both."""
    steps = np.linspace(0.0, 1.0, 201)[:, None]
    first, second = (start + steps * (end - start) for start, end in (one, other))
    return bool(np.linalg.norm(first[:, None, :] - second[None, :, :], axis=2).min() <= apart)
