"""The kernel's playbook: a summary made of what was said and done, and of nothing else."""

import json

from hypothesis import given
from hypothesis import strategies as st

from loopwright.kernel.compaction import AU2, DIMENSIONS, read_summary
from loopwright.kernel.events import ModelResponse
from loopwright.kernel.messages import ConversationContext, Message, ToolCall
from loopwright.kernel.offline import DIMENSION_LENGTH, KernelPlaybook, OfflineRequest, summarise
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.prompts import PromptRepository


class PlaybookModel:
    """A tool's model that asks the playbook."""

    async def complete(self, request: ModelRequest) -> ModelResponse:
        task = request.messages[0].content.split("\n", 1)[0].removeprefix("[task: ").removesuffix("]")
        reply = KernelPlaybook().answer(OfflineRequest(task=task, messages=request.messages))
        return ModelResponse(text=reply.text, model="offline")


def call(call_id: str, name: str, **arguments: str) -> Message:
    return Message.assistant("", [ToolCall(id=call_id, name=name, arguments=json.dumps(arguments))])


def conversation() -> list[Message]:
    """A long run: pages made, an answer given, one failure."""
    messages = [Message.user("Make a coffee shop app. It must work without an account."), Message.assistant("Gladly.")]
    messages += [call("a", "ask_user"), Message.tool("a", json.dumps({"answers": {"Which colours?": "Green #1B4332"}}))]
    messages += [Message.user("Keep the tone playful.")]
    for index in range(8):
        messages += [call(f"g{index}", "generate_page", slug=f"page-{index}", title=f"Page {index}")]
        messages += [Message.tool(f"g{index}", "Error: disk full" if index == 5 else "Saved.")]
    return [*messages, Message.assistant("Next I check the pages.")]


async def test_a_compaction_takes_the_summary() -> None:
    """Through the kernel's own strategy: eight keys, quoted facts, no invention."""
    context = ConversationContext(system="s", messages=[*conversation(), Message.user("Go on.")])
    result = await AU2(max_messages=10).compact(context, PlaybookModel(), PromptRepository({}))
    assert result is not None
    summary = result.summary
    assert tuple(summary) == DIMENSIONS
    assert "Which colours? – Green #1B4332" in summary["decisions"]
    assert "page-3: Page 3" in summary["pages"]
    assert "generate_page(page-3): answered without an error" in summary["progress"]
    assert "generate_page(page-5): Error: disk full" in summary["issues"]
    assert "page-5" not in summary["progress"]
    assert "playful" in summary["style"]


def test_the_goal_is_the_first_wish_and_stays() -> None:
    """A second compaction keeps what the first one knew."""
    first = summarise([{"role": "user", "text": "A bakery app. Never show prices."}], {})
    assert first["goal"] == "A bakery app. Never show prices."
    assert first["constraints"] == "Never show prices."
    second = summarise([{"role": "user", "text": "Make it dark."}], first)
    assert second["goal"] == first["goal"]
    assert "Make it dark." in second["decisions"]
    assert second["constraints"] == "Never show prices."


def test_nothing_said_nothing_told() -> None:
    """Empty dimensions stay empty."""
    summary = summarise([{"role": "assistant", "text": "Hello."}], {})
    assert set(summary.values()) == {""}


def test_other_requests_are_refused_in_words() -> None:
    """No summary is made up for a request that has no conversation, nor for another task."""
    playbook = KernelPlaybook()
    nothing = playbook.answer(OfflineRequest("kernel/compact", [Message.user("hello")]))
    assert read_summary(nothing.text) is None
    assert "kernel/other" in playbook.answer(OfflineRequest("kernel/other", [Message.user("{}")])).text


MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool"]), "text": st.text(max_size=2_000)},
    optional={"calls": st.text(max_size=300)},
)


@given(st.lists(MESSAGES, max_size=12), st.dictionaries(st.sampled_from(DIMENSIONS), st.text(max_size=3_000)))
def test_any_conversation_gives_eight_bounded_texts(messages: list[dict[str, str]], earlier: dict[str, str]) -> None:
    """Whatever was said, the answer is readable, bounded and the same again."""
    content = json.dumps({"conversation": messages, "earlier_summary": earlier})
    request = OfflineRequest("kernel/compact", [Message.system("x"), Message.user(content)])
    text = KernelPlaybook().answer(request).text
    assert text == KernelPlaybook().answer(request).text
    summary = json.loads(text)
    assert tuple(summary) == DIMENSIONS
    assert all(len(value) <= DIMENSION_LENGTH for value in summary.values())
