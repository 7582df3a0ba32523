"""A job by its instructions alone: passages are looked up in its documents, and no judgement is made."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from loopwright.agents.jobs.offline.files import read_whole, write
from loopwright.agents.jobs.offline.generic.instructions import InstructedPhase, instructed_phases, order_of
from loopwright.agents.jobs.offline.plan import Plan
from loopwright.agents.jobs.offline.replay import Reading, Work, call, one
from loopwright.agents.jobs.offline.trade import Completion, not_by_rules
from loopwright.agents.jobs.offline.view import View
from loopwright.agents.jobs.offline.wording import wording

CONFIDENCE = 0.2
"""Steps were gone through and passages found; whether that answers the order, rules cannot tell."""
MOST_TERMS, MOST_SEARCHES, EACH = 6, 4, 2
SNIPPET = re.compile(r"<data source=\"(?P<source>[^\"\n]*)\">\n(?P<text>.*?)\n</data>", re.DOTALL)
STEP = "step_of_instructions"


class Generic:
    """The rules for every kind of job that has none of its own."""

    def goals(self, view: View, instructions: str) -> Sequence[str]:
        """The phases of the instructions, or one goal where they name none."""
        phases = instructed_phases(instructions)
        return [phase.title for phase in phases] or [wording(view.language).say("goal_generic")]

    def divide(self, view: View, plan: Plan, goal_id: str, instructions: str) -> Reading[list[str]] | None:
        """The steps that the instructions number, and one for each file that they ask for."""
        return self._divided(view, _phase_of(instructions, goal_id), goal_id)

    def _divided(self, view: View, phase: InstructedPhase, goal_id: str) -> Reading[list[str]]:
        yield from ()
        text = wording(view.language)
        outputs = phase.outputs or (f"output/{goal_id.lower()}.md",)
        steps = [text.step(STEP, goal=goal_id, text=step) for step in phase.steps] or [
            text.step(STEP, goal=goal_id, text=phase.title)
        ]
        return [*steps, *(text.step("write_output", goal=goal_id, path=path, title=phase.title) for path in outputs)]

    def work(self, view: View, content: str) -> Work:
        """Look for passages about the step, or write down what was and was not done."""
        known = wording(view.language).read(content)
        if known is not None and known[0] == "write_output":
            return self._write(view, known[1]["goal"], known[1]["path"], known[1]["title"])
        if known is not None and known[0] == "look_over":
            return look_over(view, known[1])
        return not_by_rules(view, known[1].get("text", content) if known is not None else content)

    def weight(self, view: View, content: str) -> int:
        """Every step is light."""
        return 1

    def witness(self, view: View, content: str) -> Mapping[str, Any] | None:
        """The file that a step writes."""
        known = wording(view.language).read(content)
        return {"kind": "file", "path": known[1]["path"]} if known is not None and known[0] == "write_output" else None

    def close(self, view: View, plan: Plan) -> Reading[Completion]:
        """End with little confidence, and say why."""
        yield from ()
        text = wording(view.language)
        files = [
            known[1]["path"]
            for goal in plan.goals
            for step in goal.steps
            if (known := text.read(step.content)) is not None and known[0] == "write_output"
        ]
        summary = text.say("generic_summary", goals=len(plan.goals), job=view.job_type)
        return Completion(summary, CONFIDENCE, tuple(files), text.say("generic_limits"))

    def _write(self, view: View, goal: str, path: str, title: str) -> Work:
        words = wording(view.language)
        instructions = yield from read_whole("instructions.md")
        terms = key_terms(order_of(instructions or ""))[:MOST_SEARCHES]
        passages: dict[tuple[str, str], None] = {}
        for result in (yield [call("web_search", query=term, max_results=EACH) for term in terms]) if terms else []:
            passages |= dict.fromkeys((found["source"], found["text"]) for found in SNIPPET.finditer(result.text))
        lines = [f"# {title}", "", words.say("generic_limits"), "", words.say("steps_done", goal=goal), ""]
        lines += [f"- {todo.content}" for todo in view.todos if todo.done and f"{goal} " in todo.content]
        lines += ["", words.say("passages_found", terms=", ".join(terms) or "-"), ""]
        lines += [f"- {source}: {' '.join(text.split())}" for source, text in passages] or ["-"]
        yield from write(path, "\n".join(lines) + "\n")
        return words.say("file_written", path=path, passages=len(passages))


def look_over(view: View, facts: Mapping[str, str]) -> Work:
    """Look at what there is once more: a phase with few steps is filled up with this."""
    summary = yield from one(call("get_workspace_summary"))
    return wording(view.language).say("looked_over", size=len(summary.text.splitlines()))


def key_terms(text: str) -> list[str]:
    """The words that carry a step's meaning: the longest ones, in their order."""
    words = [word for word in re.findall(r"[^\W\d_]{5,40}", text) if word.lower() not in {"output", "documents"}]
    longest = set(sorted(dict.fromkeys(words), key=len, reverse=True)[:MOST_TERMS])
    return [word for word in dict.fromkeys(words) if word in longest]


def _phase_of(instructions: str, goal_id: str) -> InstructedPhase:
    phases = instructed_phases(instructions)
    number = int(goal_id[1:]) - 1
    return phases[number] if number < len(phases) else InstructedPhase(goal_id)


GENERIC = Generic()
