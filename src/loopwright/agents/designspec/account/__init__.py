"""The account's checks of this agent: the solid as its user gets it, measured by code that had no part in making it."""

import asyncio
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from loopwright.agents.designspec.account.artifact import (
    CLOSE,
    AbsentArguments,
    Arguments,
    BoxArguments,
    BuiltArguments,
    ChannelArguments,
    FileArguments,
    PortArguments,
    PortTraits,
    ReachArguments,
    Result,
    RoundArguments,
    ScaleArguments,
    TipArguments,
    TogetherArguments,
    WallArguments,
    box,
    ends_of,
    face_of,
    near,
    outside,
    round_body,
    scaled,
    wide,
)
from loopwright.agents.designspec.account.designed import Bore
from loopwright.agents.designspec.account.reading import is_fresh, read_claims, said_something
from loopwright.agents.designspec.account.solid import Channel
from loopwright.kernel.account import AccountKit, Check, Claim, Measured, NotMeasurable

if TYPE_CHECKING:
    from loopwright.kernel.run import AgentRun


# The checks of the account: predicates of the solid that the user has, measured on its mesh file.
#
# What no run has built yet is read in the document as approved where that says it (sizes, ports), and `where` says so.
# What only a mesh can show is not measured without one.
#
# Checks of the channels, ports and ends of a design.


def channels(result: Result, said: ChannelArguments) -> tuple[bool, str]:
    """The channels that are meant have these properties: so many, or one, or all that there are."""
    found, others, own = result.hollows, said.of or ChannelArguments(), _traits(said)
    apart = said.apart_mm is not None or said.centre_to_centre
    if not own and said.count is None and not said.one and not apart:
        raise NotMeasurable("nothing was said that could be measured of a channel")
    count = said.count if said.count is not None else others.count
    least = 1 if said.one or others.one else count
    told = {**_traits(others), **own}
    scores = [sum(_fits(each, *trait, result) for trait in told.items()) for each in found]
    # One hollow that has a property and another that has the next are not the channel with both: the best ones count.
    enough = 0 if least is None else min(sorted(scores)[-max(least, 1) :], default=0)
    meant = [each for each, score in zip(found, scores, strict=True) if score >= enough]
    holds = all(_fits(each, *trait, result) for each in meant for trait in own.items())
    holds = holds and (bool(meant) if said.count is None else len(meant) == said.count)
    value = f"{len(found)} in all: " + "; ".join(_described(each) for each in found[:6]) if found else "no channel"
    if apart:
        far = said.apart_mm if said.apart_mm is not None else others.apart_mm
        if far is None:
            raise NotMeasurable("how far apart was not said")
        holds = holds and _apart(meant, far)
        value += f"; {_nearest(meant):.4g} mm apart, centre to centre"
    return holds and (not said.parallel or _parallel(meant)), value


def ports(result: Result, said: PortArguments) -> tuple[bool, str]:
    """The document has such ports, and the solid, where it was built, is open on their face so often."""
    listed = [port for kind in said.kind.split(" and ") for port in result.ports(kind)]
    others: PortTraits = said.of or said
    wanted_face = said.face or others.face
    chosen = [port for port in listed if wanted_face is None or face_of(port) == wanted_face]
    widths = [2 * float(port.get("radius") or 0) * result.mm for port in chosen]
    count = said.count if said.count is not None or not said.face else others.count
    holds = bool(chosen) and (count is None or len(chosen) == count)
    wanted = wide(said)
    holds = holds and (wanted is None or all(near(width, wanted) for width in widths))
    told = ", ".join(f"{width:.4g}" for width in widths[:6])
    value = f"{len(chosen)} {said.kind}{f' on the {wanted_face}' if wanted_face else ''}, {told or 'none'} mm wide"
    if result.run is not None:
        faces = [face_of(port) for port in chosen]
        opened = [opening.face for each in result.solid.channels for opening in each.openings]
        missing = [face for face in set(faces) if opened.count(face or "") < faces.count(face)]
        holds = holds and not missing
        value += "; the solid is open there" if not missing else f"; the solid is not so often open on the {missing[0]}"
    return holds, value


def tips(result: Result, said: TipArguments) -> tuple[bool, str]:
    """The exported network has so many ends, of this width, and the solid is hollow at each of them."""
    if result.run is None:
        return _asked_for(result, said)
    networks = result.networks()
    ends = [end for network in networks for end in ends_of(network)]
    if not ends:
        return False, "no ends"
    places = np.array([place for place, _ in ends])
    filled = int(result.solid.holds(places).sum())
    widths = [2 * radius for _, radius in ends]
    holds = not filled and (said.count is None or len(ends) == said.count)
    wanted = wide(said)
    holds = holds and (wanted is None or all(near(width, wanted) for width in widths))
    if said.inside:
        away = np.abs(places - np.array(result.middle)) - np.array(result.solid.extents) / 2
        holds = holds and bool((away.max(axis=1) < -1e-6).all())
    if said.from_inlet:
        holds = holds and all(any(n["node_type"] == "inlet" for n in each["nodes"].values()) for each in networks)
    told = f"{len(ends)} ends, {min(widths):.4g} to {max(widths):.4g} mm wide"
    return holds, told + (
        f"; at {filled} of them the solid is not hollow" if filled else "; the solid is hollow at each"
    )


def _asked_for(result: Result, said: TipArguments) -> tuple[bool, str]:
    """What the document asks for where nothing was built: only another number than was said is measured by it."""
    wanted = list(_targets(result))
    if said.count is not None and wanted and sum(wanted) != said.count:
        return False, f"{sum(wanted)} ends in the document"
    if result.document.get("domains") and not result.before and not wanted:
        return False, "no network that branches"
    raise result.unbuilt("there is no network to count in")


def _targets(result: Result) -> Iterator[int]:
    """How many ends the document asks for, network by network."""
    for component in result.components:
        if (component.get("build") or {}).get("type") == "backend_network":
            own = (component.get("policies") or {}).get("growth") or {}
            asked = {**((result.document.get("policies") or {}).get("growth") or {}), **own}.get("target_terminals")
            if isinstance(asked, int):
                yield asked


def reaches(result: Result, said: ReachArguments) -> tuple[bool, str]:
    """One hollow of the solid opens on both faces."""
    opened = [{opening.face for opening in each.openings} for each in result.hollows]
    joined = sum({said.inlet, said.outlet} <= faces for faces in opened)
    return joined > 0, f"{joined} of {len(opened)} hollows open on the {said.inlet} and on the {said.outlet}"


def wall(result: Result, said: WallArguments) -> tuple[bool, str]:
    """Every wall beside straight channels is as thick as that: measured exactly, not sampled."""
    least, place = min(result.solid.walls())
    return least >= said.at_least_mm * (1 - 1e-6), f"least {least:.4g} mm, {place}"


NOT_OF_EACH = {"count", "one", "beside", "of", "parallel", "apart_mm", "centre_to_centre", "every", "times"}
"""What is said of the channels together, or is not a property at all."""


def _traits(said: ChannelArguments) -> dict[str, Any]:
    """What is said of each single channel; channels that are parallel are straight."""
    told = said.model_dump(exclude_none=True, exclude=NOT_OF_EACH)
    return told | ({"straight": True} if said.parallel else {})


def _fits(channel: Channel | Bore, name: str, wanted: Any, result: Result) -> bool:
    if name == "through":
        return channel.through
    if name == "axis":
        return channel.axis == _axis(wanted, result)
    if name in ("from_face", "to_face"):
        return any(opening.face == wanted for opening in channel.openings)
    if name == "at":
        return _centred(channel, result)
    if name == "depth_mm":
        return near(channel.length, wanted)
    factor = {"diameter_mm": 1, "radius_mm": 2}.get(name)  # only a straight bore has widths
    return all(factor is None or near(width, factor * wanted) for width in channel.widths)


def _axis(name: str, result: Result) -> str:
    """The axis of a side. The length is the longest side, the thickness the shortest; the height is z."""
    if name in "xyz":
        return name
    shape, extents = outside(result)
    if name == "height" or (shape == "cylinder" and name in ("length", "thickness")):
        return "z"
    if name == "width":
        flat = extents[:2]
        if near(*flat) or max(flat) < extents[2]:
            raise NotMeasurable("which side is the width was not said")
        return "xy"[flat.index(min(flat))]
    chosen = max(extents) if name in ("long side", "length") else min(extents)
    if sum(near(chosen, each) for each in extents) != 1:
        raise NotMeasurable(f"the body has no single {name}")
    return "xyz"[extents.index(chosen)]


def _centred(channel: Channel | Bore, result: Result) -> bool:
    """Whether the channel's line runs through the middle of the body."""
    middle = np.array(result.middle)
    start, end = channel.line
    way = (end - start) / np.linalg.norm(end - start)
    away = np.linalg.norm(np.cross(middle - start, way))
    return bool(away <= CLOSE * max(outside(result)[1]))


def _nearest(chosen: list[Channel | Bore]) -> float:
    """The least distance between the lines of parallel channels."""
    return min((min(_gaps(each, chosen)) for each in chosen), default=0.0)


def _gaps(one: Channel | Bore, chosen: list[Channel | Bore]) -> list[float]:
    start, end = one.line
    way = (end - start) / np.linalg.norm(end - start)
    gaps = [float(np.linalg.norm(np.cross(each.line[0] - start, way))) for each in chosen if each is not one]
    if not gaps:
        raise NotMeasurable("one channel alone lies apart from none")
    return gaps


def _apart(chosen: list[Channel | Bore], wanted: float) -> bool:
    """Whether each channel is as far as that from the next one, line to line."""
    return _parallel(chosen) and all(near(min(_gaps(each, chosen)), wanted) for each in chosen)


def _parallel(chosen: list[Channel | Bore]) -> bool:
    lines = [end - start for start, end in (each.line for each in chosen)]
    ways = [line / np.linalg.norm(line) for line in lines]
    return len(ways) > 1 and all(abs(float(way @ ways[0])) > 0.999 for way in ways)


def _described(channel: Channel | Bore) -> str:
    ends = "open at both ends" if channel.through else "closed at one end"
    try:
        return f"{channel.widths[1]:.4g} mm wide along {channel.axis or 'no axis'}, {ends}"
    except NotMeasurable as error:
        return f"{len(channel.openings)} openings ({error})"


def absent(result: Result, said: AbsentArguments) -> tuple[bool, str]:
    """The document has none of these, and the solid of a document without any hollow has none."""
    if said.absent in ("inlets", "outlets"):
        return not result.ports(said.absent), f"{len(result.ports(said.absent))} {said.absent}"
    kind = "primitive_channels" if said.absent == "channels" else "backend_network"
    left = [each for each in result.components if (each.get("build") or {}).get("type") == kind]
    if result.run is not None and not result.components and result.solid.channels:
        return False, f"{len(result.solid.channels)} hollows in the solid"
    return not left, f"{len(left)} parts of this kind"


def built(result: Result, said: BuiltArguments) -> tuple[bool, str]:
    """A run has made a solid of the document as it is now."""
    if result.run is None:
        return False, "nothing was built of the design as it is now"
    return True, f"a solid of {result.solid.body.volume():.4g} mm3 with {len(result.solid.channels)} hollows"


def written(result: Result, said: FileArguments) -> tuple[bool, str]:
    """The run has left a file of this format."""
    if result.run is None:
        raise result.unbuilt("there are no files of it")
    found = [path for path in sorted(result.run.rglob(f"*.{said.format}")) if path.stat().st_size > 0]
    return bool(found), ", ".join(path.name for path in found[:4]) or "no such file"


def together(result: Result, said: TogetherArguments) -> tuple[bool, str]:
    """Each of several things that one statement says is so."""
    found = [verdict(result, Claim(check=each.check, arguments=each.arguments)) for each in said.every]
    return all(holds for holds, _ in found), "; ".join(value for _, value in found)


def verdict(result: Result, claim: Claim) -> tuple[bool, str]:
    """What a claim's check finds in a result.

    Raises:
        NotMeasurable: it cannot tell.
        NothingThereYet: there is no result at all.
    """
    look, arguments = LOOKS[claim.check]
    return look(result, arguments.model_validate(claim.arguments))


Look = Callable[[Result, Any], tuple[bool, str]]
LOOKS: dict[str, tuple[Look, type[Arguments]]] = {
    "box": (box, BoxArguments),
    "round_body": (round_body, RoundArguments),
    "channels": (channels, ChannelArguments),
    "ports": (ports, PortArguments),
    "tips": (tips, TipArguments),
    "reaches": (reaches, ReachArguments),
    "wall": (wall, WallArguments),
    "scaled": (scaled, ScaleArguments),
    "absent": (absent, AbsentArguments),
    "built": (built, BuiltArguments),
    "written": (written, FileArguments),
    "together": (together, TogetherArguments),
}
"""How each check looks at a result, and what it is told."""


def _check(name: str, *about: str) -> Check:
    """The check of a function that reads files: it works in a thread, for large meshes take their time."""
    look, arguments = LOOKS[name]

    async def measure(run: "AgentRun", said: Any) -> Measured:
        return await asyncio.to_thread(_measured, Result(run.output_dir, before=not_begun(run)), said)

    def _measured(result: Result, said: Any) -> Measured:
        holds, value = look(result, said)
        return Measured(holds, value, result.where, result.digest)

    return Check(name, arguments, measure, about)


def not_begun(run: "AgentRun") -> bool:
    """Whether nothing has been answered or done in the run yet."""
    return run.state.last_response is None and not run.state.actions


WIDTHS = {"diameter_mm", "radius_mm", "times"}
NOT_WIDTHS = tuple(name for name in ChannelArguments.model_fields if name not in WIDTHS | {"one", "of", "every"})
"""What says which channels are meant: a later width of the same ones takes the place of the earlier."""
BODY = "body"
"""No argument has this name: whatever is claimed of the body later takes the place of what was claimed before."""
ABOUT: dict[str, tuple[str, ...]] = {
    "box": (BODY,),
    "round_body": ("measure",),
    "channels": NOT_WIDTHS,
    "ports": ("kind", "count", "face"),
    "tips": ("diameter_mm", "radius_mm"),
    "wall": (BODY,),
}
CHECKS = tuple(_check(name, *ABOUT.get(name, ())) for name in LOOKS)
"""Every check that a statement may become a claim of."""


# Everything that the kernel needs.

ACCOUNT = AccountKit(checks=CHECKS, read=read_claims, fresh=is_fresh, applies=said_something)
"""What the kernel needs to settle what users say of a design."""
