"""How a small model describes a design that does not exist yet: one choice of shape, one of what is inside.

Of each field it may only choose what the user's words hold: the lengths, the counts and the faces that were said, read
by code. What a size belongs to is the model's to tell; that one size cannot be two things is checked here, and where
one is missing the user is asked.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, Union

from pydantic import BaseModel, ConfigDict, Field, create_model

from loopwright.agents.designspec.operations import forms
from loopwright.agents.designspec.operations.forms import counts_of, lengths_of
from loopwright.kernel.account.reading import asks_for_work, read_values

# What a small model is offered: the operations that make sense on the design as it is, for what the message says.

SHORT = Annotated[str, Field(max_length=300)]
MOST = 6
"""Operations of an answer: a small model that lists more goes in circles."""
_BLIND = re.compile(r"\b(?:blind|deep|depth|ends? (?:in|with)in|stops?|tief\w*|sackl\w+)\b", re.I)
_THINGS = re.compile(
    r"\b(?:channel|hole|bore|inlet|outlet|opening|kanal|kanäle|loch|löcher|bohrung|einlass|auslass)", re.I
)
SHAPES: tuple[tuple[type[forms.Form], re.Pattern[str]], ...] = tuple(
    (form, re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.I))
    for form, words in (
        (
            forms.AddBox,
            (
                r"box\w*|cubes?|blocks?|cuboids?|bricks?|plates?|slabs?|chips?|bars?|beams?|panels?|tiles?|würfel\w*|"
                r"quader\w*|platten?|leisten?|balken"
            ),
        ),
        (forms.AddCylinder, r"cylinders?|dis[ck]s?|rods?|pucks?|washers?|shafts?|rollers?|pins?|zylinder\w*|scheiben?"),
        (forms.AddSphere, r"spheres?|balls?|kugel\w*"),
    )
)
"""Where a message names a shape, it is offered alone."""
_BODIES = (
    (1, re.compile(r"\b(?:cubes?|spheres?|balls?|würfel\w*|kugel\w*)\b", re.I)),
    (2, re.compile(r"\b(?:cylinders?|dis[ck]s?|rods?|zylinder\w*|scheiben?)\b", re.I)),
)
WHOLE_BOX = 3
_A_SHAPE = re.compile(r"\b(?:an?|eine?n?)\s+(?:\w+\s+){0,2}\w+", re.IGNORECASE)
"""Where there is a body, "a cylinder" is another one, "the cylinder" the one that is there."""
_ADDING = re.compile(
    r"\b(?:add|another|more|second|third|additional|extra|also|new|as well|drill|hinzu|weitere\w*|noch|zusätzlich\w*|"
    r"neue\w*|bohre)\b|\b(?:make|put|give|needs?|with|insert|mach\w*|setze?|füge?)\b[^.;]*\b(?:an?|one|two|three|"
    r"four|five|six|\d+(?! ?(?:mm|cm))|eine?n?|zwei|drei|vier)\s+(?:\w+ ){0,3}(?:channel|hole|bore|inlet|outlet|"
    r"opening|kan[aä]l|loch|löcher|bohrung|einl|ausl)",
    re.IGNORECASE,
)
"""A message that asks for something beside what is there; any other changes it."""


def offered(document: dict[str, Any], message: str) -> tuple[type[forms.Form], ...]:
    """The operations, in the order in which they are told.

    Args:
        document: as it is stored.
        message: the user's last one.
    """
    bodies, components = document.get("domains"), document.get("components")
    ports = [port for each in components or [] for kind in ("inlets", "outlets") for port in _ports(each, kind)]
    joined = ports or re.search(r"\b(?:inlet|outlet|port|opening|einlass|auslass)", message, re.I)
    told = " ".join(found[0] for found in _A_SHAPE.finditer(message)) if bodies else message
    named = [form for form, words in SHAPES if words.search(told)]
    found: list[type[forms.Form]] = [*(named or ([] if bodies else [form for form, _ in SHAPES]))]
    if not components or _ADDING.search(message):
        found += [forms.Drill]
        found += [forms.AddBlindChannels] if _BLIND.search(message) else []
        found += [forms.AddPorts, forms.Grow]
        found += [forms.Join] if joined else []
    if bodies:
        found += [forms.SetValue, forms.Remove, forms.Undo, forms.Run]
    return tuple(found if _sized(bool(bodies), message) else [*found, forms.Ask])


def _ports(component: Any, kind: str) -> list[Any]:
    return list((component.get("ports") or {}).get(kind) or []) if isinstance(component, dict) else []


def _sized(body: bool, message: str) -> bool:
    """Whether the message has so many lengths that none can be missing: there is nothing to ask then."""
    said = sum(value.type == "length" for value in read_values(message))
    wanted = 0 if body else next((size for size, words in _BODIES if words.search(message)), WHOLE_BOX)
    return said > 0 and said >= wanted + bool(_THINGS.search(message))


@cache
def answer_of(operations: tuple[type[forms.Form], ...], paths: tuple[str, ...] = ()) -> type[BaseModel]:
    """The schema of an answer with these operations; a new value is for one of these paths."""
    choice: Any = Literal[paths] if paths else str
    known = create_model("SetValue", __base__=forms.SetValue, path=(choice, ...)) if paths else forms.SetValue
    members = tuple(known if form is forms.SetValue else form for form in operations)
    one: Any = Union[members]  # noqa: UP007 - the members are known only now
    return create_model(
        "PlainAnswer",
        __base__=forms.Form,
        operations=(Annotated[list[one], Field(max_length=MOST)], ...),
        assistant_message=(SHORT, ...),
    )


# What a user's words hold of a part: sizes, counts, faces, directions, shapes, and what may be inside.

STRAIGHT, JOINED, BRANCHING, NOTHING = "straight holes", "inlets and outlets", "branching", "nothing"
_FACES: Mapping[str, str] = {
    "left": r"left|links|linke[nrs]?",
    "right": r"right(?! (?:through|across|down|away|now|angles?))|rechts|rechte[nrs]?",
    "front": r"front|vorne?|vordere[nrs]?|vorderseite",
    "back": r"back|rear|hinten|hintere[nrs]?|rückseite",
    "top": r"top|oben|obere[nrs]?|oberseite|above",
    "bottom": r"bottom|underside|unten|untere[nrs]?|unterseite|below",
}
_WAYS: Mapping[str, str] = {
    "left to right": rf"{_FACES['left']}|{_FACES['right']}|x",
    "front to back": rf"{_FACES['front']}|{_FACES['back']}|y",
    "top to bottom": rf"{_FACES['top']}|{_FACES['bottom']}|down(?:wards?)?|vertical(?:ly)?|senkrecht\w*|z",
    "length": r"length(?:wise|ways)?|long (?:side|edge)|längs|länge nach|lange[nr]? seite",
    "width": r"(?:its|the) width|width(?:wise|ways)|crosswise|breite nach|quer",
    "thickness": r"(?:its|the) thickness|dicke",
}
_SIZE_LETTERS = re.compile(
    r"\d[\d.,]*\s*(?:mm|cm|in)?\s*[x×]\s*(?=\d)|(?<=\d)\s*(?:mm|cm)\s+(?:in|along)\s+[xyz]\b(?!-| axis)", re.IGNORECASE
)
"""An x between sizes, and "42 mm in x": these letters say no direction."""
_BY = re.compile(r"\d\s*(?:mm|cm|in)?\s*(?:[x×]|by|mal)\s*\d", re.IGNORECASE)
"""Sizes told as "65 x 35"."""
_CUBE = re.compile(
    r"\b(?:cubes?|cubic|würfel\w*|(?:each|every|all) (?:of its |the |its )?(?:edges?|sides?))\b", re.IGNORECASE
)
_PLATE = re.compile(r"\b(?:plates?|slabs?|sheets?|panels?|tiles?|platten?|kachel\w*)\b", re.IGNORECASE)
_FLOWS = re.compile(
    r"\b(?:inlets?|outlets?|einl[aä]ss\w*|ausl[aä]ss\w*|(?:comes?|flows?|goes|runs?|leads?) (?:in|out|together)|"
    r"enters?|leaves?|connected|joined|verbunden|fließ\w*|zulauf|abl[aä]uf\w*)\b",
    re.IGNORECASE,
)
_LEAVES = re.compile(r"\b(?:outlets?|ausl[aä]ss\w*|(?:comes?|flows?|goes) out|leaves?|abl[aä]uf\w*)\b", re.IGNORECASE)
_BRANCHES = re.compile(
    r"\b(?:branch\w*|split\w*|forks?|tree|tips?|terminals?|verzweig\w*|verästel\w*|baum\w*|spitzen)\b",
    re.IGNORECASE,
)
BLIND = re.compile(r"\b(?:blind|stops?|hollow|shell|pockets?|sackl\w+|hohl\w*)\b", re.IGNORECASE)
"""What is neither a hole right through nor a network: other operations make it."""
APART = re.compile(
    r"\b(?:apart|away from (?:each|one an)other|between (?:the|their)|cent(?:re|er)s?|spac(?:ed|ing)|abstand|"
    r"auseinander)\b",
    re.IGNORECASE,
)
SIDES: Mapping[str, str] = {
    "x": r"long|length|lang|länge",
    "y": r"wide|width|broad|deep|depth|breit|breite|tief|tiefe",
    "z": r"high|height|tall|thick|thickness|hoch|höhe|dick|dicke",
    "diameter": r"diameter|dia|across|radius|durchmesser",
    "height": r"high|height|tall|thick|thickness|long|length|hoch|höhe|dick|dicke|lang|länge",
}
"""The words that name a size of the body."""


@dataclass(frozen=True)
class Said:
    """What the user's words hold."""

    text: str

    @property
    def lengths(self) -> list[float]:
        """The lengths in mm, in their order; one that was said twice stands there twice."""
        return lengths_of(self.text)

    @property
    def sizes(self) -> list[float]:
        """What a size may be: the lengths, and twice each where a radius is spoken of."""
        doubled = [2 * each for each in self.lengths] if re.search(r"\bradi(?:us|en|i)\b", self.text, re.I) else []
        return list(dict.fromkeys([*self.lengths, *doubled]))

    @property
    def counts(self) -> list[int]:
        """The numbers of things, and 1."""
        return sorted({1, *(int(each) for each in counts_of(self.text) if each == int(each) and 0 < each <= 200)})

    @property
    def faces(self) -> list[str]:
        """The faces that are named; all of them where none is."""
        return [face for face, words in _FACES.items() if has_words(words, self.text)] or list(_FACES)

    @property
    def ways(self) -> list[str]:
        """The directions that are named; through a plate its thickness, else from top to bottom, where none is."""
        return self._named_ways or ["thickness" if _PLATE.search(self.text) else "top to bottom"]

    @property
    def says_way(self) -> bool:
        """Whether a direction is named."""
        return bool(self._named_ways) or _PLATE.search(self.text) is not None

    @property
    def _named_ways(self) -> list[str]:
        text = _SIZE_LETTERS.sub(" ", self.text)
        return [way for way, words in _WAYS.items() if has_words(words, text)]

    @property
    def shapes(self) -> list[str]:
        """The shapes that are named; a box where none is and three sides are told, else any."""
        if _CUBE.search(self.text):
            return ["cube"]
        named = [form.__name__.removeprefix("Add").lower() for form, words in SHAPES if words.search(self.text)]
        letters = len(re.findall(r"\d\s*(?:mm|cm)\s+(?:in|along)\s+[xyz]\b", self.text, re.IGNORECASE))
        sides = sum(has_words(SIDES[side], self.text) for side in "xyz")
        return named or (
            ["box"] if _BY.search(self.text) or sides == 3 or letters >= 3 else ["box", "cylinder", "sphere"]
        )

    @property
    def kinds(self) -> list[str]:
        """What may be inside: what flows in and out is not a straight hole, and what flows out does not end inside."""
        if _LEAVES.search(self.text):
            return [JOINED]
        if _BRANCHES.search(self.text) and self.counts != [1]:
            return [BRANCHING]
        return [JOINED, STRAIGHT] if _FLOWS.search(self.text) else [STRAIGHT, NOTHING]


def has_words(words: str, text: str) -> bool:
    """Whether one of the alternatives stands in a text as a whole word."""
    return re.search(rf"(?<![\w-])(?:{words})(?![\w])", text, re.IGNORECASE) is not None


MOST_HOLES = 3
"""Entries of a list: holes of several kinds, inlets of several faces."""
_QUESTIONS = {
    "x": "How long is the body?",
    "y": "How wide is the body?",
    "z": "How high is the body?",
    "diameter": "What is the diameter of the body?",
    "height": "How high is the body?",
    "edge": "How long are the edges of the cube?",
}


class FirstDesign(BaseModel):
    """The answer: a body, and what is inside it."""

    model_config = ConfigDict(extra="forbid")

    body: dict[str, Any]
    inside: dict[str, Any] = Field(default_factory=lambda: {"kind": NOTHING})


def begins(document: Mapping[str, Any], said: Sequence[str]) -> bool:
    """Whether the newest message describes a design that does not exist yet, as this form can hold it.

    Args:
        document: as it is stored.
        said: the user's messages, oldest first.
    """
    if document.get("domains") or document.get("components") or not said:
        return False
    text = "\n".join(said)
    return bool(Said(text).lengths) and asks_for_work(text) and not BLIND.search(text)


def schema_of(text: str) -> dict[str, Any]:
    """The JSON schema of the answer, with nothing to choose that the words do not hold.

    Args:
        text: all that the user has said of the design.
    """
    said = Said(text)
    size = {"enum": said.sizes} if said.sizes else {"type": "number"}
    bodies = {
        "box": _object(shape={"const": "box"}, x_mm=size, y_mm=size, z_mm=size),
        "cube": _object(shape={"const": "cube"}, edge_mm=size),
        "cylinder": _object(shape={"const": "cylinder"}, diameter_mm=size, height_mm=size),
        "sphere": _object(shape={"const": "sphere"}, diameter_mm=size),
    }
    hole = _object(
        count={"enum": said.counts},
        diameter_mm=size,
        apart_mm={"enum": [0, *dict.fromkeys(said.lengths)]},
        along={"enum": said.ways},
    )
    port = _object(face={"enum": said.faces}, count={"enum": said.counts}, diameter_mm=size)
    ends = [count for count in said.counts if count > 1] or said.counts
    insides = {
        STRAIGHT: _object(kind={"const": STRAIGHT}, holes=_list(hole)),
        JOINED: _object(kind={"const": JOINED}, inlets=_list(port), outlets=_list(port)),
        BRANCHING: _object(
            kind={"const": BRANCHING}, inlet=_object(face={"enum": said.faces}, diameter_mm=size), ends={"enum": ends}
        ),
        NOTHING: _object(kind={"const": NOTHING}),
    }
    return _object(
        body={"anyOf": [bodies[shape] for shape in said.shapes]},
        inside={"anyOf": [insides[kind] for kind in said.kinds]},
    )


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(item: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": item, "minItems": 1, "maxItems": MOST_HOLES}


def operations_of(answer: FirstDesign, text: str, *, asked: bool = False) -> dict[str, Any]:
    """The directive that the answer comes to: operations, or the question for a size of the body that is missing.

    Args:
        answer: what the model has chosen.
        text: all that the user has said of the design.
        asked: whether the user was asked for a missing size and has not told it: then nothing is done, and said why.

    Raises:
        ValueError: a field is missing; the text names it.
    """
    said = Said(text)
    try:
        inside = _inside(answer.inside)
        body, sides = _body(answer.body)
    except (KeyError, TypeError) as error:
        raise ValueError(f"the field {error} is missing or has another form") from error
    missing, unused = _told_once(sides, inside, said)
    if len(unused) == 1 and APART.search(text):
        for each in inside:
            if each.get("apart_mm") == 0 and each["count"] > 1:
                each["apart_mm"] = unused[0]
    if missing:
        question = _QUESTIONS[missing]
        if asked:
            return {"operations": [], "assistant_message": f"Nothing is changed, since a size is missing: {question}"}
        return {
            "operations": [{"op": "ask", "question": f"{question} You have not said it.", "default": ""}],
            "assistant_message": question,
        }
    told = "This is how I read your message."
    if answer.inside.get("kind") == STRAIGHT and not said.says_way:
        told += f" You did not say in which direction the holes run: I took {said.ways[0]}."
    return {"operations": [body, *inside], "assistant_message": told}


def _body(body: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, float]]:
    """The operation, and the body's sizes by their names, in mm."""
    match body["shape"]:
        case "cube":
            sides = {"edge": body["edge_mm"]}
            return {"op": "add_box", **{f"{axis}_mm": body["edge_mm"] for axis in "xyz"}}, sides
        case "box":
            sides = {axis: body[f"{axis}_mm"] for axis in "xyz"}
        case "cylinder":
            sides = {"diameter": body["diameter_mm"], "height": body["height_mm"]}
        case _:
            sides = {"diameter": body["diameter_mm"]}
    return {"op": f"add_{body['shape']}", **{f"{name}_mm": size for name, size in sides.items()}}, sides


def _inside(inside: Mapping[str, Any]) -> list[dict[str, Any]]:
    match inside["kind"]:
        case "straight holes":
            return [{"op": "drill", **hole} for hole in inside["holes"]]
        case "inlets and outlets":
            ports = [("inlet", each) for each in inside["inlets"]] + [("outlet", each) for each in inside["outlets"]]
            return [*({"op": "add_ports", "kind": kind, **each} for kind, each in ports), {"op": "join"}]
        case "branching":
            inlet = {"op": "add_ports", "kind": "inlet", "count": 1, **inside["inlet"]}
            return [inlet, {"op": "grow", "kind": "tree", "tips": inside["ends"]}]
    return []


def _told_once(
    sides: Mapping[str, float], inside: Sequence[Mapping[str, Any]], said: Said
) -> tuple[str, Sequence[float]]:
    """The size of the body that nobody said, and the lengths that are used for nothing.

    Each length that was said is one thing; only alike holes share theirs.
    """
    left = list(said.lengths)
    for size in {each[name] for each in inside for name in ("diameter_mm", "apart_mm") if each.get(name)}:
        _take(left, size)
    short = [name for name, size in sides.items() if not _take(left, size)]
    if not short:
        return "", left
    unnamed = [name for name in sides if not has_words(SIDES.get(name, "edge"), said.text)]
    return (short[0] if short[0] in unnamed else (unnamed or short)[0]), left


def _take(left: list[float], size: float) -> bool:
    """Take a size, or the radius of which it is twice, out of what is left; whether it was there."""
    found = next((each for each in (size, size / 2) if each in left), None)
    if found is not None:
        left.remove(found)
    return found is not None
