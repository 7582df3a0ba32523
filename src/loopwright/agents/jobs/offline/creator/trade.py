"""The Creator's goals, and which rule does which step."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from loopwright.agents.jobs.offline.creator import analysis, consolidation, extraction, report
from loopwright.agents.jobs.offline.creator.reading_plan import parse_plan
from loopwright.agents.jobs.offline.files import read_whole
from loopwright.agents.jobs.offline.generic import look_over
from loopwright.agents.jobs.offline.plan import Plan
from loopwright.agents.jobs.offline.replay import Reading, Work
from loopwright.agents.jobs.offline.trade import Completion, not_by_rules
from loopwright.agents.jobs.offline.view import View
from loopwright.agents.jobs.offline.wording import wording

ANALYSE, EXTRACT, CONSOLIDATE, REPORT = "G1", "G2", "G3", "G4"
GOALS = ("goal_analyse", "goal_extract", "goal_consolidate", "goal_report")

Rule = Callable[[View, Mapping[str, str]], Work]
RULES: Mapping[str, Rule] = {
    "survey": analysis.survey,
    "extract_text": analysis.extract_text,
    "chunk": analysis.chunk,
    "candidates": analysis.identify,
    "analysis": analysis.complete,
    "batch": extraction.record,
    "batch_repeats": extraction.record,
    "count": extraction.count,
    "relate": consolidation.relate,
    "sample": consolidation.sample,
    "kinds": consolidation.count_kinds,
    "creator_summary": report.summarise,
    "look_over": look_over,
}
WEIGHTS = {"batch": 3, "batch_repeats": 3, "candidates": 3, "relate": 8}
FILES = {
    "analysis": analysis.FILE,
    "count": analysis.NOTES,
    "relate": consolidation.RELATIONS,
    "creator_summary": report.SUMMARY,
}


class Creator:
    """Extracts the requirements of documents: analysis, extraction, consolidation, report."""

    def goals(self, view: View, instructions: str) -> Sequence[str]:
        """Four goals, as the Creator's instructions have them."""
        return [wording(view.language).say(name) for name in GOALS]

    def divide(self, view: View, plan: Plan, goal_id: str, instructions: str) -> Reading[list[str]] | None:
        """The analysis is known from the start; all else hangs on how many candidates it finds."""
        if goal_id == ANALYSE:
            return _analysis_steps(view)
        return _later_steps(view, goal_id) if plan.goal(ANALYSE).reached else None

    def work(self, view: View, content: str) -> Work:
        """Do one step."""
        known = wording(view.language).read(content)
        rule = RULES.get(known[0]) if known is not None else None
        return rule(view, known[1]) if rule is not None and known is not None else not_by_rules(view, content)

    def weight(self, view: View, content: str) -> int:
        """Steps that read much weigh more."""
        known = wording(view.language).read(content)
        return WEIGHTS.get(known[0], 1) if known is not None else 1

    def witness(self, view: View, content: str) -> Mapping[str, Any] | None:
        """The file that a step leaves."""
        known = wording(view.language).read(content)
        path = FILES.get(known[0]) if known is not None else None
        return {"kind": "file", "path": path} if path else None

    def close(self, view: View, plan: Plan) -> Reading[Completion]:
        """Sum up with what the store holds."""
        return report.close(view)


def _analysis_steps(view: View) -> Reading[list[str]]:
    yield from ()
    text = wording(view.language)
    steps = [text.step("survey", count=len(view.documents))]
    for document in view.documents:
        steps += [text.step(name, document=document) for name in ("extract_text", "chunk", "candidates")]
    return [*steps, text.step("analysis")]


def _later_steps(view: View, goal_id: str) -> Reading[list[str]]:
    text = wording(view.language)
    if goal_id == REPORT:
        return [text.step("creator_summary")]
    parts = parse_plan((yield from read_whole(analysis.FILE)) or "")
    expected = sum(part.recorded for part in parts)
    if goal_id == EXTRACT:
        return [*(part.step(text) for part in parts), text.step("count", expected=expected)] if parts else []
    return [*consolidation.windows(view, expected), text.step("sample"), text.step("kinds")]


CREATOR = Creator()
