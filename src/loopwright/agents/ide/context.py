"""What the model is told: a system prompt that stays for the whole run, and a message on entering a stage (5.2)."""

import re

from loopwright.agents.ide.flow.words import prompts_of, render, variables_of
from loopwright.agents.ide.project import project_of
from loopwright.kernel.run import AgentRun

MODE_PROMPTS = {
    "agent": ("agent/mode_addition", "agent/tool_loop_context", "agent/user_input_request_block"),
    "chat": ("agent/chat_mode_addition", "agent/chat"),
}
STAGE_PROMPTS: dict[str, tuple[str, ...]] = {
    "warmup": ("agent/warmup",),
    "delivery_check": ("agent/delivery_gate",),
    "final": ("agent/final",),
    "qa_review": (
        "conversation_flow/qa/quality_review_system",
        "conversation_flow/qa/tool_output_review_system",
        "qa/system",
        "qa/report_schema",
    ),
}
"""What is told on entering a stage; the stages of the work have nothing to add to the system prompt."""
REASONING_PROMPTS = {"macro": "agent/reasoning_macro", "micro": "agent/reasoning_micro"}
REASONING_MARKS = {"macro": "[reasoning format: macro]", "micro": "[reasoning format: micro]"}
"""The first lines of the two prompts: by them every request is checked against what the user has switched."""
MARK = re.compile(r"\[(reasoning format: (?:macro|micro))\]", re.IGNORECASE)
QA_REASONING = "qa/review_micro_reasoning"


async def build_system_prompt(run: AgentRun) -> str:
    """The prompt of the whole run: rules, root, mode, and the project as it was at its start."""
    root = () if run.profile == "small" else ("base/project_root_context",)  # it would write absolute paths
    names = ("base/system", *root, *MODE_PROMPTS[run.mode])
    newest = run.state.context.newest_user
    project = await project_of(run).described(newest.content if newest is not None else "", run.profile)
    return "\n\n".join([*_rendered(run, names), _unmarked(project)])


async def stage_prompt(run: AgentRun) -> str:
    """What the model is told on entering the run's stage; nothing beyond the task's name where there is nothing."""
    stage, reasoning = run.state.stage, run.decision.reasoning
    names = list(STAGE_PROMPTS.get(stage, ()))
    if reasoning != "none":
        names += [REASONING_PROMPTS[reasoning], *([QA_REASONING] if stage == "qa_review" else [])]
    return "\n".join([f"[task: ide/{stage}]", *_rendered(run, names)])


def _rendered(run: AgentRun, names: list[str] | tuple[str, ...]) -> list[str]:
    prompts, variables = prompts_of(run), {name: _unmarked(value) for name, value in variables_of(run).items()}
    return [text for name in names if (text := render(prompts, name, variables).strip())]


def _unmarked(text: str) -> str:
    """Text from outside without the marks of the two prompts: it cannot pass for a demand of reasoning."""
    return MARK.sub(r"(\1)", text)
