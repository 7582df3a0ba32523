"""The words in which people speak of solids with channels, in English and German: what each names or says."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from loopwright.kernel.account.reading import Value, read_values

THINGS: Mapping[str, str] = {
    "cube": r"cubes?|würfel\w*",
    "box": r"box(?:es)?|blocks?|cuboids?|bricks?|plates?|slabs?|chips?|tiles?|sheets?|bars?|panels?|quader\w*|blöcke?|"
    r"block\w*|platten?|kasten|kästen|klotz\w*|kachel\w*",
    "cylinder": r"cylinders?|discs?|disks?|rods?|pucks?|zylinder\w*|scheiben?|st[aä]be?n?|stange\w*",
    "sphere": r"spheres?|balls?|kugeln?",
    "channel": r"channels?|holes?|bores?|kan[aä]le?n?s?|bohrung(?:en)?|loch|löcher\w*",
    "ports": r"(?:inlets?|einl[aä]ss\w*) (?:and|und|to|with|mit) (?:\w+ ){0,2}(?:outlets?|ausl[aä]ss\w*)",
    "openings": r"openings?|öffnung(?:en)?",
    "inlet": r"inlets?|einl[aä]ss\w*",
    "outlet": r"outlets?|ausl[aä]ss\w*",
    "tip": r"tips?|terminals?|ends|enden|spitzen",
    "tree": r"trees?|networks?|(?:branching|branched) channels?|b[aä]um\w*|netz\w*|verzweigte[nrs]? kanal\w*",
    "wall": r"walls?|w[aä]nde?n?|wandst[aä]rke\w*",
}
"""What is spoken of; an inlet and an outlet together are ports."""
FACES: Mapping[str, str] = {
    "left": r"left|links|linken?",
    "right": r"right(?! (?:through|across|down|away|now|angles?))|rechts|rechten?",
    "front": r"front|vorne?|vorderen?",
    "back": r"back|rear|hinten|hinteren?",
    "top": r"top|oben|oberseite|oberen?",
    "bottom": r"bottom|underside|unten|unterseite|unteren?",
}
MEASURES: Mapping[str, str] = {
    "radius": r"radius|radii",
    "diameter": r"diameters?|dia|d|ø|⌀|across|wide|width|durchmesser|breit|breite|weit|weite",
    "height": r"tall|high|height|thick|thickness|long|length|hoch|höhe|dick|dicke|lang|länge",
    "depth": r"deep|depth|tief|tiefe",
    "side": r"sides?|edges?|kantenlänge|seitenlänge|kanten?",
}
SIDES: Mapping[str, str] = {
    "long": r"long|length|lang|länge",
    "wide": r"wide|width|broad|breit|breite",
    "deep": r"deep|depth|tief|tiefe",
    "high": r"tall|high|height|hoch|höhe",
    "thick": r"thick|thickness|dick|dicke",
}
"""The sides of a box by their names."""
CHANGED: Mapping[str, str] = {
    "long": r"longer|shorter|länger|kürzer",
    "wide": r"wider|narrower|broader|breiter|schmaler",
    "deep": r"deeper|tiefer",
    "high": r"taller|higher|lower|flatter|höher|niedriger|flacher",
    "thick": r"thicker|thinner|dicker|dünner",
}
"""Words that change them."""
TIMES: Mapping[float, str] = {
    2.0: r"twice|double[ds]?|doppelt|verdopp\w+",
    0.5: r"half|halve[ds]?|halb|halbier\w+",
    3.0: r"three times|triple[ds]?|dreimal|verdreif\w+",
}
DIRECTIONS: Mapping[str, str] = {
    "long side": r"long(?:er|est)? (?:side|edge)|l[aä]ng(?:e|ste)[nr]? seite",
    "short side": r"short(?:er|est)? (?:side|edge)|k[uü]rz(?:e|este)[nr]? seite",
    "length": r"length|länge",
    "width": r"width|breite",
    "height": r"height|höhe",
    "thickness": r"thickness|depth|dicke|tiefe|stärke",
}
"""The sides along which a channel runs: "through the thickness"."""
SAYINGS: Mapping[str, str] = {
    "through": r"through(?:out)?|all the way|open at both ends|durchgehend\w*|durch|hindurch|quer durch",
    "straight": r"straight|gerade[nrs]?",
    "parallel": r"parallel\w*",
    "centre": r"cent(?:er|re)d?|central(?:ly)?|middle|mitte|mittig\w*|zentral\w*",
    "least": r"at least|no thinner than|mindestens|minimum|min",
    "less": r"thinner|narrower|smaller|lower|shorter|flatter|dünner|schmaler|kleiner|niedriger|flacher|kürzer|reduce|"
    r"decrease|half|halve[ds]?|halb|halbier\w+",
    "more": r"raise|extend|erhöhe|verlängere|vergrößere|"
    r"thicker|wider|bigger|larger|taller|higher|longer|dicker|breiter|größer|höher|increase|enlarge",
    "joins": r"connect(?:s|ed|ing)?|join(?:s|ed|ing)?|linked|verbinde\w*|verbunden",
}
FRAME = (
    r"i'd|i'll|i'm|let's|make|create|add|build|drill|put|place|give|set|change|want|need|would|like|please|have|has|with|of|a|an|the|in|on|at|"
    r"to|from|by|along|me|i|us|now|also|then|again|so|still|could|can|you|design|draw|produce|generate|model|what|there|"
    r"print(?:ed)?|rectangular|measur(?:es?|ing)|dimensions?|single|actually|instead|simple|plain|microfluidic|upright|"
    r"axis|direction|achse|richtung|grows?|starts?|begins?|should|would|just|total|overall|each|own|same|geh(?:t|en)|"
    r"stattdessen|eigentlich|einfache[nrs]?|rechteckige[nrs]?|messen|misst|druck\w*|einzelne[nrs]?|if|possible|thanks|"
    r"thank|danke|okay|ok|sure|hi|hello|hallo|actual|exactly|"
    r"which|branching|branched|running|runs?|going|goes?|passing|pass(?:es)?|leading|leads?|them|they|their|all|every|both|other|apart|"
    r"spaced|spacing|distance|whole|entire|full|opens?|into|inside|within|as|jetzt|nun|noch|auch|dann|mal|so|"
    r"verlaufend\w*|laufen|läuft|verläuft|verlaufen|führt|führen|jeweils|jede[rnms]?|alle|gib|mir|brauche|will|"
    r"wünsche|hat|haben|beide[rn]?|abstand|auseinander|ihn|ihm|es|ganze[nrs]?|ihre[rn]?|seine[rn]?|entfernt|voneinander|"
    r"it|its|that|this|and|is|be|are|should|shall|must|needs?|domain|body|solid|part|one|two|three|four|five|six|"
    r"seven|eight|nine|ten|eleven|twelve|face|faces|side|size|sized|large|long|each|mit|und|ein|eine|einen|einem|einer|der|die|das|den|dem|"
    r"von|zu|bis|nach|entlang|auf|an|im|in|am|erstelle|mache|mach|bohre|füge|hinzu|soll|bitte|ich|möchte|hätte|gern|zwei|"
    r"drei|vier|fünf|sechs|sieben|acht|neun|zehn|x|y|z|mm|cm|m|um|µm|micron|microns|inch|inches|millimetres?|"
    r"millimeters?|centimetres?|centimeters?|grow|wachsen|lasse|percent|prozent|export|as|als|exportiere"
)
"""Words that say nothing by themselves here: what is left beside them and the known ones is not understood."""
Name = TypeVar("Name", str, float)
FORMATS = ("stl", "3mf", "glb", "graphml", "json", "png")


def named(table: Mapping[Name, str], text: str) -> list[Name]:
    """The entries of a table whose words stand in the text, in the order of the text where they differ."""
    found = [(match.start(), name) for name, words in table.items() if (match := _word(words).search(text))]
    return [name for _, name in sorted(found)]


def says(text: str, name: str) -> bool:
    """Whether one of the sayings stands in the text."""
    return bool(_word(SAYINGS[name]).search(text))


def direction(text: str) -> tuple[str, str]:
    """The side of the body along which a text says that something runs, and the text without these words."""
    for name, words in DIRECTIONS.items():
        way = re.compile(
            rf"(?<!\w)(?:along|through|across|entlang|längs|durch)\s+(?:(?:the|its|their|of|der|die|das|ihre[rn]?|"
            rf"seine[rn]?|direction|richtung|whole|entire|full|ganze[nrs]?)\s+)*(?:{words})(?:\s+(?:direction|richtung))?(?!\w)",
            re.I,
        )
        if way.search(text):
            through = " through " if re.search(r"through|durch", way.search(text)[0], re.I) else " "  # type: ignore[index]
            whole = " every " if re.search(r"whole|entire|ganze", text, re.I) else " "
            return name, way.sub(through + whole, text)
    lengthwise = re.compile(r"(?<!\w)(?:lengthwise|lengthways|längs)(?!\w)", re.I)
    return ("length", lengthwise.sub(" ", text)) if lengthwise.search(text) else ("", text)


def left_over(text: str) -> str:
    """The words of a text that nothing here knows."""
    rest = re.sub(r"[\d.,/%\"]+(?:\s?x\s?[\d.,/]+)*(?:mm|cm|m|um|µm|in)?\b|%", " ", text)
    for table in (THINGS, FACES, MEASURES, SAYINGS, SIDES, CHANGED, TIMES):
        for words in table.values():
            rest = _word(words).sub(" ", rest)
    rest = _word(FRAME).sub(" ", rest)
    return " ".join(re.findall(r"[^\W\d_]+", rest))


def _word(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.I)


# Statements that speak of several things, cut so that each piece speaks of one.

BODIES = ("cube", "box", "cylinder", "sphere")
_THING = re.compile("|".join(rf"(?P<{name}>(?<!\w)(?:{words})(?!\w))" for name, words in THINGS.items()), re.I)
_JOINT = re.compile(
    r"[,;]?\s+(?:with|and|having|(?:that|which) (?:has|have|contains?|holds?)|mit|und|der|die|das)\s+|[,;]\s+",
    re.I,
)
_WITHIN = re.compile(
    r"(?<!\w)(?:inside|within|innerhalb|im innern|im inneren)(?:\s+(?:of|the|its|it|a|body|solid|part|des|der|dem|"
    rf"{'|'.join(THINGS[name] for name in BODIES)}))*(?!\w)",
    re.I,
)


def pieces_of(text: str) -> list[str]:
    """The pieces of a statement, in their order: most have one."""
    return list(_cut(text))


def within(text: str) -> tuple[bool, str]:
    """Whether a text says that something lies in the body, and the text without these words."""
    return bool(_WITHIN.search(text)), _WITHIN.sub(" ", text)


def _cut(text: str) -> Iterator[str]:
    """A piece ends at the joint before the next thing of another group."""
    named = [(match.start(), _group(str(match.lastgroup))) for match in _THING.finditer(text)]
    begin = 0
    for (first, group), (second, other) in pairwise(named):
        joints = [joint for joint in _JOINT.finditer(text, max(first, begin), second) if joint.end() <= second]
        if group != other and joints:
            yield text[begin : joints[-1].start()]
            begin = joints[-1].end()
    yield text[begin:]


def _group(name: str) -> str:
    """Things that are spoken of together: the body under any name, a tree and its ends."""
    return "body" if name in BODIES else "tip" if name == "tree" else name


# What stands in a piece of a statement: its thing, lengths, count, faces and sides.

_EVERY = re.compile(
    r"(?<!\w)(?:each|every|all|both|whole|entire|jeweils|jede[rnms]?|alle|beide[rn]?|ganze[nrs]?)(?!\w)", re.I
)
_APART = re.compile(
    r"(?<!\w)(?:apart|auseinander|spac(?:ed|ing)|distance|abstand|(?:voneinander )?entfernt|between(?: them)?)(?!\w)",
    re.I,
)
_FROM_INLET = re.compile(
    r"(?<!\w)(?:from|von|aus) (?:it|there|(?:the|that|this) inlets?|ihm|dort|dem einlass)(?!\w)", re.I
)
_CENTRES = re.compile(r"(?:cent(?:er|re)|axis|mitte|achse)[ -](?:to|zu)[ -](?:cent(?:er|re)|axis|mitte|achse)", re.I)


@dataclass(frozen=True)
class Said:
    """A piece with what stands in it. `thing` is what it is about: its own, or that of the pieces before.

    `way` is the side of the body along which something runs, `side` the one that is sized, `change` whether that is
    said by a comparison, `times` by which factor.
    """

    text: str
    thing: str
    own: bool
    lengths: tuple[float, ...]
    count: int | None
    percent: float | None
    measures: tuple[str, ...]
    faces: tuple[str, ...]
    way: str = ""
    sides: tuple[str, ...] = ()
    change: str = ""
    times: float | None = None
    every: bool = False
    apart: bool = False
    centres: bool = False
    inside: bool = False
    from_inlet: bool = False

    @property
    def length(self) -> float | None:
        """Its only length (mm)."""
        return self.lengths[0] if len(self.lengths) == 1 else None

    def sized(self, plain: str) -> dict[str, float] | None:
        """Its only length under the name of what it measures; `plain` where it does not say. None: several lengths."""
        if len(self.lengths) > 1:
            return None
        measure = self.measures[0] if self.measures else plain
        return {f"{measure}_mm": self.lengths[0]} if self.lengths else {}


def said_in(text: str, before: str) -> Said:
    """What stands in a piece; `before` is the thing of the pieces before it."""
    inside, bare = within(text)
    leaving = bool(_FROM_INLET.search(bare))
    bare = _FROM_INLET.sub(" ", bare)
    way, bare = direction(bare)
    centres = bool(_CENTRES.search(bare))
    bare = _CENTRES.sub(" ", bare)
    named_here = named(THINGS, bare)
    own = [name for name in THINGS if name in named_here]
    if {"cube", "box"} <= set(own) or {"tip", "tree"} <= set(own):
        own = own[:1]
    if "tree" in own and "channel" in own:
        own.remove("channel")  # a branching channel
    values = read_values(text)
    comparing = named(CHANGED, bare)
    return Said(
        text=bare,
        thing=_only(own) if own else before,
        own=bool(own),
        lengths=tuple(float(value.value) for value in values if value.type == "length"),
        count=_count(values),
        percent=next((float(value.value) for value in values if value.unit == "percent"), None),
        measures=tuple(named(MEASURES, bare)),
        faces=tuple(named(FACES, bare)),
        way=way,
        sides=tuple(named(SIDES, bare)),
        change=comparing[0] if len(comparing) == 1 else "",
        times=next(iter(named(TIMES, bare)), None),
        every=bool(_EVERY.search(text)),
        apart=bool(_APART.search(bare)),
        centres=centres,
        inside=inside,
        from_inlet=leaving,
    )


def _only(own: Sequence[str]) -> str:
    """The one thing that is spoken of; nothing where there are several, and no one could say which a size is of."""
    if own == ["openings"]:
        return "ports"
    if "ports" in own:
        return "ports" if set(own) <= {"ports", "inlet", "outlet", "openings"} else ""
    if own and own[0] == "cube" and set(own) <= set(BODIES):
        return "cube"
    return own[0] if len(own) == 1 else ""


def _count(values: Sequence[Value]) -> int | None:
    whole = [value for value in values if value.type == "count" and float(value.value) % 1 == 0]
    return int(whole[0].value) if len(whole) == 1 else None
