"""A brief becomes an app: the scenarios A and B of spec 000, 6.3, and what may go wrong on the way."""

import pytest

from loopwright.agents.pages.offline.studio.archetypes import plan_app
from loopwright.kernel.messages import Message
from tests.agents.pages.offline.playbook_session import Session

DETAILED = "Netflix clone, 5 pages, dark theme, red accent"
VAGUE = "make me a coffee shop app"


def test_a_detailed_brief_is_built_without_questions() -> None:
    """Scenario A: analysis, design system, all pages side by side, each checked and valid, within 12 model calls."""
    session = Session()
    text = session.run(DETAILED)
    assert session.steps[0] == ["analyze_brief"]
    assert session.steps[1] == ["create_design_system"]
    assert session.steps[2] == ["generate_page"] * 5 + ["validate_html"] * 5
    assert len(session.steps) == 3
    assert len(session.pages) == 5
    assert list(session.pages) == [page.slug for page in plan_app(DETAILED).pages]
    assert session.model_calls <= 12
    design = dict(session.calls)["create_design_system"]
    assert design["style_tokens"]["mode"] == "dark"
    red, green, blue = (int(design["brand_colors"][0][i : i + 2], 16) for i in (1, 3, 5))
    assert red > 2 * max(green, blue)
    for slug in session.pages:
        assert "is valid" in session.execute("validate_html", {"slug": slug}, None)
    assert "offline model" in text
    assert "not an LLM" in text
    assert {"overview", "brand_style", "pages", "data"} <= set(session.sections)


def test_a_vague_brief_is_asked_about_first() -> None:
    """Scenario B: three to five questions with widgets before anything; the answers are recorded and steer."""
    session = Session()
    with pytest.raises(AssertionError, match="unexpected questions"):
        session.run(VAGUE)
    questions = session.calls[0][1]["questions"]
    assert [name for name, _ in session.calls] == ["ask_user"]
    assert 3 <= len(questions) <= 5
    assert {question["type"] for question in questions} >= {"radio", "checkbox"}
    answers = {
        question["question"]: question["options"][-2:] if question["type"] == "checkbox" else question["options"][-1]
        for question in questions
        if question["type"] != "text"
    }
    session = Session()
    session.run(VAGUE, answers)
    assert session.steps[:3] == [["ask_user"], ["analyze_brief"], ["create_design_system"]]
    assert session.model_calls <= 12
    assert session.pages
    recorded = session.sections["overview.answers"]
    assert all(question in recorded for question in answers)


def test_answers_make_a_difference() -> None:
    """Other answers, another app; no answers, the defaults."""
    with_defaults, skipped = Session(), Session()
    skipped.run(VAGUE, {})
    questions = skipped.calls[0][1]["questions"]
    with_defaults.run(VAGUE, {question["question"]: question.get("default", "") for question in questions})
    assert skipped.css == with_defaults.css
    assert list(skipped.pages) == list(with_defaults.pages)
    other = Session()
    other.run(
        VAGUE,
        {
            q["question"]: q["options"][-1:] if q["type"] == "checkbox" else q["options"][-1]
            for q in questions
            if q.get("options")
        },
    )
    assert other.css != skipped.css
    recorded = skipped.sections["overview.answers"].split("\n")
    assert recorded
    assert all(line.endswith("(assumed)") for line in recorded)


def test_generate_now_asks_nothing() -> None:
    session = Session()
    session.run(VAGUE, generate_now=True)
    assert "ask_user" not in dict(session.calls)
    assert session.pages


def test_interview_true_asks_even_about_a_detailed_brief() -> None:
    session = Session()
    session.run(DETAILED, {}, interview=True)
    assert session.steps[0] == ["ask_user"]
    assert 1 <= len(session.calls[0][1]["questions"]) <= 2
    assert len(session.pages) == 5


def test_interview_false_never_asks() -> None:
    session = Session()
    session.run(VAGUE, interview=False)
    assert "ask_user" not in dict(session.calls)


def test_images_give_the_colours() -> None:
    """Their style is extracted before the design system, in the first answer; words in the brief go before it."""
    session = Session()
    session.run(
        "A yoga studio app with 3 pages. See uploads/mood.png and uploads/logo.jpg",
        images=["data:image/png;base64,AA=="],
        generate_now=True,
    )
    assert session.steps[0] == ["extract_style", "extract_style", "analyze_brief"]
    assert session.calls[0][1] == {"image_url": "uploads/mood.png"}
    design = dict(session.calls)["create_design_system"]
    assert design["brand_colors"] == ["#AA3366", "#22CC88"]
    assert design["style_tokens"]["radius"] == "large"
    assert "uploads/mood.png" in session.sections["brand_style"]


def test_images_without_a_path_are_named_by_their_url() -> None:
    session = Session(broken={"extract_style": 9})
    text = session.run(DETAILED, images=["https://example.org/look.png"])
    assert session.calls[0] == ("extract_style", {"image_url": "https://example.org/look.png"})
    assert "https://example.org/look.png could not be read" in text
    assert len(session.pages) == 5
    assert len([name for name, _ in session.calls if name == "extract_style"]) == 1


@pytest.mark.parametrize("tool", ["analyze_brief", "create_design_system"])
def test_a_tool_that_fails_once_is_tried_another_way(tool: str) -> None:
    session = Session(broken={tool: 1})
    session.run(DETAILED)
    first, second = (arguments for name, arguments in session.calls if name == tool)
    assert first != second
    assert len(session.pages) == 5


def test_without_a_design_system_the_run_ends() -> None:
    """What everything needs fails twice: the user is told, nothing loops."""
    session = Session(broken={"create_design_system": 99})
    text = session.run(DETAILED)
    assert "create_design_system failed twice" in text
    assert "the disk is full" in text
    assert len([name for name, _ in session.calls if name == "create_design_system"]) == 2
    assert not session.pages


def test_a_page_that_cannot_be_made_is_told() -> None:
    """One page fails twice; the others are there, and going on in a later run makes it."""
    session = Session()
    session.run(DETAILED, generate_now=True)
    last = list(session.pages)[-1]
    session = Session(broken={f"generate_page:{last}": 2})
    text = session.run(DETAILED)
    assert f"`{last}` could not be made" in text
    assert len(session.pages) == 4
    session.run("go on")
    assert session.steps[0] == ["generate_page", "validate_html"]
    assert len(session.pages) == 5


def test_all_pages_failing_ends_the_run() -> None:
    session = Session(broken={"generate_page": 99})
    text = session.run(DETAILED)
    assert "generate_page failed twice" in text


def test_go_on_after_a_run_that_made_nothing() -> None:
    """The brief is the earlier message's."""
    session = Session(broken={"create_design_system": 2})
    session.run(DETAILED)
    session.run("go on")
    assert len(session.pages) == 5
    assert session.metadata["planned_pages"]


def test_the_run_goes_on_after_compaction() -> None:
    """Everything but the wish and the newest calls is forgotten again and again; the state and the doc remain."""
    whole, forgetful = Session(), Session()
    questions = None
    with pytest.raises(AssertionError):
        whole.run(VAGUE)
    questions = whole.calls[0][1]["questions"]
    answers = {
        q["question"]: q["options"][-1:] if q["type"] == "checkbox" else q["options"][-1]
        for q in questions
        if q.get("options")
    }
    whole = Session()
    whole.run(VAGUE, answers)
    forgetful.run(VAGUE, answers, forget=1)
    assert forgetful.pages == whole.pages
    assert forgetful.css == whole.css
    assert len([name for name, _ in forgetful.calls if name == "ask_user"]) == 1
    assert len([name for name, _ in forgetful.calls if name == "create_design_system"]) == 1


@pytest.mark.parametrize("message", ["hello", "What can you do?", "thanks!", "go on", "undo that"])
def test_small_talk_gets_a_plain_answer(message: str) -> None:
    session = Session()
    text = session.run(message)
    assert session.calls == []
    assert "offline model" in text


def test_a_tool_that_is_not_offered_is_not_called() -> None:
    session = Session()
    reply = session.ask("pages/new-project", session.system("new-project", {}), [Message.user(DETAILED)], ())
    assert not reply.tool_calls
    assert "analyze_brief" in reply.text


def test_a_request_without_state_is_answered_honestly() -> None:
    session = Session()
    reply = session.ask("pages/new-project", "[task: pages/new-project]\nYou …", [Message.user(DETAILED)])
    assert "project-state" in reply.text
    assert not reply.tool_calls
