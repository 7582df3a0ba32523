"""The Creator's work by rules: candidates out of documents become requirements, each with its citation."""

from collections.abc import Mapping, Sequence

from loopwright.agents.jobs.offline.creator import analysis, extraction
from loopwright.agents.jobs.offline.creator import extraction as consolidation
from loopwright.agents.jobs.offline.creator import extraction as report
from loopwright.agents.jobs.offline.creator.analysis import parse_plan
from loopwright.agents.jobs.offline.job_rules import Completion, Plan, Reading, Rule, RuleBook, View, wording
from loopwright.agents.jobs.offline.lexicon import look_over, read_whole

# The Creator's goals, and which rule does which step.

ANALYSE, EXTRACT, CONSOLIDATE, REPORT = "G1", "G2", "G3", "G4"
GOALS = ("goal_analyse", "goal_extract", "goal_consolidate", "goal_report")

RULES: Mapping[str, Rule] = {
    "survey": analysis.survey,
    "extract_text": analysis.extract_text,
    "chunk": analysis.chunk,
    "candidates": analysis.identify,
    "analysis": analysis.complete,
    "record": extraction.record,
    "record_pages": extraction.record_pages,
    "count": extraction.count,
    "relations": consolidation.weigh_relations,
    "sample": consolidation.sample,
    "sources": consolidation.sources,
    "open_points": consolidation.open_points,
    "creator_summary": report.summarise,
    "look_over": look_over,
}
WEIGHTS = {"record": 4, "record_pages": 4}
FILES = {
    "analysis": analysis.FILE,
    "count": analysis.NOTES,
    "open_points": consolidation.OPEN_POINTS,
    "creator_summary": report.SUMMARY,
}


class Creator(RuleBook):
    """Extracts the requirements of documents: analysis, extraction, consolidation, report."""

    rules, weights, files = RULES, WEIGHTS, FILES

    def goals(self, view: View, instructions: str) -> Sequence[str]:
        """Four goals, as the Creator's instructions have them."""
        return [wording(view.language).say(name) for name in GOALS]

    def divide(self, view: View, plan: Plan, goal_id: str, instructions: str) -> Reading[list[str]] | None:
        """The analysis is known from the start; all else hangs on how many candidates it finds."""
        if goal_id == ANALYSE:
            return _analysis_steps(view)
        return _later_steps(view, goal_id) if plan.goal(ANALYSE).reached else None

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
    if goal_id == CONSOLIDATE:
        return [text.step(name) for name in ("relations", "sample", "sources", "open_points")]
    parts = parse_plan((yield from read_whole(analysis.FILE)) or "")
    return [*(part.step(text) for part in parts), text.step("count")] if parts else []


CREATOR = Creator()
