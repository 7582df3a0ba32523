"""The system prompt of a stage (spec 002, 5.2): base, root, mode, stage, reasoning; then the project."""

import re

from loopwright.agents.ide.flow.words import prompts_of, render, variables_of
from loopwright.agents.ide.project import project_of
from loopwright.kernel.run import AgentRun

STAGE_PROMPTS: dict[str, tuple[str, ...]] = {
    "chat": ("agent/chat",),
    "warmup": ("agent/warmup",),
    "act": ("agent/tool_loop_context", "agent/user_input_request_block"),
    "tool_followup": ("agent/tool_loop_context", "agent/user_input_request_block"),
    "delivery_check": ("agent/delivery_gate",),
    "final": ("agent/final",),
    "qa_review": (
        "conversation_flow/qa/quality_review_system",
        "conversation_flow/qa/tool_output_review_system",
        "qa/system",
        "qa/report_schema",
    ),
}
REASONING_PROMPTS = {"macro": "agent/reasoning_macro", "micro": "agent/reasoning_micro"}
REASONING_MARKS = {"macro": "[reasoning format: macro]", "micro": "[reasoning format: micro]"}
"""The first lines of the two prompts: by them every request is checked against what the user has switched."""
MARK = re.compile(r"\[(reasoning format: (?:macro|micro))\]", re.IGNORECASE)
QA_REASONING = "qa/review_micro_reasoning"
MODE_PROMPTS = {"agent": "agent/mode_addition", "chat": "agent/chat_mode_addition"}
STAGES_WITH_PROJECT = ("chat", "warmup", "act", "tool_followup")
"""Stages that look for places in the project; the others judge what was done."""


async def build_system_prompt(run: AgentRun) -> str:
    """The prompt of the run's stage; it keeps its bytes until the stage changes or the dialogue is folded."""
    stage, reasoning = run.state.stage, run.decision.reasoning
    names = ["base/system", "base/project_root_context", MODE_PROMPTS[run.mode], *STAGE_PROMPTS[stage]]
    if reasoning != "none":
        names += [REASONING_PROMPTS[reasoning], *([QA_REASONING] if stage == "qa_review" else [])]
    prompts, variables = prompts_of(run), {name: _unmarked(value) for name, value in variables_of(run).items()}
    parts = [f"[task: ide/{stage}]", *(render(prompts, name, variables) for name in names)]
    if stage in STAGES_WITH_PROJECT:
        parts.append(_unmarked(await project_of(run).described(variables["user_input"])))
    return "\n\n".join(part.strip() for part in parts if part.strip())


def _unmarked(text: str) -> str:
    """Text from outside without the marks of the two prompts: it cannot pass for a demand of reasoning."""
    return MARK.sub(r"(\1)", text)
