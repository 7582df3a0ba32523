"""From what a user said of a solid to claims that can be measured; a statement with unknown words stays unread."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loopwright.agents.designspec.account.artifact import Result, face_of, outside
from loopwright.agents.designspec.account.vocabulary import (
    BODIES,
    FORMATS,
    THINGS,
    Said,
    left_over,
    named,
    pieces_of,
    said_in,
    says,
)
from loopwright.kernel.account import Claim, Declined, NothingThereYet, NotMeasurable, Reading, Statement

if TYPE_CHECKING:
    from loopwright.kernel.run import AgentRun


# Claims of the body: its shape, its sides, and what a change of one of them comes to.

_SIDE_OF = {"high": "z", "thick": "z"}
_BY = re.compile(r"\b(?:by|um)\b", re.I)
_NEW = re.compile(r"\b(?:an?|eine?[nmrs]?|another|new)\b(?! (?:little|bit))", re.I)


def claim_of_body(said: Said) -> Claim | None:
    """The claim that a new body is so large, or of this shape."""
    if said.faces or said.count is not None or said.change or said.times is not None or said.way:
        return None
    if not said.lengths:
        shape = {"cube": "box"}.get(said.thing, said.thing)
        return Claim(check="box" if shape == "box" else "round_body", arguments={"shape": shape}) if said.own else None
    if said.thing in ("box", "cube") and len(said.lengths) == 3:
        return Claim(check="box", arguments=dict(zip(("x_mm", "y_mm", "z_mm"), said.lengths, strict=True)))
    if said.length is None:
        return None
    if said.thing == "cube" and set(said.measures) <= {"side", "height"}:
        return Claim(check="box", arguments=dict.fromkeys(("x_mm", "y_mm", "z_mm"), said.length))
    if said.thing == "box":
        side = said.sides[0] if len(said.sides) == 1 else ""
        return Claim(check="box", arguments={f"{side}_mm": said.length}) if side else None
    if len(said.measures) > 1:
        return None
    known = {"cylinder": ("radius", "diameter", "height"), "sphere": ("radius", "diameter")}.get(said.thing, ())
    measure = said.measures[0] if said.measures else "diameter" if said.thing == "sphere" else ""
    told = {"shape": said.thing, "measure": measure, f"{measure}_mm": said.length}
    return Claim(check="round_body", arguments=told) if measure in known else None


def claim_of_change(said: Said, result: Result) -> Claim | None:
    """What a new size of the body that there is comes to: all its sides, of which one is another."""
    if said.thing not in ("", *BODIES) or said.faces or said.count is not None or said.percent is not None:
        return None
    if len(said.lengths) == 3 and not said.own and not said.thing and result.body is not None:
        return Claim(check="box", arguments=dict(zip(("x_mm", "y_mm", "z_mm"), said.lengths, strict=True)))
    if _NEW.search(said.text) or len(said.lengths) > 1 or (said.times is not None and said.lengths):
        return None
    side = said.change or (said.sides[0] if len(said.sides) == 1 else "")
    if not side or len(said.sides) > 1 or not (said.lengths or said.times is not None):
        return None
    try:
        shape, extents = outside(result)
    except (NotMeasurable, NothingThereYet, KeyError):
        return None
    axis = side_axis(side, shape, extents)
    if axis is None:
        return None
    told: dict[str, Any] = {}
    old = extents["xyz".index(axis)]
    if said.times is not None:
        new, told = old * said.times, {"times": said.times}
    elif said.change or (_BY.search(said.text) and says(said.text, "less") != says(said.text, "more")):
        less, by = says(said.text, "less"), said.lengths[0]
        new, told = old + (-by if less else by), {"by_mm": by, "relation": "less" if less else "more"}
    else:
        new = said.lengths[0]
    return _resized(shape, extents, axis, new, told) if new > 0 else None


def side_axis(side: str, shape: str, extents: tuple[float, float, float]) -> str | None:
    """The axis of a side that is named: height is z, and of what lies flat the length is the longer one."""
    if side in _SIDE_OF:
        return _SIDE_OF[side]
    if shape == "cylinder" and side == "long":
        return "z"
    if shape != "box" or abs(extents[0] - extents[1]) < 1e-9:
        return None
    longer, other = ("x", "y") if extents[0] > extents[1] else ("y", "x")
    return longer if side == "long" else other if side == "wide" else None


def _resized(
    shape: str, extents: tuple[float, float, float], axis: str, new: float, told: Mapping[str, Any]
) -> Claim | None:
    sides = {f"{name}_mm": round(value, 9) for name, value in zip("xyz", extents, strict=True)}
    sides[f"{axis}_mm"] = round(new, 9)
    if shape == "box":
        return Claim(check="box", arguments={**sides, **told})
    if shape == "cylinder" and axis == "z":
        sizes = {"measure": "height", "diameter_mm": sides["x_mm"], "height_mm": sides["z_mm"]}
        return Claim(check="round_body", arguments={"shape": shape, **sizes, **told})
    return None


# What no operation can make, by the words that ask for it, and why.

_IMPOSSIBLE = (
    (
        r"(?P<named>step|stp|iges|igs|obj|dxf|dwg|amf|ply|sldprt|fcstd)",
        r"\b(?:export\w*|save|write|as|als|file|datei|speicher\w*)\b",
        "There is no {named} export; a run writes STL, 3MF, GLB, GraphML and JSON.",
    ),
    (
        r"(?P<named>fillet\w*|chamfer\w*|bevel\w*|rounded|round (?:off|all|the)|abrund\w*|abgerundet\w*|fase[n]?)",
        "",
        "Edges stay sharp here: there are no fillets and no chamfers.",
    ),
    (
        r"(?P<named>spirals?|helix|helical|coiled|wendel\w*|spiralförmig\w*)",
        "",
        "Channels here are straight, branch or meander; spirals are not drawn.",
    ),
    (
        r"(?P<named>thread\w*|screws?|gears?|engrav\w*|emboss\w*|logo|lettering|gewinde\w*|zahnrad\w*|gravur\w*)",
        "",
        "There are bodies and channels here, no threads, gears or lettering.",
    ),
    (
        r"(?P<named>materials?|steel|alumini?um|titanium|resin|nylon|colou?red|paint\w*|stahl|werkstoff\w*)",
        "",
        "Materials and colours are not part of a design here.",
    ),
)
"""What no operation can do: the word that names it, what must stand beside it, and the reason."""


def impossible(said: Said) -> Declined | None:
    """What no operation can do, and why."""
    for words, beside, reason in _IMPOSSIBLE:
        wanted = re.search(rf"\b{words}\b", said.text, re.I)
        if wanted is not None and (not beside or re.search(beside, said.text, re.I)):
            return Declined(reason.format(named=wanted["named"].upper()))
    return None


# Claims that come of one noun phrase: each also names what the others say of the same channels or ports.

NOT_OF_ONE = ("kind", "beside")
"""What every claim of a phrase has for itself."""
_ONE = re.compile(rf"\b(?:an?|eine?[nmrs]?)\s+(?:[\w.,-]+\s+){{0,4}}?(?:{THINGS['channel']})(?<!s)(?!\w)", re.I)
_ONE_OF_THEM = re.compile(r"(?:one|eine[rs]?)\b", re.I)


def means_one(text: str) -> bool:
    """Whether a statement speaks of one channel among those that there may be."""
    return bool(_ONE.search(text)) or bool(_ONE_OF_THEM.match(text))


def begins_anew(text: str) -> bool:
    """Whether a statement that names no thing speaks of one of those that were named: "one along x"."""
    return bool(_ONE_OF_THEM.match(text))


def joined(claims: Sequence[Claim]) -> list[Claim] | None:
    """The claims of one phrase, each with what the others say; None where two contradict each other."""
    together: dict[str, Any] = {}
    for claim in claims:
        for name, value in claim.arguments.items():
            if together.setdefault(name, value) != value:
                return None
    made = []
    for claim in claims:
        others = {name: value for name, value in together.items() if name not in claim.arguments}
        of = {name: value for name, value in others.items() if name not in NOT_OF_ONE}
        made.append(claim.model_copy(update={"arguments": claim.arguments | ({"of": of} if of else {})}))
    return made


_AXIS = re.compile(r"(?:along|entlang(?: der)?|in|about)\s+(?:the\s+)?([xyz])\b(?:[- ](?:axis|achse))?", re.I)
_NEGATED = re.compile(r"\b(?:no|not|without|never|none|kein\w*|nicht|ohne|don't)\b", re.I)
_CHANGING = re.compile(
    r"(?:please |now |also )?(?:increase|decrease|reduce|raise|lower|enlarge|extend|set|change|erhöhe|verringere|"
    r"vergrößere|verkleinere|verlängere|setze?)\b",
    re.I,
)
_BY_HOW_MUCH = re.compile(r"(?:by|to|um|auf)\b", re.I)
_POLITE = re.compile(r"^(?:could|can|would|will) (?:you|we)\b|^(?:kannst|könntest|könnten) (?:du|sie)\b", re.I)
_RUN = re.compile(
    r"(?:please )?(?:run|build|simulate|execute) (?:it|this|the (?:whole )?(?:pipeline|design|part))", re.I
)
_REMOVING = re.compile(r"\b(?:remove|delete|entferne|lösche)\b", re.I)
_REMOVED = {"channel": "channels", "tree": "network", "inlet": "inlets", "outlet": "outlets"}
_PORTS = {"inlet": "inlets", "outlet": "outlets", "ports": "inlets and outlets"}
_OF_CHANNELS = {"radius_mm", "diameter_mm", "depth_mm", "apart_mm"}


def said_something(run: "AgentRun") -> bool:
    """Whether the user said something in their own words; a run of the pipeline that they chose outright is none."""
    return not run.state.options.get("run_plan")


async def is_fresh(run: "AgentRun") -> bool:
    """Whether there is nothing yet that could be measured."""
    return Result(run.output_dir, before=True).fresh


async def read_claims(run: "AgentRun", statements: Sequence[Statement]) -> Mapping[str, Reading]:
    """The claims that statements make of the solid, by their ids; what cannot be measured is left out."""
    return read_in(run.output_dir, statements)


def read_in(folder: Path, statements: Sequence[Statement]) -> dict[str, Reading]:
    """As `read_claims`, for a project's folder.

    Args:
        folder: the project as it is before the work: what "20 % thinner" comes to is worked out from it.
        statements: of one message, in their order: "1 mm wide" is about the thing that was named before it.
    """
    result = Result(folder)
    every = set(named(THINGS, " ".join(statement.text for statement in statements)))
    found: dict[tuple[str, int], Reading] = {}
    phrases: list[list[tuple[str, int]]] = [[]]
    bodies: list[tuple[str, int]] = []
    thing, counts, where, seen = "", {}, {}, set()
    only_body = next(iter(every & set(BODIES)), "") if len(every & {*BODIES}) == 1 else ""
    for statement, told in zip(statements, _changes(statements), strict=True):
        pieces = pieces_of(told)
        counts[statement.id] = len(pieces)
        for number, text in enumerate(pieces):
            said = said_in(text, thing)
            seen |= {thing}
            if not said.own and not said.faces and thing in _PORTS and {"inlet", "outlet"} <= seen:
                said = replace(said, thing="ports")  # "an inlet on top and an outlet on the bottom, 1 mm wide": both
            if not said.thing and only_body and said.sides:
                said = replace(said, thing=only_body)  # "a 60 mm long and 5 mm thick plate"
            thing = said.thing
            if thing in ("inlet", "outlet") and len(said.faces) == 1:
                where[thing] = said.faces[0]
            if said.own or begins_anew(said.text):
                phrases.append([])
            if not said.thing and "channel" in every and _runs(said):
                said = replace(said, thing="channel")  # only a channel runs along an axis, or all the way through
            asks = statement.kind == "question" and not _POLITE.match(statement.text.strip())
            if asks or _NEGATED.search(said.text):
                if not asks and (none := _none_of(said)):
                    found[statement.id, number] = none
                continue
            reading = impossible(said) or _joined(said, result, where) or _claim(said, result)
            if reading is None:
                continue
            found[statement.id, number] = reading
            if not isinstance(reading, Claim):
                continue
            if said.thing == thing != "ports" and reading.check in ("channels", "ports"):
                phrases[-1].append((statement.id, number))
            if reading.check == "box" and said.thing == "box":
                bodies.append((statement.id, number))
    for phrase in [*phrases, bodies]:
        claims = [each for key in phrase if isinstance(each := found.pop(key), Claim)]
        found |= dict(zip(phrase, joined(claims) or (), strict=False))
    return {key: whole for key, many in counts.items() if (whole := _whole(found, key, many)) is not None}


def _changes(statements: Sequence[Statement]) -> list[str]:
    """The texts of statements; "Increase the height" and "by 5 mm" behind it say one thing together."""
    texts = [statement.text for statement in statements]
    for number, (first, second) in enumerate(pairwise(texts)):
        if _CHANGING.match(first) and _BY_HOW_MUCH.match(second):
            texts[number] = texts[number + 1] = f"{first} {second}"
    return texts


def _none_of(said: Said) -> Claim | None:
    """That there is nothing of a kind: "no holes"."""
    bare = said.own and said.thing in _REMOVED and not (said.lengths or said.faces or said.count is not None)
    bare = bare and not said.way and not _AXIS.search(said.text)
    rest = left_over(_NEGATED.sub(" ", said.text)).lower().split()
    return _of("absent", {"absent": _REMOVED[said.thing]}) if bare and not rest else None


def _whole(found: Mapping[tuple[str, int], Reading], key: str, count: int) -> Reading | None:
    """The reading of a statement out of those of its pieces; none where one of them is not understood."""
    read = [found.get((key, number)) for number in range(count)]
    claims = [each for each in read if isinstance(each, Claim)]
    if len(read) == 1 or not claims:
        return next((each for each in read if each is not None), None)
    if len(claims) < len(read):
        return None
    return _of("together", {"every": [{"check": each.check, "arguments": each.arguments} for each in claims]})


def _runs(said: Said) -> bool:
    """Whether a statement without a thing or a size of its own says how channels run."""
    bare = not said.own and not said.lengths and said.count is None and said.percent is None
    return bare and (says(said.text, "through") or bool(_AXIS.search(said.text)))


def _claim(said: Said, result: Result) -> Claim | None:
    if _RUN.fullmatch(said.text.strip()):
        return _of("built", {"run": True})
    format_ = next((name for name in FORMATS if re.search(rf"\b{name}\b", said.text, re.I)), None)
    if format_ is not None:
        rest = left_over(re.sub(rf"\b{format_}\b", " ", said.text, flags=re.I))
        return None if rest or said.own else _of("written", {"format": format_})
    removing = _REMOVING.search(said.text)
    if left_over(_REMOVING.sub(" ", said.text)):
        return None
    if removing:
        bare = said.own and said.thing in _REMOVED and not (said.lengths or said.faces or said.count is not None)
        return _of("absent", {"absent": _REMOVED[said.thing]}) if bare else None
    if said.percent is not None:
        return _scaled(said, result)
    if changed := claim_of_change(said, result):
        return changed
    if said.thing in BODIES:
        return claim_of_body(said)
    if said.thing == "channel":
        return _channels(said, result)
    if said.thing in _PORTS:
        return _ports(said)
    if said.thing in ("tip", "tree"):
        return _tips(said)
    if said.thing == "wall" and says(said.text, "least") and said.length is not None:
        return _of("wall", {"at_least_mm": said.length})
    return None


def _tips(said: Said) -> Claim | None:
    """Ends of a network; of a tree without a number only that it branches, from where."""
    sized = said.sized("diameter")
    if sized is None or not {"diameter_mm", "radius_mm"} >= set(sized) or said.faces:
        return None
    told: dict[str, Any] = {} if said.count is None or sized else {"count": said.count}
    told |= {"inside": True} if said.inside else {}
    told |= {"from_inlet": True} if said.from_inlet else {}
    told |= {"branching": True} if said.thing == "tree" else {}
    return _of("tips", {**told, **sized}) if told or sized else None


def _channels(said: Said, result: Result) -> Claim | None:
    if said.times is not None:
        return _widened(said, result)
    sized = {"apart_mm": said.length} if said.apart and said.length is not None else said.sized("diameter")
    if sized is None or len(said.measures) > 1 or said.change or not set(sized) <= _OF_CHANNELS:
        return None
    axis = _AXIS.search(said.text)
    told: dict[str, Any] = dict(sized)
    told |= {"every": True} if said.every else {}
    told |= {"axis": said.way} if said.way else {}
    told |= {"centre_to_centre": True} if said.centres else {}
    told |= {name: True for name in ("through", "straight", "parallel") if says(said.text, name)}
    told |= {"axis": axis[1].lower()} if axis else {}
    told |= {"at": "centre"} if says(said.text, "centre") else {}
    told |= {"count": said.count} if said.count is not None else {}
    told |= dict(zip(("from_face", "to_face"), said.faces, strict=False))
    if len(said.faces) == 2:
        told["through"] = True
    if said.count is None and means_one(said.text):
        if result.components and not told:
            return None  # one more than there are: nothing here counts what was added
        told |= {"one": True} | ({"beside": len(result.components)} if result.components else {})
    return _of("channels", told) if len(said.faces) <= 2 and told else None


def _widened(said: Said, result: Result) -> Claim | None:
    """Channels that become so many times as wide as they are."""
    before = _before("channel diameter", result)
    if before is None or said.times is None or said.lengths or said.count is not None:
        return None
    return _of("channels", {"diameter_mm": round(before * said.times, 9), "times": said.times})


def _ports(said: Said) -> Claim | None:
    sized = said.sized("diameter")
    if sized is None or len(said.faces) > 1 or not {"radius_mm", "diameter_mm"} >= set(sized):
        return None
    told: dict[str, Any] = {"face": said.faces[0]} if said.faces else {}
    count = {"count": said.count} if said.count is not None else {}
    told |= {"every": True} if said.every else {}
    return _of("ports", {"kind": _PORTS[said.thing], **count, **told, **sized}) if told or count or sized else None


def _joined(said: Said, result: Result, where: Mapping[str, str]) -> Claim | None:
    """That inlet and outlet are one hollow: on the faces that the message names, or where the document has them."""
    if said.thing not in ("ports", "channel", "inlet", "outlet") or not says(said.text, "joins"):
        return None
    if said.lengths or said.count is not None or said.faces or left_over(said.text):
        return None
    faces = {}
    for kind, listed in (("inlet", "inlets"), ("outlet", "outlets")):
        found = {where[kind]} if kind in where else {face_of(port) for port in result.ports(listed)}
        face = found.pop() if len(found) == 1 else None
        if face is None:
            return None
        faces[kind] = face
    return _of("reaches", faces)


def _scaled(said: Said, result: Result) -> Claim | None:
    """What a change by percent comes to, from the result as it is before the change."""
    less, more = says(said.text, "less"), says(said.text, "more")
    if less == more or said.lengths or said.percent is None:
        return None
    try:
        if said.own and said.thing == "channel":
            measure = "channel diameter"
        elif said.own and said.thing not in BODIES:
            return None
        else:
            measure = side_axis(said.change or next(iter(said.sides), ""), *outside(result)) or ""
        before = _before(measure, result)
    except (NotMeasurable, NothingThereYet, KeyError):
        return None
    if before is None:
        return None
    factor = 1 + (-1 if less else 1) * said.percent / 100
    told = {"measure": measure, "percent": said.percent, "relation": "less" if less else "more"}
    return _of("scaled", {**told, "expected_mm": round(before * factor, 9)}) if factor > 0 else None


def _before(measure: str, result: Result) -> float | None:
    if measure == "channel diameter":
        channels = [each for each in result.components if (each.get("build") or {}).get("type") == "primitive_channels"]
        ports = [port for each in channels for port in (each.get("ports") or {}).get("inlets") or []]
        widths = {round(2 * float(port["radius"]) * result.mm, 9) for port in ports}
        return widths.pop() if len(widths) == 1 else None
    return outside(result)[1]["xyz".index(measure)] if measure else None


def _of(check: str, arguments: dict[str, Any]) -> Claim:
    return Claim(check=check, arguments=arguments)
