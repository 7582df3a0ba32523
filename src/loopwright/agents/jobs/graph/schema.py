"""The schema of the graph as data: labels with their properties, relationship types with their ends."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

REQUIREMENT_TYPES = ("functional", "compliance", "constraint", "non_functional")
PRIORITIES = ("high", "medium", "low")
COMPLIANCE_STATUSES = ("open", "partial", "fulfilled")
SEVERITIES = ("critical", "major", "minor")

EntityKind = Literal["BusinessObject", "Message"]


@dataclass(frozen=True)
class Label:
    """A kind of node: the property that names a node, those that it must have, and what some of them may say."""

    key: str
    required: tuple[str, ...]
    allowed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Ends:
    """The labels that a relationship leads from and to."""

    source: str
    target: str


LABELS: Mapping[str, Label] = {
    "Requirement": Label(
        "rid",
        ("rid", "name", "text", "type", "priority", "status", "complianceStatus"),
        {"type": REQUIREMENT_TYPES, "priority": PRIORITIES, "complianceStatus": COMPLIANCE_STATUSES},
    ),
    "BusinessObject": Label("boid", ("boid", "name")),
    "Message": Label("mid", ("mid", "name")),
}

_BETWEEN_REQUIREMENTS = ("REFINES", "DEPENDS_ON", "TRACES_TO", "SUPERSEDES")
_TO_ENTITIES = ("RELATES_TO", "IMPACTS", "FULFILLED_BY", "NOT_FULFILLED_BY")

RELATIONSHIPS: Mapping[str, Ends] = {
    **dict.fromkeys(_BETWEEN_REQUIREMENTS, Ends("Requirement", "Requirement")),
    **{f"{name}_OBJECT": Ends("Requirement", "BusinessObject") for name in _TO_ENTITIES},
    **{f"{name}_MESSAGE": Ends("Requirement", "Message") for name in _TO_ENTITIES},
    "USES_OBJECT": Ends("Message", "BusinessObject"),
    "PRODUCES_OBJECT": Ends("Message", "BusinessObject"),
}

FULFILLED = ("FULFILLED_BY_OBJECT", "FULFILLED_BY_MESSAGE")
NOT_FULFILLED = ("NOT_FULFILLED_BY_OBJECT", "NOT_FULFILLED_BY_MESSAGE")
ABOUT_ENTITIES = tuple(name for name, ends in RELATIONSHIPS.items() if ends.target != "Requirement")

SUFFIXES: Mapping[str, str] = {"BusinessObject": "OBJECT", "Message": "MESSAGE"}
"""How the types of relationships to an entity end."""
