"""What the model is told, at the start, on entering a stage and when it is sent back; and how old turns are folded."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from loopwright.agents.ide.contracts import IdeOptions
from loopwright.agents.ide.project import project_of
from loopwright.agents.ide.reasoning import calls_of, last_step_outcome, one_line, tool_summary, without_reasoning
from loopwright.agents.ide.tools.tool import COMMANDS, WRITERS
from loopwright.kernel.compaction import CompactionResult, slice_dialogue
from loopwright.kernel.messages import STAGE, ConversationContext, Message, split_blocks
from loopwright.kernel.prompts import VARIABLE, PromptRepository
from loopwright.kernel.run import AgentRun
from loopwright.kernel.think import BESIDE_CALLS, EMPTY, UNUSABLE
from loopwright.kernel.tools import ToolModel

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


# What the model is told: a system prompt that stays for the whole run, and a message on entering a stage (5.2).

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


# Folding: old turns become a structured summary, by rules and not by a model (spec 002, 7).
#
# The same dialogue always folds the same way. What was folded is in the journal, and `conversation_fold` reads it.

KEYS = ("goals", "decisions", "plan", "open issues", "tool outputs", "outcomes")
"""The dimensions of the summary; `plan` and `open issues` are pinned, so that no folding loses them."""
PINNED = "(pinned)"
"""Stands for what the pins say above: a copy would soon contradict them."""
MOST = {"goals": 5, "decisions": 3, "tool outputs": 8, "outcomes": 3}
"""Lines of each dimension that are kept, the newest ones; goals keep the first line too."""
LONGEST_LINE = 240
SEPARATOR = "\n"
OUTCOME = re.compile(r"^(?:plan_delta|next_action|known_risks|delivery_state): .*$", re.MULTILINE)
IMPORTANT = WRITERS | COMMANDS
"""Tools whose results are worth more than those of readers, which can be called again."""


@dataclass(frozen=True)
class Folding:
    """Due at so many messages or estimated tokens; the newest `tail` messages stay, in whole units."""

    max_messages: int = 40
    max_tokens: int = 40_000
    tail: int = 20
    name: str = "folding"

    def due(self, context: ConversationContext) -> bool:
        """Whether a threshold is reached, and there is more than a crumb to fold."""
        full = len(context.messages) > self.max_messages or context.estimate_tokens() > context.space(self.max_tokens)
        return full and len(self._cut(context)[0]) >= 2

    async def compact(
        self, context: ConversationContext, model: ToolModel, prompts: PromptRepository
    ) -> CompactionResult | None:
        """Fold what lies before the tail; the model is not asked."""
        folded, kept = self._cut(context)
        return CompactionResult(kept, fold(folded, context.summary, context.pins)) if folded else None

    def _cut(self, context: ConversationContext) -> tuple[list[Message], list[Message]]:
        """What is folded and what stays. A tail that is itself too long gets shorter, down to the newest unit."""
        size = min(self.tail, self.max_messages // 2)
        while True:
            cut = slice_dialogue(context.messages, 0, size, newest_user=context.newest_user)
            tokens = sum(message.estimated_tokens for message in cut.tail)
            if size <= 1 or tokens * 2 <= context.space(self.max_tokens):
                return _with_stage(cut.middle, [*cut.head, *cut.tail])
            size //= 2


def _with_stage(folded: list[Message], kept: list[Message]) -> tuple[list[Message], list[Message]]:
    """What the model was told of its stage last is not folded away: it says how to answer."""
    told = next(
        (m for m in reversed([*folded, *kept]) if m.role == "user" and STAGE in split_blocks(m.content)[1]), None
    )
    if told is None or told in kept:
        return folded, kept
    return [message for message in folded if message is not told], [told, *kept]


def fold(messages: Sequence[Message], earlier: Mapping[str, str], pins: Mapping[str, str]) -> dict[str, str]:
    """The summary of these messages, after what was known before them."""
    found: dict[str, list[str]] = {
        "goals": [_line(said) for m in messages if m.role == "user" and (said := split_blocks(m.content)[0].strip())],
        "decisions": [_line(_words(m)) for m in messages if m.role == "assistant" and _words(m)],
        "tool outputs": _outputs(messages),
        "outcomes": [_line(" · ".join(OUTCOME.findall(m.content))) for m in messages if OUTCOME.search(m.content)],
    }
    summary = {
        key: _join(earlier.get(key, ""), lines, MOST[key], keep_first=key == "goals") for key, lines in found.items()
    }
    return summary | {key: PINNED if pins.get(key) else "" for key in ("plan", "open issues")}


def _outputs(messages: Sequence[Message]) -> list[str]:
    """What calls gave: those that changed or ran something before those that read, each group in its order."""
    calls = calls_of(messages)
    lines = {True: [], False: []}  # type: dict[bool, list[str]]
    for call in calls:
        lines[call.name in IMPORTANT].append(_line(f"{call.name}({call.target}): {call.result}"))
    most = MOST["tool outputs"]
    important = lines[True][-most:]
    return [*lines[False][-(most - len(important)) :], *important] if len(important) < most else important


def _line(text: str) -> str:
    return one_line(text, LONGEST_LINE)


def _words(message: Message) -> str:
    return OUTCOME.sub("", without_reasoning(message.content)).replace("ReasoningOutcome:", "").strip()


def _join(earlier: str, lines: Iterable[str], most: int, *, keep_first: bool) -> str:
    every = list(dict.fromkeys([*(line for line in earlier.split(SEPARATOR) if line), *lines]))
    if len(every) <= most:
        return SEPARATOR.join(every)
    return SEPARATOR.join([every[0], *every[-(most - 1) :]] if keep_first else every[-most:])
