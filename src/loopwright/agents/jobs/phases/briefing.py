"""What the model is told as a phase begins: one message, the whole of the dialogue at that moment."""

from loopwright.agents.jobs.contracts.state import JobState, Phase

SHOWN_FINDINGS = 20


def briefing(state: JobState, *, goes_on: bool = False) -> str:
    """The first message of a phase; `goes_on` for one that was interrupted and is taken up again."""
    phase = state.phase
    title = f": {phase.title}" if phase.title else ""
    lines = [f"Phase {phase.number} ({phase.kind}) {'goes on' if goes_on else 'begins'}{title}"]
    lines += [phase.description] if phase.description else []
    lines += ["", "Todos:"]
    lines += [f"- [{'x' if todo.status == 'completed' else ' '}] {todo.id}. {todo.content}" for todo in phase.todos]
    if state.phases:
        lines += _findings(state.phases[-1])
    return "\n".join(lines)


def _findings(ended: Phase) -> list[str]:
    lines = []
    for title, found in (
        (f"Files changed in phase {ended.number} that no todo speaks of:", ended.orphans),
        ("Open goals of main_plan.md that no todo has served so far:", ended.unserved),
    ):
        if found:
            lines += ["", title, *(f"- {line}" for line in found[:SHOWN_FINDINGS])]
            lines += [f"- … and {len(found) - SHOWN_FINDINGS} more"] if len(found) > SHOWN_FINDINGS else []
    return lines
