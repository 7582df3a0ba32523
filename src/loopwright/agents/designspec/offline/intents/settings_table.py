"""The fields of policies that have a name in plain English: words, place, kind, label, default."""

from dataclasses import dataclass
from typing import Literal

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
