"""From typed operations to one patch, planned on a working copy of the document; what does not fit is refused."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from loopwright.agents.designspec.offline.body import OPPOSITE
from loopwright.agents.designspec.offline.draft import CHANNELS, NETWORK, Draft, Pack, new_component, policy_place, tidy
from loopwright.agents.designspec.offline.intents.channels import DrillChannels, face_along
from loopwright.agents.designspec.offline.intents.places import Where
from loopwright.agents.designspec.offline.intents.ports import GrowNetwork, NewPorts, nice
from loopwright.agents.designspec.offline.intents.repairing import UndoChanges, remove_named
from loopwright.agents.designspec.offline.intents.solids import MakeBody, Sizes
from loopwright.agents.designspec.offline.text import Length
from loopwright.agents.designspec.operations import forms
from loopwright.agents.designspec.operations.paths import set_value

# Inlets and outlets of a component, made one hollow: straight across, or by legs that meet in the middle.


def draw(draft: Draft, index: int, steps: list[dict[str, Any]], radius: float) -> None:
    """Let the programmatic backend draw a component; channels thinner than the least printable one lower that limit.

    Args:
        draft: what is proposed.
        index: the component.
        steps: the whole program.
        radius: of its thinnest channel, in the document's units.
    """
    wanted = {"type": NETWORK, "backend": "programmatic", "backend_params": {"steps": steps}}
    draft.set(wanted, "components", index, "build")
    draft.set("programmatic", "components", index, "policies", "growth", "backend")
    draft.set("constant", "components", index, "policies", "radius", "mode")
    least = draft.get("policies", "resolution", "min_channel_diameter") or draft.units(2e-4)
    if 2 * radius < least:
        draft.set(nice(1.8 * radius), "components", index, "policies", "resolution", "min_channel_diameter")


def join_ports(draft: Draft, index: int) -> None:
    """Join all inlets and outlets of a component; refused where a side has none, or the body's middle is unknown."""
    component = draft.components[index]
    ports = component.get("ports") or {}
    inlets, outlets = ports.get("inlets") or [], ports.get("outlets") or []
    body = draft.body(str(component.get("domain_ref")))
    corners = body.corners if body is not None else None
    if not inlets or not outlets or corners is None:
        draft.refused.append(
            f"`{component.get('id')}` needs an inlet and an outlet with a place before they are joined."
        )
        return
    if len(inlets) == len(outlets) and (len(inlets) == 1 or _face_each_other(inlets, outlets)):
        draft.set({"type": CHANNELS}, "components", index, "build")
        draft.set("cylinder", *policy_place(draft, index), "channels", "profile")
        pairs = zip(inlets, outlets, strict=True)
        named = ", ".join(f"`{one['name']}` and `{other['name']}`" for one, other in pairs)
        draft.told.append(f"join {named} by {'a straight channel' if len(inlets) == 1 else 'straight channels'}")
        return
    middle = [tidy((low + high) / 2) for low, high in zip(*corners, strict=True)]
    steps: list[dict[str, Any]] = []
    for inlet in inlets:
        to = {"to": "middle"} if steps else {"to": middle, "id": "middle"}
        steps.append({"op": "route", "from": inlet["name"], **to, **_leg(inlet, middle)})
    connect = {"op": "connect_to_outlet", "from": "middle"}
    steps += [{**connect, "outlet": outlet["name"], **_leg(outlet, middle)} for outlet in outlets]
    draw(draft, index, steps, min(float(port["radius"]) for port in [*inlets, *outlets]))
    names = ", ".join(f"`{port['name']}`" for port in [*inlets, *outlets])
    draft.told.append(f"join {names} by straight channels that meet in the middle of the body")


def _face_each_other(inlets: list[dict[str, Any]], outlets: list[dict[str, Any]]) -> bool:
    """Whether each outlet lies right across from its inlet: then each pair is a channel of its own."""
    for one, other in zip(inlets, outlets, strict=True):
        axis = max(range(3), key=lambda each: abs(float(one["direction"][each])))
        away = [abs(float(a) - float(b)) for a, b in zip(one["position"], other["position"], strict=True)]
        if max(away[:axis] + away[axis + 1 :]) > 1e-9 or away[axis] <= 0:
            return False
    return True


def _leg(port: dict[str, Any], middle: list[float]) -> dict[str, Any]:
    """The way between a port and the middle: straight in from its face first, so that its opening is round."""
    axis = max(range(3), key=lambda each: abs(float(port["direction"][each])))
    foot = [middle[each] if each == axis else float(port["position"][each]) for each in range(3)]
    via = {} if all(abs(a - b) < 1e-9 for a, b in zip(foot, middle, strict=True)) else {"via": [foot]}
    return {"algorithm": "straight", "radius": port["radius"], **via}


Planner = Callable[[Draft, Any], None]
NEEDS_NO_BODY = (forms.AddBox, forms.AddCylinder, forms.AddSphere, forms.SetValue, forms.Undo)
WAYS = {"left to right": "left", "front to back": "front", "top to bottom": "top"}
NO_BODY = "There is no body yet: begin with add_box, add_cylinder or add_sphere."


@dataclass(frozen=True)
class Planned:
    """What operations come to: the patch, what it does in words, what was taken where nothing was said, or why not."""

    patch: list[dict[str, Any]] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def plan_operations(
    document: Mapping[str, Any],
    operations: Sequence[forms.Change | forms.PlainChange],
    history: Sequence[Mapping[str, Any]] = (),
) -> Planned:
    """The patch that carries the operations out, in their order; the first that does not fit ends the planning.

    Args:
        document: as it is stored; it is not changed.
        operations: those that change the design.
        history: earlier changes (`at`, `summary`, `inverse`), which an undo takes back.

    Returns:
        The patch, or the reason for which there is none, in figures.
    """
    draft = Draft.of(Pack(spec=document, history=tuple(history)))
    for number, operation in enumerate(operations, 1):
        if not draft.domains and not isinstance(operation, NEEDS_NO_BODY):
            draft.refused.append(NO_BODY)
        else:
            PLANNERS[type(operation)](draft, operation)
        if draft.questions:
            draft.refused.append(draft.questions[0].question)
        if draft.refused:
            where = f"operations[{number - 1}] {operation.op}: "
            return Planned(refused=[where + " ".join(draft.refused)])
    told = [*draft.told, *draft.answers]
    if not draft.patch and operations:
        return Planned(refused=["Nothing would change in the document. " + " ".join(told)])
    return Planned(draft.patch, told, draft.assumed)


def _mm(value: float) -> Length:
    return Length(value / 1e3, f"{value:g} mm")


def _box(draft: Draft, form: forms.AddBox) -> None:
    MakeBody("box", Sizes(dimensions=(_mm(form.x_mm), _mm(form.y_mm), _mm(form.z_mm)))).plan(draft)


def _cylinder(draft: Draft, form: forms.AddCylinder) -> None:
    labelled = {"diameter": _mm(form.diameter_mm), "height": _mm(form.height_mm)}
    MakeBody("cylinder", Sizes(labelled=labelled)).plan(draft)


def _sphere(draft: Draft, form: forms.AddSphere) -> None:
    MakeBody("sphere", Sizes(labelled={"diameter": _mm(form.diameter_mm)})).plan(draft)


def _channels(draft: Draft, form: forms.AddChannels) -> None:
    if OPPOSITE[form.from_face] != form.to_face:
        draft.refused.append(
            f"{form.from_face} and {form.to_face} do not lie across from each other: straight channels from "
            f"{form.from_face} end on {OPPOSITE[form.from_face]}. For a bend use add_ports and connect."
        )
        return
    _drill(draft, form.count, form.from_face, form.diameter_mm, through=True)


def _plain_channels(draft: Draft, form: forms.Drill) -> None:
    """Channels whose way is told by one word: faces, or a side of the body."""
    face = WAYS.get(form.along)
    if face is None:
        face = face_along(draft, {"length": "long", "thickness": "short"}.get(form.along, form.along))
    if face:
        apart = _mm(form.apart_mm) if form.apart_mm and form.count > 1 else None
        where = Where(face=face, apart=apart, pattern="row" if apart else "")
        _drill_at(draft, form.count, where, form.diameter_mm, through=True)


def _join(draft: Draft, form: forms.Join) -> None:
    """The newest component that has ports of both kinds and is not drawn yet."""
    for index in reversed(range(len(draft.components))):
        build, ports = draft.components[index].get("build") or {}, draft.components[index].get("ports") or {}
        if build.get("type") == NETWORK and not build.get("backend_params") and ports.get("outlets"):
            join_ports(draft, index)
            return
    draft.refused.append("There are no new inlets and outlets to join; begin with add_ports.")


def _blind_channels(draft: Draft, form: forms.AddBlindChannels) -> None:
    _drill(draft, form.count, form.face, form.diameter_mm, deep=_mm(form.depth_mm))


def _drill(draft: Draft, count: int, face: str, diameter: float, **how: Any) -> None:
    _drill_at(draft, count, Where(face=face), diameter, **how)


def _drill_at(draft: Draft, count: int, where: Where, diameter: float, **how: Any) -> None:
    """A new component, so that channels that are there keep what they are."""
    index = new_component(draft, "channels", {"type": CHANNELS})
    if index is None:
        return
    name = str(draft.get("components", index, "id"))
    DrillChannels(count, where, _mm(diameter / 2), clause=name, **how).plan(draft)


def _ports(draft: Draft, form: forms.AddPorts) -> None:
    networks = [each for each in draft.components if (each.get("build") or {}).get("type") == NETWORK]
    if not networks:
        new_component(draft, "net", {"type": NETWORK, "backend": "scaffold_topdown"})
        networks = draft.components[-1:]
    clause = str(networks[-1]["id"])
    NewPorts(f"{form.kind}s", form.count, Where(face=form.face), _mm(form.diameter_mm / 2), clause=clause).plan(draft)


def _grow(draft: Draft, form: forms.Grow) -> None:
    backend = "scaffold_topdown" if form.kind == "tree" else form.kind
    GrowNetwork(backend, form.tips, None, 2, "").plan(draft)


def _connect(draft: Draft, form: forms.Connect) -> None:
    """A straight channel between two ports of one component, by the programmatic backend."""
    for index, component in enumerate(draft.components):
        ports = component.get("ports") or {}
        names = [{port.get("name") for port in ports.get(role) or []} for role in ("inlets", "outlets")]
        if form.inlet not in names[0] or form.outlet not in names[1]:
            continue
        build, known = component.get("build") or {}, []
        if build.get("backend") == "programmatic":
            known = list((build.get("backend_params") or {}).get("steps") or [])
        elif build.get("backend_params") or build.get("type") != NETWORK:
            draft.refused.append(f"`{component['id']}` is grown or drilled already; connect needs ports of their own.")
            return
        radius = draft.units(_mm(form.diameter_mm / 2))
        step = {"op": "connect_to_outlet", "from": form.inlet, "outlet": form.outlet, "algorithm": "straight"}
        steps = [*known, step | {"radius": radius}]
        draw(draft, index, steps, radius)
        draft.told.append(f"connect `{form.inlet}` and `{form.outlet}`, {draft.show(tidy(2 * radius))} in diameter")
        return
    inlets, outlets = (
        ", ".join(
            str(port.get("name")) for each in draft.components for port in (each.get("ports") or {}).get(role) or []
        )
        for role in ("inlets", "outlets")
    )
    draft.refused.append(
        f"No component has both the inlet {form.inlet!r} and the outlet {form.outlet!r}. "
        f"Inlets: {inlets or 'none'}. Outlets: {outlets or 'none'}."
    )


def _set(draft: Draft, form: forms.SetValue) -> None:
    set_value(draft, form.path, form.value)


def _remove(draft: Draft, form: forms.Remove) -> None:
    remove_named(draft, form.name)


def _undo(draft: Draft, form: forms.Undo) -> None:
    UndoChanges(form.changes).plan(draft)


PLANNERS: Mapping[type, Planner] = {
    forms.AddBox: _box,
    forms.AddCylinder: _cylinder,
    forms.AddSphere: _sphere,
    forms.AddChannels: _channels,
    forms.AddBlindChannels: _blind_channels,
    forms.Drill: _plain_channels,
    forms.Join: _join,
    forms.AddPorts: _ports,
    forms.Grow: _grow,
    forms.Connect: _connect,
    forms.SetValue: _set,
    forms.Remove: _remove,
    forms.Undo: _undo,
}
