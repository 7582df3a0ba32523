"""How a job looks on the terminal while it goes on: its phases and todos, not each of its thousand calls."""

from typing import Any

from loopwright.agents.jobs.phases.entering import RESET
from loopwright.agents.jobs.usecases import Job, phase_object
from loopwright.cli.views import JsonView, PeopleView, View

SHOWN_WORDS = 160
VERDICTS = ("integrated", "rejected", "failed")


class JobView(PeopleView):
    """A line for each phase, each todo and each failure; a spinner with the counts."""

    def __init__(self, phase: dict[str, Any] | None = None) -> None:
        """Start drawing; `phase` is where a job that is resumed stands."""
        self._phase = phase or {"number": 1, "kind": "strategic", "todos": 0, "todos_done": 0}
        self._found, self._settled = 0, 0
        super().__init__()

    def _update(self, text: str) -> None:
        phase = self._phase
        todos = f", todo {phase['todos_done'] + 1} of {phase['todos']}" if phase["todos"] else ""
        counted = "".join(
            f" · {count} {what}" for count, what in ((self._found, "found"), (self._settled, "settled")) if count
        )
        super()._update(f"Phase {phase['number']} ({phase['kind']}{todos}){counted}: {text}")

    def _on_action_finished(self, payload: dict[str, Any]) -> None:
        begun = payload["artifacts"] or {}
        if "todo" in begun:
            self._phase["todos_done"] += 1
            self._found += begun["requirements"]
            self.say(f"  ✓ {_first_line(payload['output'])}")
        if "phase" not in begun:
            return
        self._phase = {"number": begun["phase"], "kind": begun["kind"], "todos": begun["todos"], "todos_done": 0}
        title = f": {begun['title']}" if begun["title"] else ""
        self.say(f"\nPhase {begun['phase']} ({begun['kind']}){title}, {begun['todos']} todos")
        for path in begun["orphans"][:8]:
            self.say(f"  ! changed, and no todo speaks of it: {path}")
        for goal in begun["unserved"][:8]:
            self.say(f"  ! no todo has served this goal so far: {goal}")

    def _on_compacted(self, payload: dict[str, Any]) -> None:
        if payload["strategy"] != RESET:  # that messages end with their phase is told by the phase's own line
            super()._on_compacted(payload)

    def _on_tool_result(self, payload: dict[str, Any]) -> None:
        self._tools.pop(payload["call_id"], None)
        if not payload["success"]:
            self.say(f"  ✗ {payload['name']:<20} {_first_line(payload['output'])}")
        elif payload["name"] == "todo_complete":
            self._phase["todos_done"] += 1
            self.say(f"  ✓ {_first_line(payload['output'])}")
        elif payload["name"] == "add_requirement":
            self._found += len(payload["artifacts"]["requirement_ids"])
        elif payload["name"] == "update_requirement":
            self._settled += payload["artifacts"]["status"] in VERDICTS
        self._update("Thinking…")


def make_job_view(as_json: bool, job_id: str, workspace: str) -> View:
    """The view of a job that begins; people are told its id and folder first."""
    if as_json:
        return JsonView()
    view = JobView()
    view.say(f"Job {job_id} in {workspace}")
    return view


def resumed_view(as_json: bool, job: Job) -> View:
    """The view of a job that goes on in its phase."""
    if as_json:
        return JsonView()
    return JobView(phase_object(job.state.phase) if job.state else None)


def _first_line(output: str) -> str:
    return output.strip().partition("\n")[0][:SHOWN_WORDS]
