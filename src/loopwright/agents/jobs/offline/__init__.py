"""The jobs agent without a language model: rules that plan, extract, validate and report."""

from collections.abc import Mapping
from hashlib import sha256

from loopwright.agents.jobs.offline.creator import CREATOR
from loopwright.agents.jobs.offline.job_rules import COMPLETE, JobRules, TodoView, View, wording
from loopwright.agents.jobs.offline.lexicon import GENERIC
from loopwright.agents.jobs.offline.strategic import strategic_work
from loopwright.agents.jobs.offline.validator import VALIDATOR
from loopwright.kernel.offline import OfflineReply, OfflineRequest
from loopwright.kits.dialogue import Replay, UnreadableRequest, call

# The jobs agent without a language model: rules that answer every request with the next calls.
#
# Which rules a job's kind has.

RULES_OF_KINDS: Mapping[str, JobRules] = {"creator": CREATOR, "validator": VALIDATOR}
TELLING: Mapping[str, frozenset[str]] = {
    "creator": frozenset({"identify_requirement_candidates", "cite_document", "add_requirement"}),
    "validator": frozenset({"next_requirements", "create_requirement_node", "update_requirement"}),
}
"""Tools by which a job of another name shows that it is of this kind."""


def rules_for(view: View) -> JobRules:
    """The rules for this kind of job: by its name, else by its tools; the generic ones where neither tells."""
    if view.job_type in RULES_OF_KINDS:
        return RULES_OF_KINDS[view.job_type]
    fitting = (RULES_OF_KINDS[name] for name, tools in TELLING.items() if tools <= set(view.domain_tools))
    return next(fitting, GENERIC)


PROMPTS = ("strategic_system", "tactical_system")
MOST_NOTES = 3_900
NOTES_REFUSED = "notes would hold text of"
"""How a refusal begins that means the notes alone."""
ASKED_AGAIN = "Next, todo {todo} asks again for {call}, which a compaction has cut."
"""Said with such a call, so that the summary of the next compaction keeps it: what is lost twice does not fit."""
MOST_ATTEMPTS = 3
"""Attempts at one todo: what is refused this often is said in words, and the run ends visibly."""


class JobsPlaybook:
    """Stateless: the job's state and the messages of the phase tell all, so the same request gets the same answer.

    It never loops: the work of a todo is a finite list of calls, then the todo is completed; a refusal leads to another
    attempt, and the third one to words. Calls that a compaction has cut are made again once.
    """

    name = "jobs"

    def answer(self, request: OfflineRequest) -> OfflineReply:
        """Answer one request; what cannot be answered by rules is said in words, without a call."""
        if request.prompt not in PROMPTS:
            return OfflineReply(text=f"The offline model has no rules for {request.task}.")
        try:
            view = View.of(request.messages, request.tools)
        except UnreadableRequest as error:
            return OfflineReply(text=f"The offline model works by rules and cannot read this request: {error}.")
        todo = view.todo
        text = wording(view.language)
        if todo is None:
            return OfflineReply(text=text.say("no_todo"))
        if len(view.refusals) >= MOST_ATTEMPTS:
            return OfflineReply(text=text.say("refused", todo=todo.id, reason=view.refusals[-1][:1_000]))
        if view.refusals and NOTES_REFUSED in view.refusals[-1] and COMPLETE in view.tools:
            # The work is done; only the words about it were too near to those of a file that was read.
            return OfflineReply(tool_calls=((COMPLETE, {"todo_id": todo.id, "notes": text.say("note_short")}),))
        return _next(view, rules_for(view), todo)


def _next(view: View, job_rules: JobRules, todo: TodoView) -> OfflineReply:
    work = strategic_work(view, job_rules, todo) if view.strategic else job_rules.work(view, todo.content)
    known = Replay(view.called, view.tools)
    progress = known.carry(work)
    wanted = list(progress.upcoming) or str(progress.outcome)
    remark = ""
    if not isinstance(wanted, str) and known.has_more:
        remark = ASKED_AGAIN.format(todo=todo.id, call=sha256(wanted[0].key.encode()).hexdigest()[:8])
        if remark in view.said:
            remark, wanted = "", wording(view.language).say("note_too_long")
    if isinstance(wanted, str):
        if COMPLETE not in view.tools:
            return OfflineReply(text=wording(view.language).say("tools_missing", tools=COMPLETE))
        wanted = [call(COMPLETE, todo_id=todo.id, notes=wanted[:MOST_NOTES])]
    return OfflineReply(text=remark, tool_calls=tuple((each.name, each.arguments) for each in wanted))


PLAYBOOK = JobsPlaybook()
