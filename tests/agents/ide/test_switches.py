"""Mode and reasoning belong to the user; what a stage may do and is told follows from them and nothing else."""

import ast
import re
from pathlib import Path

import pytest

import loopwright
from loopwright.agents.ide.spec import AGENT
from loopwright.agents.ide.tools import ALL_TOOLS, READERS
from loopwright.kernel.gates import Finished
from loopwright.kernel.messages import ToolCall
from loopwright.kernel.policy import AIMode, ConversationPolicy
from loopwright.kernel.testing import Reply, as_response
from tests.agents.ide.acting import Account, act, stage_told

PACKAGE = Path(loopwright.__file__).parent
EVERYTHING = {tool.name for tool in ALL_TOOLS}
WRITERS = {
    "write_file", "create_file", "delete_file", "replace_in_file", "apply_patch", "patchset_apply",
    "checkpoint_restore", "run_command", "index_add_memory", "index_delete_memory",
}  # fmt: skip
AGENT_STAGES: dict[str, tuple[set[str], str]] = {
    "warmup": (set(), "macro"),
    "act": (EVERYTHING, "micro"),
    "tool_followup": (EVERYTHING, "micro"),
    "delivery_check": (set(), "micro"),
    "final": (set(), "micro"),
    "qa_review": (set(READERS), "micro"),
    "deliver": (set(), "none"),
    "an unknown stage": (set(), "none"),
}
"""What agent mode has in each stage: tools, and the format of reasoning where the user wants it."""


def test_readers_change_nothing_and_everything_that_changes_needs_permission() -> None:
    assert not READERS & WRITERS
    assert WRITERS <= EVERYTHING
    policy = ConversationPolicy({stage.name: stage.policy for stage in AGENT.stages})
    for stage in ("act", "tool_followup"):
        assert policy.decide(stage, "agent").permission >= WRITERS


@pytest.mark.parametrize("reasoning", [False, True])
@pytest.mark.parametrize("stage", [*AGENT_STAGES, "chat"])
def test_a_stage_has_its_tools_and_its_reasoning(stage: str, reasoning: bool) -> None:
    policy = ConversationPolicy({each.name: each.policy for each in AGENT.stages})
    if stage != "chat":
        tools, wanted = AGENT_STAGES[stage]
        decision = policy.decide(stage, "agent", reasoning)
        assert (set(decision.tools), decision.reasoning) == (tools, wanted if reasoning else "none")
    in_chat = policy.decide(stage, "chat", reasoning)
    assert (set(in_chat.tools), in_chat.reasoning) == (set(READERS) if stage == "chat" else set(), "none")


def test_nothing_but_the_birth_of_a_run_sets_its_switches() -> None:
    """An assignment to something's `options`, or into them, below the surfaces, which speak for the user."""
    found = []
    floors = ("agents", "engine", "kernel", "models", "stores")
    paths = sorted(path for floor in floors for path in (PACKAGE / floor).rglob("*.py"))
    for path in (each for each in paths if not {"commands", "routes"} & set(each.relative_to(PACKAGE).parts)):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            named = [part for target in targets if target is not None for part in ast.walk(target)]
            if any(isinstance(part, ast.Attribute) and part.attr == "options" for part in named):
                found.append(path.relative_to(PACKAGE).as_posix())
    assert found == ["kernel/state.py"]


SUGGESTION = re.compile(
    r"\b(?:switch(?:ing|es|ed)? (?:to|into|the|your|mode)|(?:change|enter|leave|choose) (?:to |the |another |your )?"
    r"(?:chat|agent|mode|reasoning)|(?:chat|agent) mode|turn (?:on|off)|(?:whether|if) you (?:want|like) to reason)",
    re.IGNORECASE,
)


def test_no_prompt_and_no_tool_speaks_of_switching() -> None:
    texts = [path for folder in ("prompts", "tools") for path in (PACKAGE / "agents" / "ide" / folder).rglob("*.md")]
    assert len(texts) > 40
    assert not [path.name for path in texts if SUGGESTION.search(path.read_text(encoding="utf-8"))]


MACRO = (
    "<ide_reasoning>\nAnalyze: one file is to be read\nResearch: main.py alone\nPlan: read it, then tell\n"
    "Reflect: it may be empty\nAction: index_read_file main.py\nDelivery: NEEDS_WORK\n</ide_reasoning>\n"
)
MICRO = "<ide_reasoning>\n- Outcome: it was read\n- Next: tell the user\n- Why: it was asked for\n</ide_reasoning>\n"
CLOSED, DELIVERED = "What was asked for is there.", '{"state": "DONE", "missing": [], "reason": "seen"}'
REPORT = '{"summary": "Fine.", "findings": [], "missing_steps": [], "suggested_next_actions": []}'
MODE_PROMPTS = {
    "agent": ["agent/mode_addition", "agent/tool_loop_context", "agent/user_input_request_block"],
    "chat": ["agent/chat_mode_addition", "agent/chat"],
}
STAGE_PROMPTS = {
    "warmup": ["agent/warmup"],
    "delivery_check": ["agent/delivery_gate"],
    "qa_review": [
        "conversation_flow/qa/quality_review_system",
        "conversation_flow/qa/tool_output_review_system",
        "qa/system",
        "qa/report_schema",
    ],
}


def reading(words: str) -> Reply:
    """An answer with words and one call."""
    call = ToolCall(id="c", name="index_read_file", arguments='{"path": "main.py"}')
    return as_response(words).model_copy(update={"tool_calls": [call]})


@pytest.mark.parametrize("reasoning", [False, True])
@pytest.mark.parametrize("mode", ["agent", "chat"])
async def test_every_prompt_is_composed_in_its_order(mode: AIMode, reasoning: bool, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("print('hello')\n")
    reasons = reasoning and mode == "agent"
    block = MICRO if reasons else ""
    script: list[Reply] = [reading(block), *([block + words for words in (CLOSED, DELIVERED, REPORT)])]
    if mode == "chat":
        script = ["It prints hello."]
    elif reasoning:
        script.insert(0, MACRO + "I read it first.")
    account = await act(tmp_path, *script, mode=mode, reasoning=reasoning, qa=True)
    assert isinstance(account.outcome, Finished), account.outcome
    stages = [request.labels.stage for request in account.requests]
    whole = ["act", "tool_followup", "delivery_check", "qa_review"]
    assert stages == (["chat"] if mode == "chat" else ["warmup", *whole] if reasoning else whole)
    for request in account.requests:
        stage = request.labels.stage
        system = request.messages[0].content
        assert system == account.requests[0].messages[0].content, "it keeps its bytes"
        names = ["base/system", "base/project_root_context", *MODE_PROMPTS[mode]]
        in_order(account, names, system)
        told = stage_told(request)
        names = [*STAGE_PROMPTS.get(stage, [])]
        names += [f"agent/reasoning_{'macro' if stage == 'warmup' else 'micro'}"] if reasons else []
        in_order(account, names, told)
        assert ("<ide_reasoning>" in told) == reasons
        labels = request.labels
        offered = request.callable_now if request.callable_now is not None else request.tools.names
        assert (labels.run_id, labels.conversation_id) == (account.run.state.run_id, "session")
        assert (labels.mode, labels.reasoning, labels.tool_count) == (mode, reasons, len(offered))


def in_order(account: Account, names: list[str], text: str) -> None:
    """These prompts stand in the text, one after the other."""
    places = [text.find(beginning(account.run.toolbox.prompts.source(f"ide/{name}"))) for name in names]
    assert -1 not in places, dict(zip(names, places, strict=True))
    assert places == sorted(places)


def beginning(prompt: str) -> str:
    """A prompt up to its first variable or the end of its first line."""
    return prompt.splitlines()[0].partition("{{")[0].strip()
