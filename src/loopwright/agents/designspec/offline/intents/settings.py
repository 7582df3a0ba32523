"""Single values of the document by the words that people have for them: a table."""

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from loopwright.agents.designspec.offline.body import Amount, read_amount
from loopwright.agents.designspec.offline.draft import Draft, DraftQuestion, Pointer, tidy
from loopwright.agents.designspec.offline.intents import Phase
from loopwright.agents.designspec.offline.text import UnusableQuantity, has, lengths

# The fields of policies that have a name in plain English: words, place, kind, label, default.

Kind = Literal["length", "diameter", "half", "number", "count"]
"""`diameter`: the field is a diameter, so a radius is doubled; `half`: it is a radius, so a diameter is halved."""


@dataclass(frozen=True)
class Setting:
    """A field of a policy (or of `meta`): the words that mean it, its kind, and what it is called."""

    words: str
    pointer: tuple[str, ...]
    kind: Kind
    label: str
    default: float = 0.0
    """What holds where the document says nothing; metres for lengths."""


SETTINGS = (
    Setting(
        r"min(?:imum|imal)? ?(?:channel|printable|vessel)? ?(?:diameter|radius|channel|channel "
        r"size)|(?:thinnest|smallest) channels?",
        ("resolution", "min_channel_diameter"),
        "diameter",
        "the smallest channel diameter",
        2e-4,
    ),
    Setting(
        r"(?:terminals?|tips?|ends?|leaf) (?:branch )?(?:radius|radii|diameters?)|(?:tips|"
        r"terminals|ends)\b.*\b(?:wide|thick|radius|diameter)"
        r"|^(?:make|set) (?:all )?(?:the )?(?:tips|terminals|ends) [\d.]+",
        ("radius", "terminal_radius"),
        "half",
        "the radius of the tips",
        1e-4,
    ),
    Setting(
        r"max(?:imum)? (?:branch )?(?:radius|diameter)",
        ("radius", "max_radius"),
        "half",
        "the largest branch radius",
        1e-3,
    ),
    Setting(
        r"(?:branch )?min(?:imum)? branch (?:radius|diameter)",
        ("radius", "min_radius"),
        "half",
        "the smallest branch radius",
        1e-4,
    ),
    Setting(
        r"clearances?|(?:branches|vessels)\b.*\bapart|(?:distance|gap|spacing) between (?:the "
        r")?(?:branches|channels|vessels)",
        ("collision", "collision_clearance"),
        "length",
        "the clearance between branches",
        1e-4,
    ),
    Setting(
        r"min(?:imum)? (?:wall|feature)(?: thickness| size)?|(?:wall thickness|walls?) (?:of )?at least",
        ("validity", "min_feature_size"),
        "length",
        "the thinnest wall allowed",
        2e-4,
    ),
    Setting(
        r"(?:max(?:imum)?|longest) segments?(?: length)?",
        ("growth", "max_segment_length"),
        "length",
        "the longest segment",
        2e-3,
    ),
    Setting(
        r"(?:min(?:imum)?|shortest) segments?(?: length)?",
        ("growth", "min_segment_length"),
        "length",
        "the shortest segment",
        2e-4,
    ),
    Setting(r"step ?size", ("growth", "step_size"), "length", "the step of growth", 3e-4),
    Setting(r"(?:voxel )?pitch", ("embedding", "voxel_pitch"), "length", "the voxel pitch", 1e-4),
    Setting(
        r"carve depth|carving depth",
        ("embedding", "carve_depth"),
        "length",
        "the depth to which ports are carved",
        2e-3,
    ),
    Setting(r"shell(?: thickness)?", ("embedding", "shell_thickness"), "length", "the shell's thickness", 0.0),
    Setting(
        r"port margin|margin (?:of|around) (?:the )?ports?",
        ("ports", "port_margin"),
        "length",
        "the margin around ports",
        5e-4,
    ),
    Setting(
        r"stop(?:ping)? (?:distance|before(?: the)?(?: far)? (?:boundary|bottom|end))",
        ("channels", "stop_before_boundary"),
        "length",
        "how far channels stop before the far side",
        1e-3,
    ),
    Setting(
        r"murray(?:'?s)?(?: law)?(?: exponent)?",
        ("radius", "murray_exponent"),
        "number",
        "the exponent of Murray's law",
        3.0,
    ),
    Setting(
        r"max(?:imum)? iterations|iterations",
        ("growth", "max_iterations"),
        "count",
        "the most iterations of growth",
        500,
    ),
    Setting(
        r"(?:terminal )?tolerance",
        ("growth", "terminal_tolerance"),
        "number",
        "the tolerance of the number of tips",
        0.1,
    ),
)


# Reading them.

_SEED = re.compile(r"\b(?:random )?seed\b\D{0,12}?(-?\d{1,18})\b", re.I)
_NAME = re.compile(
    r"\b(?:name|call) (?:it|this|the (?:project|design|spec|part))\s+(?:to |as "
    r")?[\"'`]?([^\"'`]{1,80}?)[\"'`]?$|\b(?:project|design|spec) name\s*(?:is|to|=|"
    r":)?\s*[\"'`]?([^\"'`]{1,80}?)[\"'`]?$|\brename (?:it|this|the (?:project|design|spec)) "
    r"(?:to|as) [\"'`]?([^\"'`]{1,80}?)[\"'`]?$",
    re.I,
)
_UNITS = re.compile(
    r"\b(output|input|document|export|spec)?\s*units?\b.*?\b(millimet\w+|mm|centimet\w+|cm|"
    r"micro\w*|um|µm|met\w+|m)\b|\b(export|output|save)\b.*\bin\s+(millimet\w+|mm|cm|micro\w*|"
    r"um|µm|met\w+|m)\b",
    re.I,
)
_FORMATS = {
    "stl": "output_stl",
    "3mf": "output_3mf",
    "glb": "output_glb",
    "graphml": "output_graphml",
    "png": "output_png",
    "json": "output_json",
}


@dataclass(frozen=True)
class SetLength:
    """One field of the table takes a value."""

    setting: Setting
    amount: Amount | None
    clause: str
    phase: Phase = field(default=Phase.SETTING)

    def plan(self, draft: Draft) -> None:
        """Set it in the document's policy, and in those components that say otherwise."""
        setting = self.setting
        is_length = setting.kind not in ("number", "count")
        if self.amount is None:
            default = draft.show(draft.units(setting.default)) if is_length else f"{setting.default:g}"
            question = f"What shall {setting.label} be?"
            intent = f"{self.clause} {{answer}}"
            draft.ask(DraftQuestion("value", question, "The intent gives no value.", default, intent))
            return
        owners: list[Pointer] = [("components", k, "policies", *setting.pointer) for k in range(len(draft.components))]
        places: list[Pointer] = [("policies", *setting.pointer)]
        places += [place for place in owners if draft.get(*place) is not None]
        old = next(
            (value for value in (draft.get(*place) for place in reversed(places)) if isinstance(value, int | float)),
            None,
        )
        if old is None:
            old = draft.units(setting.default) if is_length else setting.default
        new = self._new(float(old), draft.metres_per_unit if is_length else 1.0)
        chosen: float | int = int(new) if setting.kind == "count" else tidy(new)
        changed = [draft.set(chosen, *place) for place in places]
        if setting.pointer == ("collision", "collision_clearance"):
            draft.set(chosen, "policies", "unified_collision", "min_clearance")
        shown = draft.show(float(chosen)) if is_length else f"{chosen:g}"
        if any(changed):
            draft.told.append(f"set {setting.label} to {shown}")
        else:
            draft.answers.append(f"The document says so: {setting.label} is {shown}.")
        if is_length and not self.amount.unit_given:
            draft.assumed.append("numbers without a unit are millimetres")

    def _new(self, old: float, metres_per_unit: float) -> float:
        amount = self.amount or Amount("factor", 1.0)
        if amount.kind == "factor":
            return amount.of(old, metres_per_unit)
        diameter, radius = has(self.clause, "diameters?|wide|width"), has(self.clause, "radius|radii")
        factor = (
            0.5
            if self.setting.kind == "half" and (diameter or not radius)
            else 2.0
            if self.setting.kind == "diameter" and radius and not diameter
            else 1.0
        )
        return Amount(amount.kind, amount.value * factor).of(old, metres_per_unit)


@dataclass(frozen=True)
class SetValues:
    """Values that need no arithmetic, by place, and what they mean in words."""

    values: tuple[tuple[Pointer, Any], ...]
    words: str
    phase: Phase = field(default=Phase.SETTING)

    def plan(self, draft: Draft) -> None:
        """Set them."""
        changed = [draft.set(value, *place) for place, value in self.values]
        if any(changed):
            draft.told.append(self.words)
        else:
            draft.answers.append(f"Nothing to do: {self.words} is what the document says already.")


@dataclass(frozen=True)
class ChangeUnits:
    """The document's own units: every length in it would have to be rewritten."""

    unit: str
    phase: Phase = field(default=Phase.SETTING)

    def plan(self, draft: Draft) -> None:
        """Change them while the document holds no length; else say why not."""
        now = str(draft.get("meta", "input_units") or "m")
        if now == self.unit:
            draft.answers.append(f"The document is in {now} already.")
        elif draft.domains or draft.components or draft.document.get("policies"):
            draft.refused.append(
                f"The document is in {now}, and every length in it would change its meaning. You may "
                f"speak in any unit all "
                f"the same; for files in {self.unit} say “output units {self.unit}”."
            )
        else:
            draft.set(self.unit, "meta", "input_units")
            draft.told.append(f"keep the document's lengths in {self.unit}")


def read_setting(clause: str) -> SetLength | SetValues | ChangeUnits | None:
    """The setting that a clause asks for.

    Raises:
        UnusableQuantity: a number cannot be used.
    """
    if has(clause, "why|what|explain|how|remove|delete|show"):
        return None
    seed = _SEED.search(clause)
    if seed:
        return SetValues(((("meta", "seed"), int(seed[1])),), f"set the seed to {int(seed[1])}")
    name = _NAME.search(clause)
    if name:
        text = (name[1] or name[2] or name[3]).strip()
        return SetValues(((("meta", "name"), text),), f"name the design “{text}”")
    return _read_units(clause) or _read_formats(clause) or _read_length(clause)


def _read_length(clause: str) -> SetLength | None:
    if has(clause, "an? (?:\\w+ ){0,2}(?:tree|network|box|cylinder|disc)") or re.search(
        r"\d+ (?:\w+ ){0,3}(?:inlets|outlets|channels)\b", clause, re.I
    ):
        return None
    setting = next((each for each in SETTINGS if re.search(rf"\b(?:{each.words})(?!\w)", clause, re.I)), None)
    if setting is None:
        return None
    amount = _amount_near(clause, setting)
    if setting.kind in ("number", "count") and amount and amount.kind != "factor":
        amount = Amount(amount.kind, amount.value * 1e3, amount.unit_given)
    if amount and amount.kind == "absolute" and amount.value < 0:
        raise UnusableQuantity(f"{setting.label[0].upper()}{setting.label[1:]} cannot be negative.")
    return SetLength(setting, amount, clause)


def _amount_near(clause: str, setting: Setting) -> Amount | None:
    """The change that stands nearest to the setting's own words; numbers with a unit come first for lengths."""
    amount, words = read_amount(clause), re.search(setting.words, clause, re.I)
    if amount is None or amount.kind != "absolute" or words is None:
        return amount
    found = lengths(clause)
    if setting.kind not in ("number", "count"):
        found = [length for length in found if length.unit_given] or found
    outside = [length for length in found if length.start >= words.end() or length.end <= words.start()] or found
    nearest = min(outside, key=lambda length: max(length.start - words.end(), words.start() - length.end))
    return Amount("absolute", nearest.metres, nearest.unit_given)


def _read_units(clause: str) -> SetValues | ChangeUnits | None:
    work = re.match(
        r"(?:please )?(?:use|work in|switch to|think in) (millimet\w+|mm|centimet\w+|cm|microns?|um|µm|met\w+|m)$",
        clause,
        re.I,
    )
    found = _UNITS.search(clause)
    if work:
        return ChangeUnits(_unit_of(work[1].lower()))
    if not found:
        return None
    word = (found[2] or found[4]).lower()
    unit = _unit_of(word)
    kind = (found[1] or found[3] or "").lower()
    if kind in ("input", "document", "spec"):
        return ChangeUnits(unit)
    return SetValues(((("policies", "output", "output_units"), unit),), f"write files in {unit}")


def _unit_of(word: str) -> str:
    if word.startswith(("mic", "um", "µ")):
        return "um"
    return "mm" if word.startswith(("mi", "mm")) else "cm" if word.startswith("c") else "m"


def _read_formats(clause: str) -> SetValues | None:
    named = [key for word, key in _FORMATS.items() if has(clause, word)]
    if not named or not has(clause, "output|export|save|write|format|also|no|without|only|don't|as"):
        return None
    off = has(clause, "no|without|don't|do not|disable|skip")
    chosen = dict.fromkeys(named, not off)
    if has(clause, "only"):
        chosen = {
            key: key in named for key in _FORMATS.values() if key.removeprefix("output_") in ("stl", "3mf", "glb")
        } | chosen
    values: tuple[tuple[Pointer, Any], ...] = tuple(
        (("policies", "output", key), value) for key, value in chosen.items()
    )
    formats = ", ".join(key.removeprefix("output_").upper() for key in named)
    return SetValues(values, f"{'leave out' if off else 'write'} {formats} files")
