"""Plans and questions: what the brief says is honoured, what it leaves open is asked, answers change the plan."""

import pytest

from loopwright.agents.pages.offline.studio.archetypes import plan_app
from loopwright.agents.pages.offline.studio.interview import feature_questions, is_vague, questions_for
from loopwright.agents.pages.offline.studio.theme import read_theme
from loopwright.kernel.gates import QuestionItem

DETAILED = "Netflix clone, 5 pages, dark theme, red accent"
VAGUE = "make me a coffee shop app"


def test_a_detailed_brief_is_planned_without_questions() -> None:
    """Scenario A of spec 000."""
    assert not is_vague(DETAILED)
    plan = plan_app(DETAILED)
    assert plan.product_type == "streaming"
    assert plan.theme.mode == "dark"
    assert plan.theme.brand_colors == ("#D92D27",)
    assert len(plan.pages) == 5
    assert plan.pages[0].slug == "index"


def test_a_vague_brief_gets_three_to_five_questions() -> None:
    """Scenario B; each question is one that `ask_user` takes."""
    assert is_vague(VAGUE)
    questions = questions_for(VAGUE)
    assert 3 <= len(questions) <= 5
    for q in questions:
        default = list(q.default) if isinstance(q.default, tuple) else q.default
        QuestionItem(question=q.question, type=q.type, options=list(q.options) or None, default=default or None)


def test_every_answer_changes_the_plan() -> None:
    """A question whose answer changes nothing is not worth asking."""
    questions = {q.question: q for q in questions_for(VAGUE)}
    usual = plan_app(VAGUE)
    for question, asked in questions.items():
        other = "Zebra and Sons" if asked.type == "text" else asked.options[-1]
        assert plan_app(VAGUE, {question: [other] if asked.type == "checkbox" else other}) != usual, question


@pytest.mark.parametrize("brief", ["", "x", "咖啡店应用，绿色，5个页面", "🦄" * 50, "a" * 5_000])
def test_any_brief_gives_a_plan(brief: str) -> None:
    """Odd input is planned as well as it can be."""
    plan = plan_app(brief)
    assert 1 <= len(plan.pages) <= 8
    assert plan.app_name
    assert len({page.slug for page in plan.pages}) == len(plan.pages)


def test_pages_that_the_brief_names_are_honoured() -> None:
    """With menu, cart and profile."""
    slugs = [page.slug for page in plan_app("A bakery app with menu, cart and profile pages").pages]
    assert slugs[0] == "index"
    assert {"menu", "cart", "profile"} <= set(slugs)


@pytest.mark.parametrize(
    ("text", "mode", "colours"),
    [
        ("dark roast coffee", None, ()),
        ("dark theme with gold", "dark", ("#B98A1D",)),
        ("light mode, #abc and navy", "light", ("#AABBCC", "#1E3A6E")),
        ("深色主题，红色", "dark", ("#D92D27",)),
        ("scared of hundreds", None, ()),
        ("a coffee shop with rose tea", None, ()),
        ("coffee brown accents", None, ("#6B4226", "#7A4B2A")),
    ],
)
def test_the_look_is_read_by_whole_words(text: str, mode: str | None, colours: tuple[str, ...]) -> None:
    """Colours by name and hex, light and dark, in English and Chinese."""
    theme = read_theme(text)
    assert (theme.mode, theme.brand_colors) == (mode, colours)


def test_a_vague_feature_is_asked_about() -> None:
    """Scenario D: one to three questions, each with a default."""
    questions = feature_questions("add a favorites feature")
    assert 1 <= len(questions) <= 3
    assert all(q.default for q in questions)
