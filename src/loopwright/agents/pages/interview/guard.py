"""Which of a model's questions the user is spared: those about what is known, and those that were answered before."""

from collections.abc import Sequence

from loopwright.agents.pages.context.terms import words
from loopwright.agents.pages.interview.plan import InterviewRecord, decision_of, particulars_of
from loopwright.agents.pages.interview.questions import Facts
from loopwright.kernel.gates import Gate, QuestionItem
from loopwright.kernel.messages import split_blocks
from loopwright.kernel.run import AgentRun
from loopwright.kernel.tools import ToolResult

QUIET = "the user wants it generated now, without more questions"


async def curate_questions(run: AgentRun, gate: Gate) -> Gate | ToolResult:
    """Strike out what need not be asked before the user sees it; the model hears of it in the call's result.

    What was struck out is kept in the session, under the call, because the result is made after the answers came.
    """
    if gate.kind != "questions" or gate.call_id is None:
        return gate
    session = await run.services.sessions.get(run.state.session_id)
    record = InterviewRecord.of(session.metadata)
    if record.quiet_run == run.state.run_id:
        struck = {item.question: QUIET for item in gate.questions}
    else:
        doc = await run.services.product_docs.get(run.state.session_id)
        dialogue = [message.content for message in run.state.context.messages if message.role == "user"]
        said = [words for content in dialogue if (words := split_blocks(content)[0])]
        facts = Facts(
            brief="\n".join(dict.fromkeys([str(session.metadata.get("brief") or ""), *said])),
            answers=record.plain(),
            sections={name: section.content for name, section in doc.sections.items()} if doc else {},
        )
        struck = strike(gate.questions, facts, record, run.state.run_id)
    if not struck:
        return gate
    kept = [item for item in gate.questions if item.question not in struck]
    if not kept:
        return ToolResult(success=True, output=f"Nothing was asked.\n{tell(struck)}", artifacts={"struck": struck})
    changed = record.model_copy(update={"struck": {gate.call_id: struck}})
    await run.services.sessions.update(run.state.session_id, metadata=changed.to_metadata())
    title = kept[0].question if len(kept) == 1 else f"{len(kept)} questions about your app"
    return gate.model_copy(update={"questions": kept, "title": title})


def strike(
    questions: Sequence[QuestionItem], facts: Facts, record: InterviewRecord, run_id: str | None = None
) -> dict[str, str]:
    """The questions that need not be asked, each with the reason.

    A question is about a known fact when it asks for a decision that is made, and for nothing more particular than the
    app itself: "Which colours?" is known of a green app, "Which colour has the delete button?" is not. Questions about
    no decision ("Where should it be?") mean another thing in another run, so only in the same run are they repetitions.
    """
    known = facts.known()
    about_app = frozenset(words(facts.brief)) | frozenset(words(" ".join(map(str, facts.answers.values()))))
    reasons: dict[str, str] = {}
    for item in questions:
        earlier = record.answers.get(item.question)
        decision = decision_of(item.question)
        if earlier is not None and (decision is not None or earlier.run_id == run_id):
            reasons[item.question] = f"answered before: {_shown(earlier.answer)}"
        elif decision is not None and decision in known and particulars_of(item.question) <= about_app:
            given = next((each.answer for each in record.answers.values() if each.decides == decision), None)
            where = {"brief": "the request says it", "answers": "answered before"}.get(
                known[decision], f"the product doc says it in {known[decision]}"
            )
            reasons[item.question] = f"{where}: {_shown(given)}" if given is not None else where
    return reasons


def tell(struck: dict[str, str]) -> str:
    """What the model is told of questions that were not asked."""
    return "\n".join(
        [
            "Not asked, because it is known already:",
            *(f"- {question} ({reason})" for question, reason in struck.items()),
        ]
    )


def _shown(answer: str | list[str]) -> str:
    return (", ".join(answer) if isinstance(answer, list) else answer)[:200]
