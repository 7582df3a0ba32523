"""What a person who watches is told of a tool's result: one line, where the model reads JSON."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any


def line_of(tool: str, data: Mapping[str, Any], explanations: Sequence[str]) -> str:
    """The line; where nothing special is known of the tool, its first explanation."""
    tell = LINES.get(tool)
    return (tell(data) if tell is not None else "") or next(iter(explanations), "") or "done"


def _pattern(data: Mapping[str, Any]) -> str:
    pattern = data["pattern"]
    subtype = f" ({pattern['subtype']})" if pattern.get("subtype") else ""
    return f"{pattern['pattern_type'].replace('_', ' ')}{subtype}"


def _questions(data: Mapping[str, Any]) -> str:
    count = len(data["questions"])
    return f"{count} question{'s' * (count > 1)} to ask" if count else "knows enough"


def _outline(data: Mapping[str, Any]) -> str:
    return f"{data['node_count']} nodes, {'valid' if data['valid'] else 'not valid yet'}"


def _grammar(data: Mapping[str, Any]) -> str:
    count = len(data["violations"])
    return "valid" if data["valid"] else f"{count} violation{'s' * (count != 1)} of the grammar"


def _links(data: Mapping[str, Any]) -> str:
    return f"{data['dependency_count']} dependencies"


def _schedule(data: Mapping[str, Any]) -> str:
    if "block_count" not in data:
        return ""
    gap = f", at most {data['gap']:.1%} from the best possible" if data.get("gap") else ""
    return f"{data['block_count']} blocks until {str(data['ends_at'])[:10]}{gap}"


LINES: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "pattern_selector": _pattern,
    "context_elicitor": _questions,
    "node_generator": _outline,
    "grammar_validator": _grammar,
    "dependency_resolver": _links,
    "schedule_generator": _schedule,
}
