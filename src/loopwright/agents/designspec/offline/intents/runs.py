"""Questions about the design and about the agent, and “run it”, “run until embed”, “just check it”."""

import re
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from loopwright.agents.designspec.document.checking import check_document
from loopwright.agents.designspec.offline.conversation import glossary, reply
from loopwright.agents.designspec.offline.draft import IMPORT, Draft, DraftQuestion, build_of, new_component
from loopwright.agents.designspec.offline.intents import Phase
from loopwright.agents.designspec.offline.text import has
from loopwright.agents.designspec.pipeline.reports import ALIASES, FULL, PIPELINE_STAGES
from loopwright.kits.dialogue import Patterns, data_of

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


# “Run it”, “run until embed”, “just check it”: a run of the pipeline, which the user approves at its gate.
#
# “Import the void from channels.stl (in mm)”: a void that was made elsewhere, or a body out of a file.

_WORD_FILE = re.compile(r"([^\s\"'`]+\.(?:stl|obj|ply|3mf|glb))\b", re.I)
_UNIT = re.compile(
    r"\b(?:in|units?|unit is|as)\s+(mm|cm|um|µm|m|millimet\w+|met\w+|microns?)\b|\((mm|cm|um|µm|m)\)", re.I
)


@dataclass(frozen=True)
class ImportMesh:
    """A file that becomes a void or a body; its path is relative to the project folder."""

    path: str
    units: str
    body: bool
    phase: Phase = field(default=Phase.VOID)

    def plan(self, draft: Draft) -> None:
        """Add the component or the domain; paths that leave the project folder are refused."""
        if not self.path:
            why = "An import needs a file in the project folder."
            kind = "body" if self.body else "void"
            question = "Which file shall I import (STL, OBJ, PLY, 3MF or GLB)?"
            draft.ask(DraftQuestion("file", question, why, intent=f"import the {kind} from {{answer}}"))
            return
        if self.path.startswith(("/", "\\", "~")) or ".." in re.split(r"[/\\]", self.path) or ":" in self.path:
            draft.refused.append(f"{self.path[:80]!r} is not inside the project folder; copy the file there first.")
            return
        if not self.units:
            draft.assumed.append(f"`{self.path}` is in millimetres")
        units = self.units or "mm"
        if self.body:
            scale = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6}[units] / draft.metres_per_unit
            draft.set(
                {"type": "mesh", "path": self.path, "scale": scale}, "domains", draft.main_domain or "main_domain"
            )
            draft.told.append(f"take the body from `{self.path}`")
            return
        build = {"type": IMPORT, "mesh_path": self.path, "mesh_units": units}
        index = new_component(draft, "imported", build)
        if index is not None:
            draft.told.append(
                f"import the void `{draft.get('components', index, 'id')}` from `{self.path}`, in {units}"
            )


def read_import(clause: str) -> ImportMesh | None:
    """The import that a clause asks for."""
    file = _WORD_FILE.search(clause)
    if not has(clause, "import|load|read in") and not (file and has(clause, "use|take|from|add")):
        return None
    if not file and not has(clause, "void|mesh|file|stl|body|domain|channels?|model"):
        return None
    unit = _UNIT.search(clause)
    told = (unit[1] or unit[2]).lower() if unit else ""
    known = (
        "um"
        if told[:2] in ("um", "µm", "mi") and not told.startswith("mill")
        else "mm"
        if told.startswith(("mm", "mill"))
        else told[:2]
        if told == "cm"
        else told[:1]
    )
    return ImportMesh(
        file[1] if file else "", known, has(clause, "body|domain|part|block|outer|solid") and not has(clause, "void")
    )


_RUN = re.compile(
    r"\b(?:run|rerun|execute)\b|^(?:start|launch)(?: (?:it|the (?:run|pipeline)|a run))?$|"
    r"\b(?:compile|simulate|process)\b(?: it| the| "
    r"everything|$)|^(?:go|go ahead|do it)$|"
    r"\bbuild (?:it|the (?:design|part|model|stl|mesh))\b|\b(?:make|generate|produce|give me|"
    r"export|create)\b.*\b(?:stl|3mf|mesh|print file)\b",
    re.I,
)
_CHECK = re.compile(
    r"^(?:just |only |please |can you )*(?:check|validate|verify|test)\b(?: (?:it|that|this|"
    r"the|my|whether|if|design)\b|$)",
    re.I,
)
_UNTIL = re.compile(
    r"\b(?:until|till|up to|through|to|as far as|stage|only)\s+(?:the )?(?:stage )?[\"'`]?([a-z]+(?:[ _-][a-z]+)?)",
    re.I,
)
_NAMES = {
    "policies": "compile_policies",
    "domains": "compile_domains",
    "domain": "compile_domains",
    "compile": "compile_domains",
    "ports": "component_ports",
    "growth": "component_build",
    "network": "component_build",
    "build": "component_build",
    "mesh": "component_mesh",
    "meshes": "component_mesh",
    "union": "union_voids",
    "embedding": "embed",
    "embedded": "embed",
    "carve": "embed",
    "recarve": "port_recarve",
    "validation": "validity",
    "checks": "validity",
    "check": "validity",
    "end": FULL,
    "everything": FULL,
    "all": FULL,
    "finish": FULL,
}


@dataclass(frozen=True)
class RunPipeline:
    """A run up to a stage; `unknown` is a stage's name that does not exist."""

    until: str = FULL
    unknown: str = ""
    check: bool = False
    phase: Phase = Phase.RUN

    def plan(self, draft: Draft) -> None:
        """Request the run; it starts after the user's yes."""
        if self.unknown:
            stages = ", ".join((*PIPELINE_STAGES, FULL))
            draft.refused.append(f"There is no stage {self.unknown!r}. The stages are: {stages}.")
            return
        report = check_document(draft.document)
        stops = report.errors or report.incomplete
        if stops:
            told = " ".join(f"{issue.message} {issue.hint}".strip() for issue in stops[:3])
            draft.refused.append(f"It cannot be run yet. {told}")
            return
        signal = (
            "every check of `validity` passes"
            if self.until in (FULL, "validity")
            else f"the stage `{self.until}` succeeds"
        )
        reason = "The user wants the design checked." if self.check else "The user asked for a run."
        draft.run_request = {"run": True, "run_until": self.until, "reason": reason, "expected_signal": signal}


def read_run(clause: str) -> RunPipeline | None:
    """The run that a clause asks for."""
    if has(
        clause,
        r"why|what|how|explain|last|don't|do not|never|report|error|undo|channels?|inlets?|outlets?|through holes?",
    ):
        return None
    if _CHECK.match(clause):
        return RunPipeline("validity", check=True)
    if not _RUN.search(clause):
        return None
    until = _UNTIL.search(clause)
    if until:
        found = _stage(until[1])
        if found:
            return RunPipeline(found)
        if re.search(r"until|till|up to|stage", until[0], re.I):
            return RunPipeline(unknown=until[1])
    named = next((stage for stage in PIPELINE_STAGES if has(clause, stage)), None)
    return RunPipeline(named or FULL)


def _stage(words: str) -> str | None:
    joined = re.sub(r"[ -]", "_", words.lower())
    if joined in (*PIPELINE_STAGES, *ALIASES, FULL):
        return ALIASES.get(joined, joined)
    known = _NAMES | {stage: stage for stage in PIPELINE_STAGES}
    return next((known[word] for word in re.split(r"[ _-]", words.lower()) if word in known), None)
