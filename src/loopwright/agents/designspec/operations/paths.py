"""The paths that `set` takes: short ones in millimetres for what users speak of, and any JSON Pointer."""

import copy
import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from loopwright.agents.designspec.document.checking import check_document, normalise
from loopwright.agents.designspec.offline.body import Body
from loopwright.agents.designspec.offline.draft import (
    CHANNELS,
    NETWORK,
    Draft,
    Pack,
    Pointer,
    build_of,
    every_port,
    path_of,
    policy_place,
    tidy,
)
from loopwright.agents.designspec.offline.intents.spots import carry_ports, face_of
from loopwright.agents.designspec.patches.tree import element_name, split_pointer

Value = float | bool | str
POLICY_LENGTHS = {
    "min_wall_mm": ("validity", "min_feature_size", 2e-4),
    "clearance_mm": ("collision", "collision_clearance", 1e-4),
    "min_channel_diameter_mm": ("resolution", "min_channel_diameter", 2e-4),
}
"""Lengths of policies that have a short path: policy, field, and what holds where nothing is said (m)."""


@dataclass(frozen=True)
class Setting:
    """A path with its value now (None: not one value), and the places that it writes with their factor."""

    path: str
    value: Value | None
    places: tuple[tuple[Pointer, float], ...] = ()
    body: str = ""
    """The domain that is resized: its ports go along."""
    axis: str = ""


def settings(draft: Draft) -> Iterator[Setting]:
    """Every short path of the document as it is."""
    per_mm = 1e-3 / draft.metres_per_unit
    for name, domain in draft.domains.items():
        yield from _of_domain(name, domain, per_mm)
    for index, component in enumerate(draft.components):
        yield from _of_component(draft, index, str(component.get("id")), per_mm)
    for path, (policy, field, default) in POLICY_LENGTHS.items():
        place = ("policies", policy, field)
        found = draft.get(*place)
        stored = found if isinstance(found, int | float) else draft.units(default)
        yield Setting(path, tidy(stored / per_mm), ((place, per_mm),))


def set_value(draft: Draft, path: str, value: Value) -> None:
    """Write a value at a path; one that does not exist is refused with the nearest that do.

    Args:
        draft: what is proposed.
        path: a short path, or a JSON Pointer in which names may stand for indices.
        value: a length in mm wherever the place holds a length.
    """
    known = {each.path: each for each in settings(draft)}
    chosen = known.get(path)
    if chosen is not None:
        _set_short(draft, chosen, value)
    elif path.startswith("/"):
        _set_pointer(draft, path, value)
    else:
        near = difflib.get_close_matches(path, known, 4, 0.4) or list(known)[:12]
        draft.refused.append(f"There is no path {path!r}. Near it: {', '.join(near)}.")


def _of_domain(name: str, domain: Any, per_mm: float) -> Iterator[Setting]:
    kind = domain.get("type")
    if kind == "box":
        for axis in "xyz":
            size = domain[f"{axis}_max"] - domain[f"{axis}_min"]
            yield Setting(f"{name}.{axis}_mm", tidy(size / per_mm), (), name, axis)
    fields = {"cylinder": ("radius", "height"), "sphere": ("radius",), "capsule": ("radius", "length")}
    for field in fields.get(kind, ()):
        half = field == "radius"
        factor = per_mm / 2 if half else per_mm
        path = f"{name}.{'diameter' if half else field}_mm"
        yield Setting(path, tidy(domain[field] / factor), ((("domains", name, field), factor),), name)


def _of_component(draft: Draft, index: int, name: str, per_mm: float) -> Iterator[Setting]:
    half = per_mm / 2
    own = [each for each in every_port(draft, lambda *_: True) if each[0] == index]
    places = tuple((("components", index, "ports", role, number, "radius"), half) for _, role, number, _ in own)
    sizes = {tidy(float(port["radius"]) / half) for *_, port in own}
    if places:
        yield Setting(f"{name}.diameter_mm", sizes.pop() if len(sizes) == 1 else None, places)
    for place, (*_, port) in zip(places, own, strict=True):
        yield Setting(f"{name}.{port.get('name')}.diameter_mm", tidy(float(port["radius"]) / half), (place,))
    if build_of(draft, index) == NETWORK:
        policy = policy_place(draft, index)
        tips = draft.get(*policy, "growth", "target_terminals")
        yield Setting(f"{name}.tips", tips, (((*policy, "growth", "target_terminals"), 1.0),))
        end = draft.get(*policy, "radius", "terminal_radius")
        width = tidy(end / half) if isinstance(end, int | float) else None
        yield Setting(f"{name}.tip_diameter_mm", width, (((*policy, "radius", "terminal_radius"), half),))


def _set_short(draft: Draft, setting: Setting, value: Value) -> None:
    if isinstance(value, bool | str) or value <= 0:
        draft.refused.append(f"{setting.path} is a number above 0, not {value!r}.")
        return
    before = draft.body(setting.body) if setting.body else None
    if setting.axis:
        low, high = (draft.get("domains", setting.body, f"{setting.axis}_{end}") for end in ("min", "max"))
        half = value * 1e-3 / draft.metres_per_unit / 2
        changed = [
            draft.set(tidy((low + high) / 2 + sign * half), "domains", setting.body, f"{setting.axis}_{end}")
            for end, sign in (("min", -1), ("max", 1))
        ]
    elif setting.path.endswith(".tips"):
        changed = [draft.set(int(value), *place) for place, _ in setting.places]
    else:
        changed = [draft.set(tidy(value * factor), *place) for place, factor in setting.places]
        _lower_least_channel(draft, setting, value)
    if not any(changed):
        draft.answers.append(f"{setting.path} is {value:g} in the document already")
        return
    was = f" (it was {setting.value:g})" if isinstance(setting.value, int | float) else ""
    draft.told.append(f"set {setting.path} to {value:g}{was}")
    if before is not None:
        carry_ports(draft, setting.body, before)


def _lower_least_channel(draft: Draft, setting: Setting, value: float) -> None:
    """Channels below the smallest printable one would fail the run: the limit goes down with them, and is told."""
    least = draft.get("policies", "resolution", "min_channel_diameter") or draft.units(2e-4)
    wanted = value * 1e-3 / draft.metres_per_unit
    if setting.places and setting.places[0][0][0] == "components" and wanted < least:
        draft.set(tidy(0.9 * wanted), "policies", "resolution", "min_channel_diameter")
        draft.assumed.append(f"the smallest channel diameter is {0.9 * value:g} mm")


def _set_pointer(draft: Draft, path: str, value: Value) -> None:
    """Parts that are missing on the way are made; whether the place exists at all is checked with the whole patch."""
    place: list[str | int] = []
    for token in split_pointer(path):
        here = draft.get(*place)
        if isinstance(here, list) and not token.isdigit():
            named = [number for number, each in enumerate(here) if element_name(each) == token]
            if len(named) != 1:
                names = ", ".join(name for each in here if (name := element_name(each)))
                draft.refused.append(f"{path}: nothing is named {token!r} there. There are: {names or 'none'}.")
                return
            place.append(named[0])
        else:
            place.append(int(token) if isinstance(here, list) else token)
    written: Any = value
    if isinstance(value, int | float) and not isinstance(value, bool):
        written = _in_units(draft, tuple(place), value)
    if draft.set(written, *place):
        draft.told.append(f"set {path} to {value}")
    else:
        draft.answers.append(f"{path} is {value} in the document already")


def _in_units(draft: Draft, place: Pointer, value: float) -> float | int:
    """The number as the document has it: a length comes in mm, all else is as it is."""
    trial = Draft(draft.pack, copy.deepcopy(draft.document))
    trial.set(value, *place)
    power = normalise(trial.document).lengths.get(path_of(place))
    if power is None:
        return int(value) if float(value).is_integer() else value
    return tidy(value * (1e-3 / draft.metres_per_unit) ** power)


# The design in a few lines, in millimetres: what a model is told of it last in each request.

MOST_PORTS, MOST_PATHS, MOST_ISSUES = 8, 30, 3


def tell_design(document: dict[str, Any]) -> str:
    """Bodies, components with their ports, the paths that can be set with their values, and what is incomplete."""
    draft = Draft.of(Pack(spec=document))
    lines = [f"body {name}: {_body(draft, name, domain)}" for name, domain in draft.domains.items()]
    lines += [_component(draft, each) for each in draft.components]
    lines = lines or ["The design is empty."]
    paths = [
        f"{each.path} = {'mixed' if each.value is None else _number(each.value)}"
        for each in settings(draft)
        if each.path.count(".") < 2
    ]
    more = [f"and {len(paths) - MOST_PATHS} more of this kind"] if len(paths) > MOST_PATHS else []
    if draft.domains:
        lines.append("Paths: " + "; ".join([*paths[:MOST_PATHS], *more]))
    issues = [issue for issue in check_document(document).issues if issue.severity == "error" or draft.components]
    lines += [f"Issue: {issue}" for issue in issues[:MOST_ISSUES]]
    return "\n".join(lines)


def _body(draft: Draft, name: str, domain: dict[str, Any]) -> str:
    body = draft.body(name)
    extents = body.extents if body is not None else None
    size = " x ".join(_number(value * draft.metres_per_unit * 1e3) for value in extents) if extents else "unknown"
    return f"{domain.get('type')}, {size} (x, y, z)"


def _component(draft: Draft, component: dict[str, Any]) -> str:
    build = component.get("build") or {}
    kind = (
        "straight channels"
        if build.get("type") == CHANNELS
        else f"network ({build.get('backend') or build.get('type')})"
    )
    body = draft.body(str(component.get("domain_ref")))
    ports = [
        f"{port.get('name')} {role[:-1]} {_place(draft, port, body)}"
        for role in ("inlets", "outlets")
        for port in _shortened((component.get("ports") or {}).get(role) or [])
    ]
    return f"{component.get('id')}: {kind}; " + (", ".join(ports) or "no ports")


def _shortened(ports: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    yield from ports[:MOST_PORTS]
    if len(ports) > MOST_PORTS:
        yield {"name": f"(and {len(ports) - MOST_PORTS} more)", "radius": ports[-1].get("radius", 0)}


def _place(draft: Draft, port: dict[str, Any], body: Body | None) -> str:
    face = face_of(port, body) if body is not None and port.get("position") else None
    width = _number(2e3 * float(port.get("radius") or 0) * draft.metres_per_unit)
    return f"{face or 'anywhere'} {width} wide"


def _number(value: Any) -> str:
    return f"{tidy(value):g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
