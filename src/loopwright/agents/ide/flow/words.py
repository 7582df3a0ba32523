"""What the model is told when it is sent back: the corrections of spec 002, 10, in the order of their causes."""

import re
from collections.abc import Mapping

from loopwright.agents.ide.contracts import IdeOptions
from loopwright.agents.ide.flow.reasoning import last_step_outcome, tool_summary
from loopwright.kernel.prompts import VARIABLE, PromptRepository
from loopwright.kernel.run import AgentRun
from loopwright.kernel.think import BESIDE_CALLS, EMPTY, UNUSABLE

ASKS_FOR_FILES = re.compile(
    r"\b(?:please|could you|can you|kindly|i need you to|you (?:can|could|should|must|need to))\b[^.?!\n]{0,60}"
    r"\b(?:provide|paste|share|upload|send|attach|show|give)\b[^.?!\n]{0,60}"
    r"\b(?:file|files|code|diff|diffs|content|contents|source|snippet|output|log|logs|error|repository|path)\b",
    re.IGNORECASE,
)
PROMISES = re.compile(
    r"\b(?:i will|i'll|i am going to|i'm going to|let me|next,? i|now i(?:'ll| will)?)\b[^.?!\n]{0,80}"
    r"\b(?:implement|create|write|add|update|edit|change|fix|read|look|check|inspect|search|run|open|refactor|rename|"
    r"modify|examine|start|begin|proceed|apply|make)\b",
    re.IGNORECASE,
)
NO_USER_INPUT = "conversation_flow/corrections/no_user_input_next_step"
FORCE_TOOLS = "conversation_flow/corrections/force_tool_followup"
EMPTY_AFTER_TOOLS = "conversation_flow/corrections/empty_response_followup"
EMPTY_AT_FIRST = "agent/empty_response_recovery"


def render(prompts: PromptRepository, name: str, variables: Mapping[str, str]) -> str:
    """A prompt with those of the four variables that it uses, without its task line."""
    used = set(VARIABLE.findall(prompts.source(f"ide/{name}")))
    text = prompts.render(f"ide/{name}", **{key: value for key, value in variables.items() if key in used})
    return text.partition("\n")[2]


def variables_of(run: AgentRun) -> dict[str, str]:
    """The four variables of spec 002, 5.3."""
    newest = run.state.context.newest_user
    return {
        "project_root": str(run.output_dir),
        "user_input": newest.content if newest is not None else "",
        "tool_summary": tool_summary(run),
        "last_step_outcome": last_step_outcome(run),
    }


def phrase(run: AgentRun, reason: str, text: str) -> str:
    """What the model is told: a correction's prompt for its name, the recovery prompt for an empty answer."""
    if reason == EMPTY:
        worked = bool(run.state.context.messages) and run.state.stage == "tool_followup"
        return correction(run, EMPTY_AFTER_TOOLS if worked else EMPTY_AT_FIRST)
    return correction(run, text) if reason in (UNUSABLE, BESIDE_CALLS) else text


def correction(run: AgentRun, name: str) -> str:
    """A stage-owned correction prompt."""
    return render(prompts_of(run), name, variables_of(run))


def prompts_of(run: AgentRun) -> PromptRepository:
    """The installation's prompts, under the project's own where the user wants those."""
    if not IdeOptions.model_validate(run.state.options).project_prompts:
        return run.toolbox.prompts
    return run.toolbox.prompts.under(run.output_dir / ".loopwright" / "prompts")
