"""The verdict on one requirement, by what the tools have found out about it."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from loopwright.agents.jobs.graph.similarity import comparable
from loopwright.agents.jobs.offline.sameness import says_the_same

DUPLICATE, RELATED = 0.95, 0.70
"""Thresholds of likeness (field notes, part 003): where the config has others, its tools have gone by them already."""
SURE = 0.8
"""From here on a name was found: the same, or a part of it."""
LEAST_WORDS = 4
REFINING = 0.85
"""The share of the shorter text's words in the longer one from which on that one says it more precisely."""
CHANGES = re.compile(
    r"auf(?:zu)?bewahr|archiv|unveränder|lösch|protokollier|vollständig|retain|retention|immutab|eras|delet|\blog(?:s|ged|ging)?\b",
    re.IGNORECASE,
)
"""Duties that change how a thing is kept; the others only speak of it."""

Status = Literal["integrated", "rejected"]


@dataclass(frozen=True)
class Match:
    """Another requirement that is alike."""

    requirement_id: str
    rid: str
    similarity: float
    text: str


@dataclass(frozen=True)
class Case:
    """A requirement with everything that was found out about it."""

    requirement_id: str
    name: str
    text: str
    imposed: bool
    cited: bool = True
    verified: bool = True
    matches: Sequence[Match] = ()
    objects: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    """What becomes of it: `reason` names the text that tells why, with its facts."""

    status: Status
    reason: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    related: Sequence[Match] = ()


def judge(case: Case, turned_down: Collection[str], *, foreign: bool) -> Verdict:
    """Pass the verdict.

    Args:
        case: the requirement.
        turned_down: ids that were rejected in the same part; what is like them is no duplicate.
        foreign: whether nothing in its words has to do with the organisation.
    """
    if len(re.findall(r"[^\W\d_]{2,}", case.text)) < LEAST_WORDS:
        return Verdict("rejected", "reason_vague")
    if not case.cited:
        return Verdict("rejected", "reason_no_citation")
    if not case.verified:
        return Verdict("rejected", "reason_citation")
    matches = [match for match in case.matches if match.requirement_id not in turned_down]
    same = next((m for m in matches if m.similarity >= DUPLICATE and says_the_same(case.text, m.text)), None)
    if same is not None:
        original = same.rid or same.requirement_id
        return Verdict("rejected", "reason_duplicate", {"original": original, "likeness": f"{same.similarity:.2f}"})
    found = [name for name, confidence in case.objects.items() if confidence >= SURE]
    if foreign and not found and not case.imposed:
        return Verdict("rejected", "reason_irrelevant")
    related = tuple(match for match in matches if match.similarity >= RELATED)
    return Verdict("integrated", "reason_relevant" if found else "reason_partly", {"objects": len(found)}, related)


def relation(text: str, other: str) -> str:
    """How a requirement relates to one that is like it: it says it more precisely, or only resembles it."""
    words, others = set(comparable(text).split()), set(comparable(other).split())
    refines = len(words) > len(others) and len(words & others) >= REFINING * len(others)
    return "REFINES" if refines else "TRACES_TO"


def concern(case: Case) -> str:
    """How a requirement relates to an object that it names."""
    return "IMPACTS_OBJECT" if case.imposed and CHANGES.search(case.text) else "RELATES_TO_OBJECT"
