"""“Run it”, “run until embed”, “just check it”: a run of the pipeline, which the user approves at its gate."""

import re
from dataclasses import dataclass

from loopwright.agents.designspec.document.checking import check_document
from loopwright.agents.designspec.offline.draft import Draft
from loopwright.agents.designspec.offline.text import has
from loopwright.agents.designspec.offline.wishes.wish import Phase
from loopwright.agents.designspec.pipeline.stages import ALIASES, FULL, PIPELINE_STAGES

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
    """The run that a clause wishes for."""
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
