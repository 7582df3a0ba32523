"""The offline model and promises: it asks for a withdrawal where the wish is the contrary, else it tells of them."""

import json
from collections.abc import Sequence
from typing import Any

from loopwright.agents.pages.offline.playbook import promises_in_the_way, withdrawal_asked_for
from loopwright.agents.pages.offline.reading import Reading
from loopwright.kernel.messages import Message, ToolCall
from tests.agents.pages.offline.test_playbook_kernel import Project, project

__all__ = ["project"]

BRIEF = "A coffee shop app called Bean There with 3 pages"


async def texts(project: Project) -> list[tuple[str, str]]:
    return [(f"P{each.number}", each.request) for each in await project.stores.promises.of_session("session")]


async def test_what_was_asked_for_can_be_removed_again(project: Project) -> None:
    await project.run(BRIEF, generate_now=True)
    await project.run("add a newsletter section", generate_now=True)
    assert "add a newsletter section" in dict(await texts(project)).values()
    result = await project.run("remove the newsletter section", generate_now=True)
    assert "Done: “remove the newsletter section”" in result["text"]
    assert result["promises"]["broken"] == []


async def test_a_new_colour_takes_the_place_of_the_old_one(project: Project) -> None:
    await project.run(BRIEF, generate_now=True)
    await project.run("@index make the header green", generate_now=True)
    result = await project.run("@index make the header blue", generate_now=True)
    assert "withdraw_promise" not in project.tools
    assert "Done: “make the header blue”" in result["text"]
    (told,) = result["promises"]["superseded"]
    assert told["request"] == "@index make the header green"
    assert f"{told['promise_id']} “@index make the header green” by {told['by']}" in result["text"]
    requests = dict(await texts(project)).values()
    assert "@index make the header blue" in requests
    assert "@index make the header green" not in requests


async def test_a_mind_is_changed_in_chinese(project: Project) -> None:
    await project.run(BRIEF, generate_now=True)
    await project.run("把页眉改成绿色", generate_now=True)
    result = await project.run("把页眉改成蓝色", generate_now=True)
    assert "已完成：“把页眉改成蓝色”" in result["text"]
    assert "withdraw_promise" not in project.tools


async def test_a_withdrawal_in_so_many_words(project: Project) -> None:
    await project.run(BRIEF, generate_now=True)
    await project.run("add a newsletter section", generate_now=True)
    (name, _) = (await texts(project))[-1]
    result = await project.run(f"withdraw {name}", generate_now=True)
    assert f"Withdrawn: {name} “add a newsletter section”" in result["text"]
    assert name not in dict(await texts(project))
    result = await project.run("withdraw P99", generate_now=True)
    assert "There is no promise P99" in result["text"]


def reading(
    wish: str, *calls: tuple[str, dict[str, Any], str], pages: Sequence[tuple[str, str]] = (("index", "Home"),)
) -> Reading:
    """What the playbook sees after these calls of a run."""
    known = json.dumps({"pages": [{"slug": slug, "title": title} for slug, title in pages]})
    state = f"```project-state\n{known}\n```"
    messages = [Message.system(state), Message.user(wish)]
    for number, (name, arguments, output) in enumerate(calls):
        call = ToolCall(id=str(number), name=name, arguments=json.dumps(arguments))
        messages += [Message.assistant("", [call]), Message.tool(str(number), output)]
    return Reading.of(messages)


REFUSED = (
    "edit_page",
    {"slug": "index", "edit_instructions": "add a footer"},
    (
        "Error: This change of page index breaks the promise P3 “hearts on every card”. Nothing was saved.\n"
        "P3: expected [data-favorite] on index; found no [data-favorite]"
    ),
)


def test_a_promise_about_something_else_is_told() -> None:
    reply = promises_in_the_way(reading("add a footer", REFUSED), "add a footer")
    assert reply is not None
    assert reply.tool_calls == ()
    assert "In the way stands what you asked for earlier:" in reply.text
    assert "- P3: “hearts on every card”" in reply.text
    assert "withdraw P3" in reply.text


def test_a_no_is_respected() -> None:
    wish = "take the hearts away"
    withdrawal = ("withdraw_promise", {"promise_id": "P3", "reason": wish}, "Error: The user did not allow it.")
    first = promises_in_the_way(reading(wish, REFUSED), wish)
    assert first is not None
    assert [name for name, _ in first.tool_calls] == ["withdraw_promise"]
    after = promises_in_the_way(reading(wish, REFUSED, withdrawal), wish)
    assert after is not None
    assert after.tool_calls == ()
    assert "You kept what you asked for earlier" in after.text


def test_other_wishes_are_left_alone() -> None:
    assert promises_in_the_way(reading("add a footer"), "add a footer") is None
    assert withdrawal_asked_for(reading("withdraw money at the counter")) is None
    broken = ("edit_page", {"slug": "index", "edit_instructions": "x"}, "Error: The edit did not work.")
    assert promises_in_the_way(reading("add a footer", broken), "add a footer") is None
