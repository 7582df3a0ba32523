"""The reasoning blocks that the user may switch on: what the rules go by, in the format that the prompt demands."""

import re
from collections.abc import Sequence
from typing import Any

from loopwright.agents.ide.offline.script import Progress, Step, Unit
from loopwright.agents.ide.offline.wish import Wish

MACRO, MICRO = "[reasoning format: macro]", "[reasoning format: micro]"
UNSAFE = re.compile(r"[<>`]|\.\.\.|…")
"""What a block must not have: tags and code, and dots that stand for something left out."""
PLACEHOLDERS = re.compile(r"\b(?:todo|tbd|n/?a|lorem ipsum|placeholder|fill in|to be determined)\b", re.IGNORECASE)
LONGEST = 260


def demanded(system: str) -> str | None:
    """The format that a prompt demands: macro, micro or none."""
    return "macro" if MACRO in system else "micro" if MICRO in system else None


def macro(request: str, wishes: Sequence[Wish]) -> str:
    """The plan of a request, before anything was done."""
    aims = "; ".join(wish.aim for wish in wishes)
    research = "; ".join(wish.plan.research for wish in wishes)
    risks = "; ".join(dict.fromkeys(wish.plan.risk for wish in wishes))
    done = "; ".join(wish.plan.done_when for wish in wishes)
    steps = " ".join(f"{number}) {_plain(wish.aim, 80)};" for number, wish in enumerate(wishes, 1))
    lines = [
        f"Analyze: {_plain(request, 120)} is read as: {_plain(aims)}. It counts as done when {_plain(done)}.",
        f"Research: what must be known is {_plain(research)}.",
        f"Plan: {steps} then check the results.",
        f"Reflect: {_plain(risks)}. Rules decide here and no language model, so what they cannot read is said.",
        f"Action: search and read {_plain(research)}.",
        "Delivery: NEEDS_WORK, nothing has been done yet.",
    ]
    return _block(lines)


def micro(progress: Progress[Any], wishes: Sequence[Wish], *, done: bool) -> str:
    """The last step, the next one and why; `done` says whether the work is there."""
    following = _named(progress.upcoming) if progress.upcoming else "report what the tools have shown"
    why = "; ".join(wish.aim for wish in wishes)
    ending = "its result is needed" if progress.upcoming else "no rule for this request has a step left"
    lines = [
        f"- Outcome: {_plain(_newest(progress.newest))}",
        f"- Next: {_plain(following)}",
        f"- Why: {ending} to {_plain(why)}",
        f"- Delivery: {'DONE' if done else 'NEEDS_WORK'}",
    ]
    return _block(lines)


def _newest(unit: Unit | None) -> str:
    if unit is None:
        return "no tool has been called for this request so far"
    failed = [result.first_line for result in unit.results if result.failed]
    shown = f"failed: {failed[0]}" if failed else f"showed: {unit.results[-1].first_line}"
    return f"{_named(unit.steps)} {shown}"


def _named(steps: Sequence[Step]) -> str:
    more = f" and {len(steps) - 3} more calls" if len(steps) > 3 else ""
    return ", ".join(each.shown for each in steps[:3]) + more


def _plain(text: str, most: int = LONGEST) -> str:
    """One line that no reader of the block takes for a tag, code or a placeholder."""
    line = " ".join(PLACEHOLDERS.sub("open point", UNSAFE.sub(" ", text)).split())
    return (line if len(line) <= most else line[:most].rpartition(" ")[0] or line[:most]).strip(" .") or "nothing"


def _block(lines: Sequence[str]) -> str:
    return "<ide_reasoning>\n" + "\n".join(lines) + "\n</ide_reasoning>"
