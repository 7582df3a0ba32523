"""Questions about the design and about the agent: what stands in the document, what is missing, what words mean."""

import re
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from loopwright.agents.designspec.offline.conversation import glossary, reply
from loopwright.agents.designspec.offline.draft import Draft, build_of
from loopwright.agents.designspec.offline.intents.intent import Phase
from loopwright.agents.designspec.offline.text import has
from loopwright.agents.designspec.pipeline.reports import PIPELINE_STAGES
from loopwright.kits.dialogue.patterns import Patterns, data_of

Topic = Literal["help", "spec", "missing", "defaults", "meaning", "cancel", "history", "greeting", "thanks", "stages"]
_TOPICS = Patterns.of(data_of("loopwright.agents.designspec.offline", "questions.json"), whole=False)
_MEANING = re.compile(
    r"\b(?:what does|what's|what is|what are|explain|define|meaning of|tell me "
    r"about)\s+(?:an? |the |meant by )?[\"'`]?([a-z][\w' -]{1,60}?)[\"'`]?(?:\s+(?:mean|do|"
    r"policy|stage|check|backend)s?)?(?: good for)?$",
    re.I,
)


@dataclass(frozen=True)
class Answer:
    """A question that is answered with words alone."""

    topic: Topic
    term: str = ""
    phase: Phase = field(default=Phase.ASKING)

    def plan(self, draft: Draft) -> None:
        """Answer it."""
        draft.answers.append(_ANSWERS[self.topic](draft, self.term))


def read_question(clause: str) -> Answer | None:
    """The question that a clause asks."""
    if has(clause, "run|add|remove|move|rename|undo|fix") and not re.match(
        r"(?:what|how|why|explain|show|help)\b", clause, re.I
    ):
        return None
    meaning = _MEANING.search(clause)
    if meaning and _entry(meaning[1]):
        return Answer("meaning", meaning[1])
    asked = _TOPICS.read(clause)
    topic = cast(Topic, asked.intent) if asked is not None else None
    if topic in ("thanks", "greeting", "cancel") and len(clause.split()) > 6:
        return None
    if topic is None:
        return (
            Answer("meaning", meaning[1]) if meaning and re.match(r"what does|define|meaning", clause, re.I) else None
        )
    return Answer(topic)


def _entry(term: str) -> tuple[str, str] | None:
    words = re.sub(r"[\s_-]+", " ", term.lower()).strip()
    known = glossary()
    return next(
        (
            (key, text)
            for key, text in known.items()
            for name in (words, words.removesuffix("s"))
            if name in key.split("/")
        ),
        None,
    )


def _meaning(draft: Draft, term: str) -> str:
    entry = _entry(term)
    if entry:
        return f"{entry[0].split('/')[0].capitalize()}: {entry[1]}"
    terms = ", ".join(key.split("/")[0] for key in glossary())
    return f"I have no explanation of “{term[:60]}”. I can explain: {terms}."


def _spec(draft: Draft, _: str) -> str:
    meta = draft.get("meta") or {}
    lines = [
        f"“{meta.get('name', 'unnamed')}”, seed {meta.get('seed', 42)}, lengths in {meta.get('input_units', 'm')}."
    ]
    for name in draft.domains:
        body = draft.body(name)
        extents = body.extents if body else None
        size = " × ".join(draft.show(value) for value in extents) if extents else "known to the geometry stage only"
        lines.append(f"- domain `{name}`: {body.kind if body else 'unknown'}, {size}")
    for index, component in enumerate(draft.components):
        backend = draft.get("components", index, "build", "backend")
        lines.append(
            f"- component `{component.get('id')}` in `{component.get('domain_ref')}`: "
            f"{build_of(draft, index)}{f' ({backend})' if backend else ''}"
        )
        lines += [f"  - {line}" for line in _port_lines(draft, component)]
    for policy, fields in (draft.get("policies") or {}).items():
        if isinstance(fields, dict) and fields:
            shown = ", ".join(
                f"{key} {value}" for key, value in list(fields.items())[:8] if not isinstance(value, dict | list)
            )
            lines.append(f"- policy `{policy}`: {shown}")
    if len(lines) == 1:
        lines.append("- There is neither a body nor a channel yet.")
    return "\n".join(lines)


def _port_lines(draft: Draft, component: dict[str, Any]) -> list[str]:
    lines = []
    for role in ("inlets", "outlets"):
        ports = (component.get("ports") or {}).get(role) or []
        for port in ports[:12]:
            place = port.get("position")
            where = f" at ({', '.join(draft.show(value) for value in place)})" if isinstance(place, list) else ""
            lines.append(
                f"{role[:-1]} `{port.get('name')}`{where}, {draft.show(2 * float(port.get('radius', 0)))} in diameter"
            )
        if len(ports) > 12:
            lines.append(f"and {len(ports) - 12} more {role}")
    return lines


def _missing(draft: Draft, _: str) -> str:
    lines = [
        f"{issue.get('pointer')}: {issue.get('message')}"
        for issue in draft.pack.issues
        if issue.get("severity") == "error"
    ]
    if not draft.domains:
        lines.append("A body, such as “a box of 20x60x30 mm”.")
    if not draft.components:
        lines.append("Something in it, such as “two inlets on top and a tree with 64 tips”, or “9 straight channels”.")
    for index, component in enumerate(draft.components):
        if build_of(draft, index) != "import_void_mesh" and not (component.get("ports") or {}).get("inlets"):
            lines.append(f"An inlet for `{component.get('id')}`.")
    if not lines:
        return "Nothing is missing: the design can be run. Say “run it”."
    return "\n".join(["Still missing:", *(f"- {line}" for line in lines)])


def _defaults(draft: Draft, _: str) -> str:
    return reply("defaults")


def _help(draft: Draft, _: str) -> str:
    return reply("capabilities")


def _history(draft: Draft, _: str) -> str:
    lines = [
        f"- {entry.get('at', '')} {entry.get('author', '')}: {entry.get('summary') or 'a change'}"
        for entry in draft.pack.history
    ]
    return "\n".join(["What was changed:", *lines]) if lines else "Nothing has been changed yet."


def _cancel(draft: Draft, _: str) -> str:
    return "Nothing is changed and nothing is run. What shall I do instead?"


def _stages(draft: Draft, _: str) -> str:
    stages = ", ".join(f"`{stage}`" for stage in PIPELINE_STAGES)
    return (
        f"A run goes through these stages in their order: {stages}. It begins after your yes, stops at the first stage "
        "that fails, and takes what has not changed from the last run. “Run until embed” stops after that stage."
    )


def _thanks(draft: Draft, _: str) -> str:
    return "You are welcome. What next?"


_ANSWERS = {
    "help": _help,
    "spec": _spec,
    "missing": _missing,
    "defaults": _defaults,
    "meaning": _meaning,
    "cancel": _cancel,
    "history": _history,
    "greeting": _help,
    "thanks": _thanks,
    "stages": _stages,
}
