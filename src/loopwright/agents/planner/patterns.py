"""The five patterns of plans: what they are made of, and by which words a goal asks for one (field notes, 004)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from loopwright.agents.planner.contracts.plan import KNOWN_SUBTYPES, PATTERN_TYPES, NodeType, PatternSpec, PatternType
from loopwright.kernel.errors import InvalidInput

Axis = Literal["vertical", "horizontal"]


@dataclass(frozen=True)
class PatternShape:
    """What a plan of one pattern may be made of; micro-goals may stand anywhere."""

    axes: frozenset[Axis]
    types: frozenset[NodeType]
    reflection: Literal["per_phase", "per_cycle"]
    needs_cycle: bool = False
    """Whether a plan without a cycle is of another pattern."""
    subtypes: tuple[str, ...] = ()


def _shape(*types: NodeType, horizontal: bool = False, cycles: bool = False, subtypes: tuple[str, ...]) -> PatternShape:
    axes: frozenset[Axis] = frozenset({"vertical", "horizontal"} if horizontal else {"vertical"})
    reflection: Literal["per_phase", "per_cycle"] = "per_cycle" if cycles else "per_phase"
    every: frozenset[NodeType] = frozenset({"goal", "task", "sub_task", "micro_goal", *types})
    return PatternShape(axes, every, reflection, cycles, subtypes)


ARCS = tuple(subtype for subtype in KNOWN_SUBTYPES if subtype.endswith("_arc"))
SHAPES: dict[PatternType, PatternShape] = {
    "milestone_project": _shape("phase", subtypes=("creative_arc", "career_arc", "financial_arc")),
    "recurring_cycle": _shape("cycle", cycles=True, subtypes=("protocol_routine", "training_arc", "therapeutic_arc")),
    "progressive_accumulation_arc": _shape("phase", "sub_goal", "cycle", horizontal=True, subtypes=ARCS),
    "hybrid_project_cycle": _shape("cycle", "phase", horizontal=True, cycles=True, subtypes=ARCS),
    "strategic_transformation": _shape("phase", "sub_goal", horizontal=True, subtypes=ARCS),
}


@dataclass(frozen=True)
class Cue:
    """Words that speak for a pattern, with how much."""

    pattern_type: PatternType
    words: re.Pattern[str]
    weight: float


def _cue(pattern_type: PatternType, weight: float, words: str) -> Cue:
    return Cue(pattern_type, re.compile(rf"\b(?:{words})\b", re.IGNORECASE), weight)


_MONTH = r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?"
_MONTHS = rf"(?:{_MONTH}|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
_NUMBER = r"(?:\d+|one|two|three|a|an)"
CUES = (
    _cue("hybrid_project_cycle", 3.2, rf"{_NUMBER} \w+(?: \w+)? (?:per|each|every|a) (?:quarter|month|year)"),
    _cue(
        "hybrid_project_cycle", 2.4, r"quarterly|(?:each|every) quarter|sprints?|iterations?|release cycles?|seasons?"
    ),
    _cue("recurring_cycle", 2.2, r"(?:every|each) (?:\w+ )?(?:day|week|month|morning|evening|night|weekday|weekend)"),
    _cue("recurring_cycle", 1.6, r"(?:every|each) (?:mon|tues|wednes|thurs|fri|satur|sun)day"),
    _cue("recurring_cycle", 2.2, r"daily|weekly|monthly|routine|habits?|ritual|protocol|regularly|maintenance|chores?"),
    _cue("recurring_cycle", 1.4, r"(?:\d+|once|twice|three) (?:times )?(?:a|per) (?:day|week)"),
    _cue(
        "progressive_accumulation_arc", 2.6, r"learn(?:ing)?|study(?:ing)?|master|practi[cs]e|improve my|get better at"
    ),
    _cue("progressive_accumulation_arc", 2.2, r"train(?:ing)? for|couch to|marathon|(?:half|5|10) ?k run|build up"),
    _cue(
        "progressive_accumulation_arc",
        1.8,
        r"save (?:up|money|\W?\d)|pay off|lose \d+|reach level|fluen(?:t|cy)|[abc][12]",
    ),
    _cue("strategic_transformation", 3.0, r"become|transform(?:ation)?|change (?:my )?career|career change|reinvent"),
    _cue("strategic_transformation", 2.0, r"turn (?:\w+ ){1,3}into|transition (?:to|into)|switch careers?|new life"),
    _cue(
        "milestone_project",
        1.2,
        rf"by (?:the end of |end of |next |mid-?)?(?:\d|{_MONTHS}|\w+day|spring|summer|autumn|fall|winter)",
    ),
    _cue(
        "milestone_project",
        1.9,
        r"launch|ship|build|write (?:a|my|the)|publish|organi[sz]e|renovate|move (?:to|house)|wedding",
    ),
    _cue(
        "milestone_project",
        1.6,
        r"plan (?:a|my|our|the)|prepare|finish|deliver|create|design|release|deadline|event|trip",
    ),
)
SUBTYPE_WORDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (subtype, re.compile(rf"\b(?:{words})", re.IGNORECASE))
    for subtype, words in (
        ("protocol_routine", r"routine|protocol|ritual|checklist|regimen|habits?\b"),
        ("therapeutic_arc", r"therap|anxiety|recover(?:y|ing)? from|rehab|heal(?:ing)?\b|sleep|meditat|mindful|stress"),
        ("financial_arc", r"sav(?:e|ing)|debt|budget|invest|money|financ|pay off|retire|emergency fund"),
        (
            "career_arc",
            r"career|job|promot|interview|become an? (?:\w+ )?(?:engineer|manager|doctor|nurse|lead|developer)",
        ),
        (
            "training_arc",
            r"train|marathon|run(?:ning)?\b|gym|fitness|strength|swim|cycl(?:e|ing) \d|triathlon|workout|yoga",
        ),
        ("creative_arc", r"novel|write|paint|draw|song|album|film|photograph|creative|comic|poem|podcast"),
        ("learning_arc", r"learn|study|master|course|exam|language|fluen|practi[cs]e|certificat"),
    )
)
DEFAULT_PATTERN: PatternType = "milestone_project"
PROPOSAL_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")


@dataclass(frozen=True)
class Selection:
    """The pattern, why, and whether a human has to decide about a new subtype first."""

    pattern: PatternSpec
    reasons: tuple[str, ...]
    scores: Mapping[PatternType, float]
    rfc_required: bool = False


def select_pattern(
    goal_text: str,
    hints: Mapping[str, Any] | None = None,
    *,
    allow_proposals: bool = True,
    require_rfc: bool = True,
) -> Selection:
    """Map a goal to the nearest of the five patterns, with a subtype where the words name one.

    Args:
        goal_text: what the user wants, in their own words.
        hints: what is known better: `pattern_type`, `subtype` (a known one, `proposed:<name>`, or a bare new name),
            `rfc`, `variant`, `deadline` (anything that is not empty speaks for a milestone).
        allow_proposals: ALLOW_NEW_SUBTYPE_PROPOSALS; without it a new subtype is left out.
        require_rfc: REQUIRE_RFC_FOR_NEW_SUBTYPE; a proposal without a rationale then gets one made from the goal, and
            a human decides.

    Raises:
        InvalidInput: a hint names a pattern that does not exist, or a subtype that cannot be a name.
    """
    hints = hints or {}
    scores = dict.fromkeys(PATTERN_TYPES, 0.0)
    reasons: list[str] = []
    for cue in CUES:
        found = cue.words.search(goal_text)
        if found:
            scores[cue.pattern_type] += cue.weight
            reasons.append(f"{found.group()!r} speaks for {cue.pattern_type}")
    if hints.get("deadline"):
        scores["milestone_project"] += 0.8
        reasons.append("a deadline speaks for milestone_project")
    pattern_type, confidence = _winner(scores)
    if hints.get("pattern_type"):
        pattern_type, confidence = _named(str(hints["pattern_type"])), max(confidence, 0.9)
        reasons.append(f"{pattern_type} was asked for")
    subtype = _subtype(goal_text, pattern_type, hints, allow_proposals, reasons)
    proposal = subtype is not None and subtype.startswith("proposed:")
    rfc = str(hints["rfc"])[:4_000] if hints.get("rfc") and proposal else None
    if proposal and rfc is None and require_rfc:
        rfc = f"{subtype} is proposed under {pattern_type}: no known subtype fits the goal {goal_text[:200]!r}."
    pattern = PatternSpec(
        pattern_type=pattern_type,
        subtype=subtype,
        variant=str(hints["variant"])[:120] if hints.get("variant") else None,
        confidence=round(confidence, 2),
        source_pattern=pattern_type if proposal else None,
        rfc=rfc,
    )
    return Selection(pattern, tuple(reasons), scores, rfc_required=proposal and require_rfc)


def pattern_for(goal_text: str, *, has_tasks: bool, has_sessions: bool) -> PatternSpec:
    """The pattern that a goal's words ask for, where it can hold what was written; else the plainest that can."""
    spec = select_pattern(goal_text, allow_proposals=False).pattern
    shape, needed = SHAPES[spec.pattern_type], _holders(has_tasks, has_sessions)
    if needed <= shape.types and (has_sessions or not shape.needs_cycle):
        return spec
    plain: PatternType = "milestone_project" if not has_sessions else "recurring_cycle"
    return PatternSpec(pattern_type="hybrid_project_cycle" if has_tasks and has_sessions else plain)


def _holders(has_tasks: bool, has_sessions: bool) -> set[NodeType]:
    phase: set[NodeType] = {"phase"} if has_tasks else set()
    cycle: set[NodeType] = {"cycle"} if has_sessions else set()
    return phase | cycle


def _winner(scores: Mapping[PatternType, float]) -> tuple[PatternType, float]:
    """The best pattern; sure when it has much, and much more than the next."""
    ranked = sorted(scores.items(), key=lambda item: (-item[1], PATTERN_TYPES.index(item[0])))
    (best, first), (_, second) = ranked[0], ranked[1]
    if not first:
        return DEFAULT_PATTERN, 0.4
    return best, min(0.95, 0.5 + 0.1 * min(first, 3.0) + 0.15 * min(first - second, 1.0))


def _named(pattern_type: str) -> PatternType:
    for known in PATTERN_TYPES:
        if known == pattern_type:
            return known
    raise InvalidInput(
        f"There is no pattern {pattern_type[:80]!r}.",
        hint=f"The patterns are {', '.join(PATTERN_TYPES)}; a new kind is proposed as a subtype.",
    )


def _subtype(
    goal_text: str, pattern_type: PatternType, hints: Mapping[str, Any], allow_proposals: bool, reasons: list[str]
) -> str | None:
    asked = str(hints["subtype"]).strip() if hints.get("subtype") else None
    if asked in KNOWN_SUBTYPES:
        return asked
    if asked is not None:
        name = asked.removeprefix("proposed:").strip().lower().replace("-", "_").replace(" ", "_")
        if not PROPOSAL_NAME.fullmatch(name):
            raise InvalidInput(
                f"{asked[:80]!r} cannot be the name of a subtype.",
                hint="Write proposed:<name> with a-z, 0-9 and _, or one of: " + ", ".join(KNOWN_SUBTYPES),
            )
        if allow_proposals:
            return f"proposed:{name}"
        reasons.append(f"new subtypes are switched off, so {name!r} is left out")
    fitting = SHAPES[pattern_type].subtypes
    return next((subtype for subtype, words in SUBTYPE_WORDS if subtype in fitting and words.search(goal_text)), None)


GERMAN = re.compile(
    r"\b(?:ich|wir|und|oder|nicht|für|bis|mein\w*|unser\w*|eine?[nmr]?|der|die|das|möchte|wollen|pro|im|zum|zur|mit|nach|vom|den|dem|auf|habe|haben|jede[nrs]?)\b"
)
LEAST_SHARE = 0.2
"""Of the words of a German sentence, the part that are small ones."""


def language_of(text: str) -> str:
    """The language of what the user says: `zh` by its script, `de` by its letters and small words, else `en`."""
    if re.search(r"[\u4e00-\u9fff]", text):
        return "zh"
    if re.search(r"[äöüß]", text.lower()):
        return "de"
    words = len(re.findall(r"[^\W\d]\w*", text))
    return "de" if words and len(GERMAN.findall(text.lower())) / words >= LEAST_SHARE else "en"
