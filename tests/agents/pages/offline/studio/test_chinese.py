"""Wishes in Chinese: the commonest are carried out, the others are not guessed at."""

import pytest

from loopwright.agents.pages.offline.intents import understand
from loopwright.agents.pages.offline.studio.editing import edit_page
from loopwright.agents.pages.offline.studio.editing.source import to_english
from tests.agents.pages.offline.studio.test_editing import PAGE


def test_a_section_is_added_by_its_chinese_name() -> None:
    outcome = edit_page(PAGE, "添加用户评价")
    assert 'id="added-testimonials"' in outcome.html
    assert outcome.understood


@pytest.mark.parametrize("wish", ["把那个弄好看", "你好吗", "make the header green", ""])
def test_what_is_not_known_is_not_guessed(wish: str) -> None:
    assert to_english(wish) is None


@pytest.mark.parametrize(
    ("message", "kind"),
    [("撤销", "undo"), ("恢复旧的页眉", "undo"), ("删除购物车页面", "remove_page"), ("把标题改成你好", "edit")],
)
def test_kinds_of_wishes(message: str, kind: str) -> None:
    assert understand(message, has_pages=True).kind == kind
